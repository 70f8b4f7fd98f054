"""Who may read a page and what stands in the way: facts, never points."""
