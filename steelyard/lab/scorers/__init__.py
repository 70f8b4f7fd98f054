"""Everything that turns a page into a number, our own scorer or someone else's, behind one interface."""
