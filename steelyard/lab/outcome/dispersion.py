"""Error analysis: is the score right where it tells the sources apart, and could that serve as a confidence flag?

The flag is set on one half of the queries and judged on the other. It claims a direction, so the test is one-sided
(Welch's t); it is tried at two coverages, so p is doubled; and where the training half shows nothing in that direction,
there is nothing to confirm. The halves are fixed by the queries' hashes and never by the
seed of the resampling: another seed is no second try.
"""

from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from steelyard.components.arithmetic.numbers import mean
from steelyard.lab.corpus.corpus import SEED
from steelyard.lab.outcome.agreement import LEAST, SHIPPED, Query, Sample, figure, interval_of_mean, spearmans
from steelyard.lab.stats.bootstrap import bootstrap, interval, means, resamples
from steelyard.lab.stats.correlation import spearman
from steelyard.lab.stats.paired import beta_share, bonferroni
from steelyard.lab.stats.summary import deviation, quantile
from steelyard.support.artifacts import undefined
from steelyard.support.wording import counted

CONFIRMED, NOT_CONFIRMED = "confirmed", "not confirmed"
COVERAGES = {"median": 0.5, "upper quartile": 0.75}
FEW_VALUES = 3
DECIMALS = 2  # at which scores are the same value, as the paper's records hold them
LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class Point:
    """A query: the standard deviation of its sources' content, and how well content ordered them."""

    query: Query
    dispersion: float
    spearman: float


def half(queries: Iterable[Query]) -> frozenset[Query]:
    """The training queries: the half of them whose hashes come first."""
    ordered = sorted(
        set(queries), key=lambda q: hashlib.sha256(f"{SEED}|{q[0]}|{q[1]}".encode("utf-8", "replace")).digest()
    )
    return frozenset(ordered[: (len(ordered) + 1) // 2])


def dispersion(sample: Sample, train: frozenset[Query], *, draws: int, rng: random.Random) -> dict[str, Any]:
    """Quartiles of dispersion, answers of few distinct scores, and the flag; on shares averaged over the orders."""
    if not sample.records:
        return undefined("no answers")
    points = _points(sample)
    return {
        "n": len(points),
        "reading": sample.readings[-1],
        "quartiles": _quartiles(points, draws, rng),
        "trend": _trend(points, draws, rng),
        "distinct": _distinct(sample, draws, rng),
        "coverages": list(COVERAGES),
        "flag": _flags(points, train, draws, rng),
    }


def _points(sample: Sample) -> list[Point]:
    """One for each query that has a rank correlation; several records of one are averaged."""
    found: dict[Query, list[tuple[float, float]]] = {}
    for record, value in zip(sample.records, spearmans(sample.records, SHIPPED, sample.readings[-1]), strict=True):
        if value is not None:
            found.setdefault(record.query, []).append((deviation(record.scores[SHIPPED]), value))
    return [Point(query, mean([d for d, _ in of]), mean([r for _, r in of])) for query, of in found.items()]


def _part(points: Sequence[Point], draws: int, rng: random.Random) -> dict[str, Any]:
    return figure([p.query for p in points], [p.spearman for p in points], draws=draws, rng=rng)


def _quartiles(points: Sequence[Point], draws: int, rng: random.Random) -> list[dict[str, Any]] | dict[str, str]:
    """From the most compressed to the most dispersed."""
    if len(points) < 4 * LEAST:
        return undefined(f"{counted(len(points), 'query', 'queries')}, {4 * LEAST} are needed")
    cuts = [quantile([p.dispersion for p in points], q) for q in (0.25, 0.5, 0.75)]
    parts: list[list[Point]] = [[], [], [], []]
    for p in points:
        parts[sum(p.dispersion > cut for cut in cuts)].append(p)
    return [
        {
            "low": min((p.dispersion for p in part), default=None),
            "high": max((p.dispersion for p in part), default=None),
            **_part(part, draws, rng),
        }
        for part in parts
    ]


def _trend(points: Sequence[Point], draws: int, rng: random.Random) -> dict[str, Any]:
    """The rank correlation, over queries, of dispersion with the within-query correlation."""

    def statistic(drawn: Sequence[int]) -> float | None:
        return spearman([points[i].dispersion for i in drawn], [points[i].spearman for i in drawn])

    value = statistic(range(len(points)))
    if value is None or len(points) < LEAST:
        return {"n": len(points), "spearman": value, "interval": None}
    found = bootstrap(len(points), statistic, rng, draws) if draws else None
    return {"n": len(points), "spearman": value, "interval": [found.low, found.high] if found else None}


def _distinct(sample: Sample, draws: int, rng: random.Random) -> dict[str, Any]:
    """Answers whose sources take three or fewer values, and the rest; of those with more than three sources."""
    values = spearmans(sample.records, SHIPPED, sample.readings[-1])
    parts: dict[bool, list[tuple[Query, float | None]]] = {True: [], False: []}
    for record, value in zip(sample.records, values, strict=True):
        scores = record.scores[SHIPPED]
        if len(scores) > FEW_VALUES:
            parts[len({round(s, DECIMALS) for s in scores}) <= FEW_VALUES].append((record.query, value))
    few, more = (
        figure([q for q, _ in parts[side]], [v for _, v in parts[side]], draws=draws, rng=rng) for side in (True, False)
    )
    return {"at_most": FEW_VALUES, "few": few, "more": more}


def _flags(points: Sequence[Point], train: frozenset[Query], draws: int, rng: random.Random) -> dict[str, Any]:
    learnt, held = [p for p in points if p.query in train], [p for p in points if p.query not in train]
    if not learnt:
        return {name: undefined("no queries to set the threshold on") for name in COVERAGES}
    found: dict[str, Any] = {}
    for name, share in COVERAGES.items():
        threshold = quantile([p.dispersion for p in learnt], share)
        sides = {split: _contrast(of, threshold, draws, rng) for split, of in (("train", learnt), ("test", held))}
        found[name] = {"threshold": threshold, **sides}
    return {name: _verdict(flag) for name, flag in found.items()}


def _contrast(points: Sequence[Point], threshold: float, draws: int, rng: random.Random) -> dict[str, Any]:
    """The queries at or above the threshold against those below it; p is one-sided."""
    confident = [p.spearman for p in points if p.dispersion >= threshold]
    rest = [p.spearman for p in points if p.dispersion < threshold]
    test = welch(confident, rest)
    sides = {
        name: {"n": len(of), "mean": mean(of) if of else None, "interval": interval_of_mean(of, draws=draws, rng=rng)}
        for name, of in (("confident", confident), ("rest", rest))
    }
    return {
        **sides,
        "difference": mean(confident) - mean(rest) if confident and rest else None,
        "interval": _interval(confident, rest, draws, rng),
        "t": test[0] if test else None,
        "p": test[1] if test else None,
    }


def _interval(ones: Sequence[float], others: Sequence[float], draws: int, rng: random.Random) -> list[float] | None:
    """Of the difference of two means, each group resampled by itself."""
    if min(len(ones), len(others)) < LEAST or not draws:
        return None
    one, other = (means([of], resamples(len(of), draws, rng))[0] for of in (ones, others))
    return list(interval([a - b for a, b in zip(one, other, strict=True)]))


def welch(ones: Sequence[float], others: Sequence[float]) -> tuple[float, float] | None:
    """t of the difference of two means, and the chance of one as large; None of fewer than two or without variance."""
    if min(len(ones), len(others)) < 2:
        return None
    if all(min(of) == max(of) for of in (ones, others)):  # equal ones may differ from their rounded mean
        return None
    a, b = (deviation(of) ** 2 / len(of) for of in (ones, others))
    t = (mean(ones) - mean(others)) / math.sqrt(a + b)
    freedom = (a + b) ** 2 / (a * a / (len(ones) - 1) + b * b / (len(others) - 1))
    both = beta_share(freedom / (freedom + t * t), freedom / 2, 0.5)
    return t, both / 2 if t > 0 else 1 - both / 2


def _verdict(flag: dict[str, Any]) -> dict[str, Any]:
    """The flag with its corrected p and its verdict, undefined where a side of the test half is too small."""
    train, test = flag["train"], flag["test"]
    fewest = min(test[side]["n"] for side in ("confident", "rest"))
    if fewest < LEAST or test["p"] is None:
        why = f"{fewest} queries on one side of the test half, {LEAST} are needed" if fewest < LEAST else "no variance"
        return {**flag, "p_corrected": None, "verdict": undefined(why)}
    corrected = bonferroni([test["p"]] * len(COVERAGES))[0]
    shown = train["difference"] is not None and train["difference"] > 0
    return {**flag, "p_corrected": corrected, "verdict": CONFIRMED if shown and corrected < LEVEL else NOT_CONFIRMED}
