"""The optional native core: choosing it, describing editions to it, and its results as the Python code has them."""
