"""Hostile surroundings: what lies around good pages, and what every command does there."""
