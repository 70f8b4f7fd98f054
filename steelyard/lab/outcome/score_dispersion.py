"""Error analysis: is the score right where it separates the sources, and could that serve as a confidence flag?

The flag is set on one half of the queries and judged on the other. It claims a direction, so the test is one-sided
(Welch's t); it is tried at two coverages, so p is doubled; and if the training half shows nothing in that direction,
there is nothing to confirm. The halves are fixed by the queries' hashes and never by the seed of the resampling:
another seed is not a second try.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import scipy  # loads scipy.stats on first use, which takes most of a second

from steelyard.components.arithmetic.numbers import mean
from steelyard.lab.corpus import SEED
from steelyard.lab.outcome.query_shares import MIN_QUERIES, Bootstrap, Query, group_pairs
from steelyard.lab.outcome.score_agreement import SHIPPED, Sample, correlate
from steelyard.lab.stats.correlation import spearman
from steelyard.lab.stats.intervals import draw_resamples, percentile_interval, resample_means, standard_deviation
from steelyard.lab.stats.paired import bonferroni
from steelyard.support.artifacts import mark_undefined
from steelyard.support.formatting import format_count
from steelyard.support.quantile import quantile

CONFIRMED, NOT_CONFIRMED = "confirmed", "not confirmed"
COVERAGES = {"median": 0.5, "upper quartile": 0.75}
FEW_VALUES = 3
DECIMALS = 2  # to which scores are compared, as in the paper's records
LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class QueryPoint:
    """The standard deviation of a query's content scores, and how well content ordered its sources."""

    query: Query
    dispersion: float
    spearman: float


def draw_training_queries(queries: Iterable[Query]) -> frozenset[Query]:
    """Return the half of the queries whose hashes come first."""
    ordered = sorted(
        set(queries), key=lambda q: hashlib.sha256(f"{SEED}|{q[0]}|{q[1]}".encode("utf-8", "replace")).digest()
    )
    return frozenset(ordered[: (len(ordered) + 1) // 2])


def measure_dispersion(sample: Sample, train: frozenset[Query], bootstrap: Bootstrap) -> dict[str, Any]:
    """Return quartiles of dispersion, answers with few distinct scores, and the flag, from the last reading."""
    if not sample.records:
        return mark_undefined("no answers")
    correlations = correlate(sample.records, SHIPPED, sample.readings[-1])
    points = _make_points(sample, correlations)
    return {
        "n": len(points),
        "reading": sample.readings[-1],
        "quartiles": _describe_quartiles(points, bootstrap),
        "trend": _measure_trend(points, bootstrap),
        "distinct": _compare_distinct(sample, correlations, bootstrap),
        "coverages": list(COVERAGES),
        "flag": _test_flags(points, train, bootstrap),
    }


def _make_points(sample: Sample, correlations: Sequence[float | None]) -> list[QueryPoint]:
    """Return one point for each query that has a rank correlation, averaged over its records."""
    by_query = group_pairs(
        (record.query, (standard_deviation(record.scores[SHIPPED]), value))
        for record, value in zip(sample.records, correlations, strict=True)
        if value is not None
    )
    return [QueryPoint(query, *map(mean, zip(*pairs, strict=True))) for query, pairs in by_query.items()]


def _describe_quartiles(points: Sequence[QueryPoint], bootstrap: Bootstrap) -> list[dict[str, Any]] | dict[str, str]:
    """Describe the quartiles from the most compressed to the most dispersed queries."""
    if len(points) < 4 * MIN_QUERIES:
        return mark_undefined(f"{format_count(len(points), 'query', 'queries')}, {4 * MIN_QUERIES} are needed")
    cuts = [quantile([p.dispersion for p in points], q) for q in (0.25, 0.5, 0.75)]
    parts: list[list[QueryPoint]] = [[], [], [], []]
    for p in points:
        parts[sum(p.dispersion > cut for cut in cuts)].append(p)
    return [
        {
            "low": min((p.dispersion for p in part), default=None),
            "high": max((p.dispersion for p in part), default=None),
            **bootstrap.average_queries([p.query for p in part], [p.spearman for p in part]),
        }
        for part in parts
    ]


def _measure_trend(points: Sequence[QueryPoint], bootstrap: Bootstrap) -> dict[str, Any]:
    """Return the rank correlation, over queries, of dispersion with the within-query correlation."""

    def statistic(drawn: Sequence[int]) -> float | None:
        return spearman([points[i].dispersion for i in drawn], [points[i].spearman for i in drawn])

    value = statistic(range(len(points)))
    interval = None if value is None else bootstrap.interval(len(points), statistic)
    return {"n": len(points), "spearman": value, "interval": interval}


def _compare_distinct(sample: Sample, correlations: Sequence[float | None], bootstrap: Bootstrap) -> dict[str, Any]:
    """Compare answers with at most three different scores with the rest, among those with more sources."""
    sides: dict[str, list[tuple[Query, float | None]]] = {"few": [], "more": []}
    for record, value in zip(sample.records, correlations, strict=True):
        scores = record.scores[SHIPPED]
        if len(scores) > FEW_VALUES:
            is_few = len({round(s, DECIMALS) for s in scores}) <= FEW_VALUES
            sides["few" if is_few else "more"].append((record.query, value))
    averages = {
        name: bootstrap.average_queries([q for q, _ in side], [v for _, v in side]) for name, side in sides.items()
    }
    return {"at_most": FEW_VALUES, **averages}


def _test_flags(points: Sequence[QueryPoint], train: frozenset[Query], bootstrap: Bootstrap) -> dict[str, Any]:
    learnt, held = [p for p in points if p.query in train], [p for p in points if p.query not in train]
    if not learnt:
        return {name: mark_undefined("no queries to set the threshold on") for name in COVERAGES}
    flags: dict[str, Any] = {}
    for name, share in COVERAGES.items():
        threshold = quantile([p.dispersion for p in learnt], share)
        on_train, on_test = (_contrast(half, threshold, bootstrap) for half in (learnt, held))
        verdict = _judge_flag(on_train, on_test)
        flags[name] = {"threshold": threshold, "train": on_train, "test": on_test, **verdict}
    return flags


def _contrast(points: Sequence[QueryPoint], threshold: float, bootstrap: Bootstrap) -> dict[str, Any]:
    """Compare the queries at or above the threshold with those below it; p is one-sided."""
    confident = [p.spearman for p in points if p.dispersion >= threshold]
    rest = [p.spearman for p in points if p.dispersion < threshold]
    sides: dict[str, Any] = {
        name: {
            "n": len(side),
            "mean": mean(side) if side else None,
            "interval": bootstrap.interval_of_mean(side),
        }
        for name, side in (("confident", confident), ("rest", rest))
    }
    interval = None
    if min(len(confident), len(rest)) >= MIN_QUERIES and bootstrap.draws:  # each side is resampled on its own
        draws, rng = bootstrap.draws, bootstrap.rng
        means = (resample_means([side], draw_resamples(len(side), draws, rng))[0] for side in (confident, rest))
        interval = list(percentile_interval([a - b for a, b in zip(*means, strict=True)]))
    test = welch_t(confident, rest)
    return {
        **sides,
        "difference": mean(confident) - mean(rest) if confident and rest else None,
        "interval": interval,
        "t": test[0] if test else None,
        "p": test[1] if test else None,
    }


def welch_t(ones: Sequence[float], others: Sequence[float]) -> tuple[float, float] | None:
    """Return Welch's t and its one-sided p; None for fewer than two values on a side or no variance on either."""
    if min(len(ones), len(others)) < 2 or all(min(side) == max(side) for side in (ones, others)):
        return None
    # From the summaries, because scipy's own moments warn of nearly identical values.
    one, other = ((mean(side), standard_deviation(side), len(side)) for side in (ones, others))
    test = scipy.stats.ttest_ind_from_stats(*one, *other, equal_var=False, alternative="greater")
    return float(test.statistic), float(test.pvalue)


def _judge_flag(train: Mapping[str, Any], test: Mapping[str, Any]) -> dict[str, Any]:
    """Return the corrected p and the verdict, which is undefined if a side of the test half is too small."""
    fewest = min(test[side]["n"] for side in ("confident", "rest"))
    if fewest < MIN_QUERIES:
        why = f"{fewest} queries on one side of the test half, {MIN_QUERIES} are needed"
        return {"p_corrected": None, "verdict": mark_undefined(why)}
    if test["p"] is None:
        return {"p_corrected": None, "verdict": mark_undefined("no variance")}
    corrected = bonferroni([test["p"]] * len(COVERAGES))[0]
    is_shown = train["difference"] is not None and train["difference"] > 0 and corrected < LEVEL
    return {"p_corrected": corrected, "verdict": CONFIRMED if is_shown else NOT_CONFIRMED}
