"""The whole study: its figures made again, every printed number verified, every moved score owned up to."""
