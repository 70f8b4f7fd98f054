"""Many pages at once: columns in, columns out, for files and for engines that process tables."""
