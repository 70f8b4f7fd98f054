"""Edits that a sound score does not reward."""
