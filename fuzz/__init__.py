"""`./run fuzz`: inputs of every kind that a stranger can send, checked against what the project promises."""
