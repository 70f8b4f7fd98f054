"""The rule that picks the default edition of `score`, applied to the figures of the comparison."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from steelyard.lab.protocol.gates import GATES
from steelyard.scoring import editions

CANDIDATE, REFERENCE = "2026", editions.PAPER
DECIDING = ("en", "fr")  # languages that both have
SPLITS = ("train", "test")
Estimate = Mapping[str, Any]  # `mean`, `n` pages, `interval`


class Condition(NamedTuple):
    """One condition of the rule, whether it holds, and the figures that decide it."""

    text: str
    holds: bool
    detail: str


def apply_rule(result: Mapping[str, Any]) -> list[Condition]:
    """Return the rule's conditions with what was measured; the candidate becomes the default if all hold."""
    return [_judge_gates(result), _judge_attackers(result), _judge_grades(result)]


def _judge_gates(result: Mapping[str, Any]) -> Condition:
    passed = {
        f"{code} {split}": result["languages"][code]["editions"][CANDIDATE]["passed"][split]
        for code in DECIDING
        if code in result["languages"]
        for split in SPLITS
    }
    holds = len(passed) == len(DECIDING) * len(SPLITS) and all(n == len(GATES) for n in passed.values())
    detail = ", ".join(f"{name} {n} of {len(GATES)}" for name, n in passed.items())
    return Condition("it passes all five gates on both halves in English and French", holds, detail or "not measured")


def _judge_attackers(result: Mapping[str, Any]) -> Condition:
    compared = list(_compare_attackers(result))
    measured = [(ours, paper) for _, ours, paper in compared if ours and paper]
    worse = [
        f"{name} not measured"
        if not ours or not paper
        else f"{name} {ours['mean']:+.2f} against {paper['mean']:+.2f} on {ours['n']} pages"
        for name, ours, paper in compared
        if not ours or not paper or ours["mean"] > paper["mean"]
    ]
    worse += [f"{code} not measured" for code in DECIDING if code not in result["languages"]]
    detail = "; ".join(worse) if worse else f"{_count_attackers(measured)}, none gains more on average"
    overlapping = sum(_overlap(ours["interval"], paper["interval"]) for ours, paper in measured)
    return Condition(
        "it gives no attacker more than the paper edition does",
        not worse,
        f"{detail}; for {overlapping} of {len(compared)} the 95% intervals over pages overlap",
    )


def _count_attackers(measured: Sequence[tuple[Estimate, Estimate]]) -> str:
    numbers = sorted({estimate["n"] for pair in measured for estimate in pair})
    pages = f"{numbers[0]} to {numbers[-1]}" if len(numbers) > 1 else f"{numbers[0]}"
    return f"{len(measured)} attackers compared on {pages} pages each"


def _overlap(one: Sequence[float] | None, other: Sequence[float] | None) -> bool:
    """Tell whether two intervals share a point; too few pages for an interval exclude nothing."""
    return one is None or other is None or (one[0] <= other[1] and other[0] <= one[1])


def _compare_attackers(result: Mapping[str, Any]) -> Iterator[tuple[str, Estimate | None, Estimate | None]]:
    """Yield each attacker with its gain under the candidate and under the reference; None where it is missing."""
    for code in DECIDING:
        if code in result["languages"]:
            of_language = result["languages"][code]["editions"]
            ours, paper = of_language[CANDIDATE]["attackers"], of_language[REFERENCE]["attackers"]
            yield from (
                (f"{code} {name.replace('_', ' ')}", ours.get(name), paper.get(name)) for name in {**ours, **paper}
            )


def _judge_grades(result: Mapping[str, Any]) -> Condition:
    pairs = {
        view: (scorers[CANDIDATE]["spearman"], scorers[REFERENCE]["spearman"])
        for view, scorers in result["grades"].items()
    }
    holds = bool(pairs) and all(
        ours is not None and paper is not None and ours > paper for ours, paper in pairs.values()
    )
    detail = ", ".join(f"{view} {_two(ours)} against {_two(paper)}" for view, (ours, paper) in pairs.items())
    return Condition("it agrees better with the readers' grades", holds, detail or "not measured")


def _two(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"
