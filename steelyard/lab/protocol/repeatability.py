"""Repeatability: whether a scorer gives the same text the same score, and by how much it differs from itself."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from steelyard.components.arithmetic.numbers import mean
from steelyard.lab.corpus import CorpusPage
from steelyard.lab.protocol.capture import AGAIN, CapturePlan, build_header, capture
from steelyard.lab.protocol.variants import Variant
from steelyard.lab.scorers.base import POINTS, Scorer

PAGES = 30  # that are scored again and again
TOLERANCE = 1e-9  # points


def measure_repeatability(
    pages: Sequence[CorpusPage], scorer: Scorer, plan: CapturePlan, times: int, *, jobs: int | None, quiet: bool
) -> dict[str, Any]:
    """Score some untouched pages several times, and return how far the scores of a page lie apart.

    `noise` is the standard deviation within a page, pooled over the pages.
    """
    step = max(1, len(pages) // PAGES)
    sample = pages[::step][:PAGES]
    variants = tuple(Variant(f"{AGAIN.name}-{number}") for number in range(1, times + 1))
    plan = replace(plan, variants=variants)
    captured = capture(sample, scorer, build_header(sample, "", "repeated", scorer, plan), plan, jobs=jobs, quiet=quiet)
    return summarise_repeats(
        [[values[POINTS] for values in variants.values()] for variants in captured.values().values()], times
    )


def summarise_repeats(scores: Sequence[Sequence[float]], times: int) -> dict[str, Any]:
    """Summarise the scores of each page that was scored every time."""
    complete = [page for page in scores if len(page) == times]
    if not complete or times < 2:
        return {"pages": len(complete), "times": times, "noise": None, "largest": None, "differing": 0}
    variances = [math.fsum((score - mean(page)) ** 2 for score in page) / (times - 1) for page in complete]
    ranges = [max(page) - min(page) for page in complete]
    return {
        "pages": len(complete),
        "times": times,
        "noise": math.sqrt(mean(variances)),
        "largest": max(ranges),
        "differing": sum(extent > TOLERANCE for extent in ranges),
    }


def measure_invariances(values: Mapping[str, Mapping[str, Mapping[str, float]]], names: Mapping[str, str]) -> list[Any]:
    """Return for each change of form how many pages it changes, and how far their scores move.

    Args:
        values: Source, then variant, then named values.
        names: The form of each variant.
    """
    rows = []
    for variant, form in names.items():
        moves = [
            abs(variants[variant][POINTS] - variants["base"][POINTS])
            for variants in values.values()
            if variant in variants and "base" in variants
        ]
        rows.append(
            {
                "form": form,
                "pages": len(moves),
                "moved": sum(move > TOLERANCE for move in moves),
                "mean": mean(moves) if moves else None,
                "largest": max(moves, default=None),
            }
        )
    return rows
