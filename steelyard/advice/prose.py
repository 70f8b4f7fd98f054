"""Plain sentences of which no two are alike, for the examples of rules about length."""

from __future__ import annotations

from itertools import islice, permutations

_THINGS = ("lamp", "crane", "store", "chapel", "mill", "tower", "school", "inn", "market", "well", "bridge", "yard")


def make_sentences(count: int) -> list[str]:
    """Return some sentences."""
    things = islice(permutations(_THINGS, 3), 0, None, 7)
    return [f"The {a} stands beside the {b}, and the {c} can be seen from it." for a, b, c in islice(things, count)]
