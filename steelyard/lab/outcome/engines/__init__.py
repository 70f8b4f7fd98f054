"""Answer engines: one file each."""
