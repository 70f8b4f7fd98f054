"""Comparing the editions of the score on the same pages, and the rule that picks the default."""
