"""Evaluation: every figure by hand, and one observation is a query."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import numpy as np
import pytest
from scipy import stats

from steelyard.components.arithmetic.numbers import mean
from steelyard.lab.ranking.dataset import Group, make_query_folds
from steelyard.lab.ranking.evaluate import (
    METRICS,
    MIN_QUERIES,
    SPEARMAN,
    Evaluation,
    compare,
    cross_validate,
    evaluate,
    run_trial,
    score_by_feature,
    summarise,
    summarise_by_tag,
)
from steelyard.lab.ranking.models import RIDGE_MODEL, Model, Predict
from steelyard.lab.ranking.prepare import Array, PreparedData
from steelyard.lab.stats.intervals import draw_resamples, percentile_interval
from tests.lab.ranking.sample_data import group, invent_data, prepared

UP, DOWN = [[1.0], [2.0], [3.0]], [[3.0], [2.0], [1.0]]
SHARES = (0.1, 0.3, 0.6)


def several(*of: tuple[str, str, Sequence[Sequence[float]]]) -> PreparedData:
    """(query, engine, feature of each source), where the last source is the most visible one."""
    return prepared([group(query, SHARES, engine) for query, engine, _ in of], [rows for *_, rows in of])


def values(**by_query: float) -> Evaluation:
    return Evaluation({SPEARMAN: by_query})


def test_no_group_is_scored_by_a_model_that_saw_its_query() -> None:
    made = invent_data(11, 3, names=("a", "b"))
    # The first feature is the query's number, so that a model sees whose groups it is given.
    for i, g in enumerate(made.data.groups):
        made.rows[i][:, 0] = int(g.query_id.removeprefix("q"))
    seen: list[tuple[set[int], list[int]]] = []

    def fit(rows: Sequence[Array], truth: Sequence[Array], seed: int) -> Predict:
        known = {int(x[0, 0]) for x in rows}
        assert (seed, len(rows)) == (7, len(truth))
        tested: list[int] = []
        seen.append((known, tested))

        def predict(new: Array) -> Array:
            assert new.shape == (5, 1), "the columns that were asked for"
            tested.append(int(new[0, 0]))
            return new[:, 0]

        return predict

    scores = cross_validate(made, ["a"], Model("spy", fit), make_query_folds(made.data.queries, seed=0), 7)
    assert sorted(scores) == list(range(33))
    assert len(seen) == 5
    for known, tested in seen:
        assert not known & set(tested)
        assert known | set(tested) == set(range(11))
    assert sorted(q for _, tested in seen for q in tested) == sorted(list(range(11)) * 3)


def test_one_observation_is_a_query_not_an_answer() -> None:
    """Of the first query one engine is met and one is missed, which is one zero and not a one and a minus one."""
    made = several(("q", "one", UP), ("q", "two", DOWN), ("r", "one", UP))
    found = evaluate(made, score_by_feature(made, "a"))
    assert found.by_query[SPEARMAN] == {"q": 0.0, "r": 1.0}
    assert found.values() == [0.0, 1.0]
    assert found.by_group == {0: 1.0, 1: -1.0, 2: 1.0}, "every answer, for the audit"
    assert summarise(found, draws=0, seed=0)[SPEARMAN] == {"n": 2, "mean": 0.5, "interval": None}


def test_every_metric_by_hand() -> None:
    made = several(("q", "one", [[1.0], [3.0], [2.0]]))
    found = evaluate(made, score_by_feature(made, "a"))
    assert list(found.by_query) == list(METRICS) == ["spearman", "hit@1", "mrr", "ndcg"]
    dcg = 0.3 + 0.6 / math.log2(3) + 0.1 / 2
    best = 0.6 + 0.3 / math.log2(3) + 0.1 / 2
    assert {m: found.by_query[m]["q"] for m in METRICS} == pytest.approx(
        {"spearman": 0.5, "hit@1": 0.0, "mrr": 0.5, "ndcg": dcg / best}
    )


def test_what_was_not_scored_or_has_no_order_is_not_judged() -> None:
    made = prepared([group("q", SHARES), group("r", SHARES), group("s", (0.5, 0.5))], [UP, UP, [[1.0], [2.0]]])
    found = evaluate(made, {0: made.rows[0][:, 0], 2: made.rows[2][:, 0]})
    assert found.by_query == {m: {"q": 1.0} for m in METRICS}


def test_the_interval_is_a_bootstrap_over_queries() -> None:
    rng = random.Random(4)
    found = Evaluation({m: {f"q{i}": rng.random() for i in range(30)} for m in METRICS})
    summary = summarise(found, draws=400, seed=9)
    for metric in METRICS:
        drawn = found.values(metric)
        means = [mean([drawn[i] for i in draw]) for draw in draw_resamples(30, 400, random.Random(f"9|{metric}|30"))]
        assert summary[metric]["interval"] == pytest.approx(list(percentile_interval(means)))
        assert (summary[metric]["n"], summary[metric]["mean"]) == (30, mean(drawn))
        assert summary[metric]["interval"][0] < mean(drawn) < summary[metric]["interval"][1]
    assert summarise(found, draws=400, seed=9) == summary
    assert summarise(found, draws=400, seed=8) != summary


def test_few_queries_have_a_mean_and_no_interval_and_none_have_no_mean() -> None:
    for number, draws, has_interval in ((MIN_QUERIES, 20, True), (MIN_QUERIES - 1, 20, False), (30, 0, False)):
        found = Evaluation({m: {f"q{i}": i / 10 for i in range(number)} for m in METRICS})
        assert (summarise(found, draws=draws, seed=0)[SPEARMAN]["interval"] is not None) is has_interval, number
    nothing = Evaluation({m: {} for m in METRICS})
    assert summarise(nothing, draws=20, seed=0)[SPEARMAN] == {"n": 0, "mean": None, "interval": None}


def test_a_comparison_by_hand_is_over_the_queries_that_have_both() -> None:
    one, other = values(a=0.5, b=0.25, c=1.0, only=1.0), values(c=0.25, b=0.0, a=0.0, another=-1.0)
    found = compare(one, other)
    assert found["n"] == 3
    assert found["difference"] == pytest.approx((0.5 + 0.25 + 0.75) / 3)
    assert found["t"] == pytest.approx(0.5 / (0.25 / math.sqrt(3)))
    assert found["wilcoxon_p"] == pytest.approx(0.25), "one in four: all signs alike, on either side"


def test_a_comparison_is_that_of_scipy() -> None:
    for number in (12, 200):
        rng = np.random.default_rng(number)
        x, y = rng.standard_normal(number), rng.standard_normal(number) + 0.3
        one, other = (values(**{f"q{i}": float(v) for i, v in enumerate(of)}) for of in (x, y))
        found = compare(one, other)
        t, w = stats.ttest_rel(x, y), stats.wilcoxon(x - y, correction=False)
        assert (found["n"], found["difference"]) == (number, pytest.approx((x - y).mean()))
        expected = t.confidence_interval(0.95)
        assert found["interval"] == pytest.approx([expected.low, expected.high])
        assert (found["t"], found["p"], found["wilcoxon_p"]) == pytest.approx((t.statistic, t.pvalue, w.pvalue))


def test_nothing_in_common_and_no_difference_have_no_p() -> None:
    nothing = {"interval": None, "t": None, "p": None, "wilcoxon_p": None}
    assert compare(values(a=1.0), values(b=1.0)) == {"n": 0, "difference": None, **nothing}
    same = values(a=0.5, b=0.1)
    assert compare(same, same) == {"n": 2, "difference": 0.0, **nothing}


def test_a_tag_has_the_mean_of_its_queries_with_its_standard_error() -> None:
    def tagged(i: int, engine: str) -> Group:
        return group(f"q{i}", SHARES, engine, tags=("all", *(["few"] if i < MIN_QUERIES - 1 else [])))

    groups = [tagged(i, engine) for i in range(10) for engine in ("one", "two")]
    found = summarise_by_tag(values(**{f"q{i}": i / 10 for i in range(10)}), groups)
    # Deviations of 0.0, 0.1, …, 0.9: a variance of 0.825/9.
    assert found == {"all": pytest.approx({"n": 10, "mean": 0.45, "error": math.sqrt(0.825 / 9 / 10)})}


def test_a_trial_is_judged_on_its_first_shuffle_and_spread_over_all() -> None:
    made = invent_data(15, 2, signal={"a": 1.0}, names=("a", "b"))
    found = run_trial(made, made.names, RIDGE_MODEL, seeds=(3, 4, 5))
    alone = [run_trial(made, made.names, RIDGE_MODEL, seeds=(seed,)) for seed in (3, 4, 5)]
    assert found.first == alone[0].first == evaluate(made, found.scores)
    known = [mean(t.first.values()) for t in alone]
    assert len({str([t.scores[i].tolist() for i in range(30)]) for t in alone}) == 3, "other folds"
    assert found.spread == pytest.approx((np.mean(known), np.std(known, ddof=1)))
    assert alone[0].spread is None
