"""Arms: what is done to the target before the engine sees it, by name, and the sets of them that a user can name.

An arm whose name ends in `_lever_1` belongs to the arm `_control_1` of the same lever: the same text without what the
lever is named after. A user's own arms are texts, so they can be anything; names of this form are paired too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from steelyard.errors import SteelyardError, suggest_name
from steelyard.lab import edits
from steelyard.lab.edits.base import Target
from steelyard.lab.edits.controls.matched import MATCHED
from steelyard.lab.edits.controls.stuffed import STUFFED
from steelyard.lab.edits.postconditions import check_rearrangement
from steelyard.lab.edits.rearrangements import REARRANGEMENTS, OwnDateFirst, Rearrangement
from steelyard.lab.outcome.records.base import BASELINE
from steelyard.lab.protocol.controls import PANEL
from steelyard.lab.protocol.variants import FILLER, FRESHNESS, INTERVENTIONS, LEVERS, OPEN, STRUCTURE

CONTROL = FILLER
OWN = "own"  # all arms that the questions define
NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
_PAIRED = re.compile(r"([a-z0-9_]+)_(lever|control)_([1-9][0-9]{0,2})")

Arm = Callable[[Target, int], str]


def _apply_edit(name: str, target: Target, seed: int) -> str:
    return edits.apply_edits([edits.BY_NAME[name]], target, dose=1, seed=seed).text


def _rearrange(edit: Rearrangement, target: Target, seed: int) -> str:
    return check_rearrangement(edit, target, edit.apply(target, seed=seed))


# Name → the text of the target with a seed; the baseline changes nothing.
ARMS: Mapping[str, Arm] = {
    BASELINE: lambda target, seed: target.text,
    **{name: partial(_apply_edit, name) for name in edits.BY_NAME},
    **{edit.name: partial(_rearrange, edit) for edit in REARRANGEMENTS},
}
# Those with a published effect, of which three are the paper's, those without one, and each beside its control.
LEVER_SETS: Mapping[str, tuple[str, ...]] = {
    "five": INTERVENTIONS,
    "three": LEVERS,
    "structure": STRUCTURE,
    "freshness": FRESHNESS,
    "all": (*INTERVENTIONS, *OPEN),
    "matched": tuple(edit.name for edit in (*MATCHED, *STUFFED)),
    "panel": PANEL[1:],
    "short": tuple(edit.name for edit in edits.SHORT),
    "rearranged": tuple(edit.name for edit in REARRANGEMENTS if not isinstance(edit, OwnDateFirst)),
    "dated": tuple(edit.name for edit in REARRANGEMENTS if isinstance(edit, OwnDateFirst)),
    "none": (),
}
SHORT = "_short"  # how the lever of a short block ends
SHORT_FILLER = CONTROL + SHORT  # filler of a short block's length
CONTROLS = frozenset((*PANEL, SHORT_FILLER, "filler_paragraph"))  # arms that are no lever


class Paired(NamedTuple):
    """What the name of an arm says: its lever, whether it is the lever or its control, and which template."""

    lever: str
    inert: bool
    template: int


def list_arms(levers: str, own: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the arms of an experiment, in the order in which they are asked: sets or names, with commas between.

    The untouched page comes first and the filler last, or the page alone for `none`; `own` are the user's arms.
    """
    chosen: dict[str, None] = {}
    for name in levers.split(","):
        if name == OWN and own:
            chosen |= dict.fromkeys(own)
        elif name in LEVER_SETS:
            chosen |= dict.fromkeys(LEVER_SETS[name])
        elif name in ARMS or name in own:
            chosen[name] = None
        else:
            known = (*LEVER_SETS, *own, *ARMS)
            sets = ", ".join(LEVER_SETS)
            raise SteelyardError(
                f"no arm or set of arms {name!r}{suggest_name(name, known)} (sets: {sets}; for the texts in the "
                f"questions: {OWN}; or the name of an edit)"
            )
    if not chosen:
        return (BASELINE,)
    return (BASELINE, *(name for name in chosen if name not in (BASELINE, CONTROL)), CONTROL)


def read_pairing(name: str) -> Paired | None:
    """Return what the name of an arm says of its lever and control; None for another arm."""
    match = _PAIRED.fullmatch(name)
    return Paired(match[1], match[2] == "control", int(match[3])) if match else None


def list_unpaired_levers(arms: Collection[str]) -> list[str]:
    """Return the levers among some arms that have no control of their own: they are compared with filler."""
    return [arm for arm in arms if arm not in (BASELINE, *CONTROLS) and read_pairing(arm) is None]
