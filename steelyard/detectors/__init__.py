"""Detectors: each finds one kind of manipulation. Together they flag a page or not; the score is not affected."""
