"""The results of `steelyard check` in every format."""
