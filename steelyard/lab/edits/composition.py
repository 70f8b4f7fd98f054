"""Several edits on one page, one after the other."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.lab.edits.base import REPEAT, Edit, Edited, Target
from steelyard.lab.edits.postconditions import check


def applied(
    edits: Sequence[Edit], target: Target, *, dose: int = 1, seed: int = 0, arm: str = REPEAT, checked: bool = True
) -> Edited:
    """The page followed by the blocks of every edit in turn, each fitted to the untouched page and checked.

    `checked=False` is for the tests that show what a broken edit would do to the verdicts.
    """
    blocks: tuple[str, ...] = ()
    for edit in edits:
        edited = edit.apply(target, dose=dose, seed=seed, arm=arm)
        blocks += (check(edit, target, edited, dose=dose) if checked else edited).blocks
    return Edited(target.separator.join((target.text, *blocks)), blocks)
