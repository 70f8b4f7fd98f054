"""The freshness ablation: blend against content on the same queries."""

from __future__ import annotations

import random

import pytest
from scipy import stats

from steelyard.lab.outcome.query_shares import Bootstrap
from steelyard.lab.outcome.score_agreement import Sample, ScoredAnswer, measure_freshness
from steelyard.scoring.page import blend


def record(query: str, shares: list[float], content: list[float], fresh: list[float]) -> ScoredAnswer:
    blended = tuple(blend(c, f) for c, f in zip(content, fresh, strict=True))
    scores = {"shipped": tuple(content), "blended": blended, "freshness": tuple(fresh)}
    return ScoredAnswer((query, ""), {"forward": tuple(shares)}, scores)


def found(*records: ScoredAnswer, draws: int = 0):
    return measure_freshness(Sample(records, ("forward",), {}), Bootstrap(draws, random.Random(0)))


def test_the_miniature_by_hand():
    # In `a` freshness lifts the first source over the second, and the order is that of the shares: 0.5 to 1.
    moved = record("a", [0.3, 0.2, 0.5], [60.0, 60.5, 70.0], [90.0, 50.0, 50.0])
    result = found(moved, record("b", [0.1, 0.2, 0.7], [50.0, 60.0, 70.0], [50.0, 50.0, 60.0]))
    of = result["by_order"]["forward"]
    assert (of["content"]["mean"], of["blended"]["mean"]) == (pytest.approx(0.75), pytest.approx(1.0))
    assert (of["difference"]["mean"], of["difference"]["n"], of["moved"]) == (pytest.approx(0.25), 2, 1)
    assert (result["sources"], result["with_evidence"], result["records"]) == (6, 2, 2)


def test_without_evidence_of_age_the_difference_is_exactly_zero_and_has_no_test():
    made = [record(str(i), [0.1, 0.3, 0.6], [50.0 + i, 60.0, 57.0], [50.0] * 3) for i in range(9)]
    of = found(*made, draws=20)["by_order"]["forward"]
    assert (of["difference"]["mean"], of["difference"]["interval"], of["moved"]) == (0.0, [0.0, 0.0], 0)
    assert (of["difference"]["t"], of["difference"]["p"]) == (None, None)


def test_all_three_figures_are_of_the_same_queries():
    # Contents tie and the blend does not: no pair, so neither side counts.
    of = found(
        record("tied", [0.1, 0.9], [60.0, 60.0], [50.0, 90.0]), record("b", [0.1, 0.9], [50.0, 60.0], [50.0, 50.0])
    )["by_order"]["forward"]
    assert [of[name]["n"] for name in ("content", "blended", "difference")] == [1, 1, 1]


def test_a_planted_effect_of_freshness_is_found_and_t_is_that_of_scipy():
    rng = random.Random(1)
    made = []
    for number in range(60):
        content = [rng.gauss(60, 1) for _ in range(5)]
        fresh = [rng.choice((20.0, 50.0, 95.0)) for _ in range(5)]
        made.append(record(str(number), [f + rng.gauss(0, 10) for f in fresh], content, fresh))
    of = found(*made, draws=200)["by_order"]["forward"]
    assert of["difference"]["interval"][0] > 0.2
    assert of["difference"]["p"] < 0.001
    values = [
        stats.spearmanr(r.scores["blended"], r.shares["forward"]).statistic
        - stats.spearmanr(r.scores["shipped"], r.shares["forward"]).statistic
        for r in made
    ]
    assert of["difference"]["t"] == pytest.approx(stats.ttest_1samp(values, 0).statistic)


def test_nothing_comes_of_nothing():
    result = found(draws=10)
    assert (result["sources"], result["with_evidence"]) == (0, 0)
    assert result["by_order"]["forward"]["difference"]["n"] == 0
    single = found(record("a", [1.0], [60.0], [90.0]), draws=10)
    assert single["by_order"]["forward"]["difference"]["mean"] is None
