"""Advice: the kind of a page, the rules that find places to change, and the order in which a writer is told."""
