"""Edits that may help: those with a published effect, and those of structure and freshness, which have none."""
