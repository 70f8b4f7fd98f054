"""Outcome records: one file per format, all read into the same Outcome."""
