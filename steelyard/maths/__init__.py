"""Pure functions on numbers and sequences; sums run in a fixed order, ties break by first position."""
