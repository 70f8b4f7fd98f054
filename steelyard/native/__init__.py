"""The optional native core: whether it is used, what it is told, and its results as the Python code has them."""
