"""Pattern packs: the words and patterns of each language, as data."""
