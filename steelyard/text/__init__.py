"""From a decoded file to a Document: one text, flat arrays, and the way back to every offset."""
