"""Pages for the laboratory: cut to one length, in two views, split for good."""
