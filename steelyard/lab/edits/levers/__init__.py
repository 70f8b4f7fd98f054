"""Edits that add what the paper's anchors say engines reward."""
