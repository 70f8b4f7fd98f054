"""The role of a weight: what the profile refits leave of its freedom."""

from __future__ import annotations

from collections.abc import Sequence

NARROW = 0.1  # an interval this wide or narrower fixes the weight
TOP = 0.5  # of the grid
PINNED, FORCED, BOUNDED, OPEN = "pinned", "forced above zero", "bounded above", "left open"
NOWHERE = "not admissible anywhere on the grid"
# In the order of how much the evidence says.
ROLES = {
    PINNED: "The evidence allows a narrow interval only.",
    FORCED: "Without it a gate or the alignment is lost.",
    BOUNDED: "The evidence limits it, and would do without it.",
    OPEN: "The evidence does not ask for it: its weight is the prior's.",
    NOWHERE: "No value of it passes: these pages say nothing of its weight.",
}


def role(admitted: Sequence[float] | None) -> str:
    """The regime a weight is in, read off its admissible interval alone."""
    if admitted is None:
        return NOWHERE
    low, high = admitted
    if high - low <= NARROW:
        return PINNED
    if low > 0:
        return FORCED
    return BOUNDED if high < TOP else OPEN
