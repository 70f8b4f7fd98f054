"""Mutations that know the structure of what they change."""
