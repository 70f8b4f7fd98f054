"""Why each component is there, the attack it invites, and what the other stages measured of both."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from steelyard.components import NAMES
from steelyard.lab.protocol.gain import CARRIERS
from steelyard.lab.protocol.matrix import CARRIES
from steelyard.lab.protocol.variants import INTERVENTIONS
from steelyard.lab.study.findings import Titled
from steelyard.lab.study.roles import role
from steelyard.lab.study.wording import name, plain, signed
from steelyard.support.table import Column, Table

ResultOf = Callable[[str], Any]  # a stage's name to its result, or None where there is none


def nothing(stage: str) -> None:
    """No other stage was run."""


def tables(result: Mapping[str, Any], result_of: ResultOf = nothing) -> list[Titled]:
    """Two tables with a row per component; what is measured is empty where the stage that measures it is undefined."""
    why, attacks = [], []
    for n in NAMES:
        entry = result["components"][n]
        said = entry["rationale"]
        why.append([n, entry["measures"], said["because"], said["meant"], said["stays"]])
        attacks.append([n, said["attack"], said["bound"], measured(n, result_of) or None])
    return [
        Titled(
            "Why each component is there",
            _table(_WHY, why),
            "Reasons in words; what was measured stands in the next table.",
        ),
        Titled("What attack each invites", _table(_ATTACKS, attacks), _NOTE),
    ]


_WHY = ("component", "what it measures", "why that is read", "meant to carry", "why it stays")
_ATTACKS = ("component", "the attack it invites", "what bounds it", "measured here")
_NOTE = (
    "Measured: the edit that moves the component most (raw points at dose 1), where untouched pages lie, all that the "
    "lever's carrier could add to the score, and the role of its weight. A dash: no stage could tell."
)


def measured(component: str, result_of: ResultOf) -> str:
    """What matrix, gates and identify say of a component, in one line."""
    said = [
        *_moved(_at(result_of("matrix"), "matrix", component)),
        *_lies(_at(result_of("matrix"), "distribution", component)),
    ]
    for lever in (lever for lever, carrier in CARRIERS.items() if carrier == component):
        ceiling = _at(result_of("gates"), "ceilings", lever)
        said += [] if ceiling is None else [f"ceiling {signed(ceiling, 1)} of the score"]
    profiled = _at(result_of("identify"), "components", component)
    said += [] if profiled is None else [f"weight {role(profiled['admissible'])}"]
    return "; ".join(said)


def _moved(responses: Mapping[str, float] | None) -> list[str]:
    if responses is None:
        return []
    edit = max(INTERVENTIONS, key=lambda e: abs(responses[e]))
    if abs(responses[edit]) < CARRIES:
        return [f"no edit moves it by {CARRIES:g} points"]
    return [f"{name(edit)} {signed(responses[edit], 1)}"]


def _lies(spread: Mapping[str, float] | None) -> list[str]:
    if spread is None:
        return []
    if not spread["sd"]:
        return [f"{plain(spread['mean'], 0)} on every page"]
    ends = (("share_at_100", "at 100"), ("share_at_0", "at 0"))
    return [f"{where} on {spread[key]:.0%} of pages" for key, where in ends if spread[key] >= 0.005]


def _table(heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> Table:
    return Table([Column(head) for head in heads], rows)


def _at(result: Any, *path: str) -> Any:
    for key in path:
        result = result.get(key) if isinstance(result, Mapping) else None
    return result
