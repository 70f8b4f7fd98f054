"""What every package may use and what knows nothing about pages: files, journal, workers, HTTP, tables, plots."""
