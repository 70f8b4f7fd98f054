"""Pages for the laboratory: cut to one length, in two views, with a fixed split."""
