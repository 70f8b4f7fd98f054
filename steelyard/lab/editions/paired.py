"""Attackers under two editions, on the same pages: how much more one gives each of them than the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steelyard.components.arithmetic.numbers import mean
from steelyard.lab.editions.attackers import ATTACKERS, LEAST, Gains
from steelyard.lab.stats.paired import t_interval

ALPHA = 0.05

Paired = dict[str, dict[str, Any]]  # by attacker


def compare_gains(
    languages: Mapping[str, tuple[Mapping[str, Gains], Mapping[str, Gains]]],
) -> dict[str, Paired]:
    """Return by language what every attacker gains more under the first edition than under the second.

    Each has `n`, the pages on which both were measured, both means over these pages, the mean `difference`, Student's
    95% `interval` of it, and the same interval `corrected` by Bonferroni for all attackers that count, in all
    languages together. An attacker on fewer pages than `LEAST` does not count and has no corrected interval.
    """
    pairs = {
        code: {name: _pair(first.get(name, {}), second.get(name, {})) for name in ATTACKERS}
        for code, (first, second) in languages.items()
    }
    count = sum(len(pair) >= LEAST for of_language in pairs.values() for pair in of_language.values())
    return {
        code: {name: _compare(pair, count) for name, pair in of_language.items()} for code, of_language in pairs.items()
    }


def _pair(first: Gains, second: Gains) -> list[tuple[float, float]]:
    return [(gain, second[page]) for page, gain in first.items() if page in second]


def _compare(pair: list[tuple[float, float]], count: int) -> dict[str, Any]:
    differences = [a - b for a, b in pair]
    return {
        "n": len(pair),
        "first": mean([a for a, _ in pair]) if pair else None,
        "second": mean([b for _, b in pair]) if pair else None,
        "difference": mean(differences) if pair else None,
        "interval": _find_interval(differences, ALPHA),
        "corrected": _find_interval(differences, ALPHA / count) if len(pair) >= LEAST else None,
    }


def _find_interval(differences: list[float], alpha: float) -> list[float] | None:
    """Return Student's interval; equal differences leave nothing to chance, so that theirs has no width."""
    if len(differences) > 1 and min(differences) == max(differences):
        return [differences[0], differences[0]]
    return t_interval(differences, alpha)
