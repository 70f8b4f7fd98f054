"""Anything that turns a page into a number, ours or anybody's, behind one interface."""
