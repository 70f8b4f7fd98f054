"""Detectors: each sees one kind of manipulation; together they decide flagged or not, and never touch the score."""
