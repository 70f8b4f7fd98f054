"""Pure functions on numbers and sequences; ties break by first position.

Sums of floats are `math.fsum`: the built-in `sum` rounds differently from Python 3.12 on, and a tie that
depends on rounding is no tie.
"""
