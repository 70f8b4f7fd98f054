"""Statistics: pure functions, random numbers only through an explicit generator."""
