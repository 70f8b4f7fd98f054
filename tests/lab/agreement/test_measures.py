"""AUC and Spearman with labels: by hand, against scipy, and where neither figure nor interval can be given."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import pytest
from scipy import stats

from steelyard.lab.agreement import AUC, SPEARMAN
from steelyard.lab.agreement.measures import MIN_OF_LABEL, Sample, compare, measure
from steelyard.lab.stats.intervals import MIN_PAGES

DRAWS = 200


def make(n: int = 60, *, seed: int = 1, noise: float = 1.0, levels: int = 0) -> tuple[list[float], list[float]]:
    """Return labels of 0 and 1 and values that agree with them somewhat, rounded to a few levels if asked."""
    rng = random.Random(seed)
    labels = [float(rng.random() < 0.4) for _ in range(n)]
    values = [label + rng.gauss(0, noise) for label in labels]
    return labels, [float(round(v * levels)) for v in values] if levels else values


def run(labels: list[float | None], which: str = AUC, **columns: list[float | None]) -> dict[str, Any]:
    found = compare(labels, columns, which, pairs=list(pairwise(columns)), draws=DRAWS, seed="s")
    return {**found["scorers"], **found["differences"]}


def test_auc_and_spearman_by_hand() -> None:
    assert measure([1, 1, 0, 0], [3, 2, 1, 0], AUC) == 1.0
    assert measure([1, 1, 0, 0], [0, 1, 2, 3], AUC) == 0.0
    assert measure([1, 1, 0, 0], [3, 1, 2, 0], AUC) == 0.75  # three of four pairs
    assert measure([1, 1, 0, 0], [2, 1, 1, 0], AUC) == 0.875  # a tie is half a pair
    assert measure([7, 7, -2, -2], [3, 1, 2, 0], AUC) == 0.75  # the higher label, whatever the two are
    assert measure([1, 2, 3], [10, 20, 40], SPEARMAN) == pytest.approx(1.0)
    assert measure([1, 2, 3], [9, 5, 1], SPEARMAN) == pytest.approx(-1.0)
    assert measure([1, 2, 3, 4], [1, 2, 4, 3], SPEARMAN) == pytest.approx(0.8)  # 1 - 6 * 2 / (4 * 15)


def test_they_are_those_of_scipy_with_and_without_ties() -> None:
    for seed in range(8):
        for levels in (0, 1, 2):
            labels, values = make(seed=seed, levels=levels)
            ones, zeros = ([v for v, label in zip(values, labels, strict=True) if label == k] for k in (1, 0))
            expected = stats.mannwhitneyu(ones, zeros).statistic / (len(ones) * len(zeros))
            assert measure(labels, values, AUC) == pytest.approx(expected), (seed, levels)
            graded = [label + round(v) / 3 for label, v in zip(labels, reversed(values), strict=True)]
            expected = stats.spearmanr(values, graded).statistic
            assert measure(graded, values, SPEARMAN) == pytest.approx(expected), (seed, levels)


def test_a_resample_has_the_figure_of_its_documents() -> None:
    for which in (AUC, SPEARMAN):
        labels, values = make(levels=2)
        sample = Sample(labels, which, DRAWS, "s")
        assert sample._draws is not None
        for draw, found in zip(sample._draws.tolist()[:50], sample.resample(values), strict=False):
            expected = measure([labels[i] for i in draw], [values[i] for i in draw], which)
            assert found == pytest.approx(expected), which


def test_a_constant_scorer_has_half_the_pairs_and_no_correlation() -> None:
    labels, _ = make()
    constant: list[float | None] = [3.0] * len(labels)
    assert run([*labels], constant=constant)["constant"] == {
        "n": 60, "value": 0.5, "interval": None, "reason": "all resamples give the same figure, so they show no spread"
    }  # fmt: skip
    found = run([*labels], SPEARMAN, constant=constant, other=[*make(seed=2)[1]])
    assert (found["constant"]["value"], found["constant"]["reason"]) == (None, "all documents have the same value")
    assert found["constant - other"]["value"] is None


def test_a_perfect_scorer_has_no_interval_rather_than_one_without_width() -> None:
    labels, _ = make()
    found = run([*labels], perfect=[*labels])["perfect"]
    assert (found["value"], found["interval"]) == (1.0, None)
    assert "no spread" in found["reason"]


def test_an_interval_holds_its_figure_and_a_paired_one_is_narrower_than_two() -> None:
    labels, values = make(200)
    rng = random.Random(3)
    nearly = [v + rng.gauss(0, 0.05) for v in values]
    found = run([*labels], one=[*values], other=[*nearly])
    ends = {}
    for name in ("one", "other", "one - other"):
        low, high = found[name]["interval"]
        assert low <= found[name]["value"] <= high, name
        ends[name] = high - low
    assert ends["one - other"] < 0.3 * ends["one"]


def test_a_set_too_small_for_an_interval_is_said() -> None:
    labels, values = make(MIN_PAGES - 1)
    assert "9 of the 10 documents" in run([*labels], x=[*values])["x"]["reason"]
    few = [1.0] * (MIN_OF_LABEL - 1) + [0.0] * 30
    found = run([*few], x=[*make(34)[1]])["x"]
    assert found["value"] is not None
    assert (found["interval"], found["reason"]) == (None, "4 documents of one label, and an interval needs 5")
    assert run([1.0] * 20, x=[*make(20)[1]])["x"]["reason"] == "all documents have the same label"
    assert run([], x=[])["x"]["reason"] == "no document has both a label and a value"
    rare: list[float | None] = [1.0, *[0.0] * 39]
    found = run([*make(40)[1]], SPEARMAN, rare=rare)["rare"]
    assert (found["interval"], found["reason"][:12]) == (None, "no figure in")


def test_what_has_no_label_or_no_value_counts_nowhere() -> None:
    labels, values = make()
    whole = run([*labels], x=[*values])["x"]
    padded = run([*labels, None, None, 1.0], x=[*values, 5.0, None, None])["x"]
    assert padded == whole
    found = run([*labels], x=[*values], y=[None, *values[1:]])
    assert (found["x"]["n"], found["y"]["n"], found["x - y"]["n"]) == (60, 59, 59)
    assert found["x - y"]["value"] == 0.0


def test_two_runs_are_equal_and_another_seed_is_not() -> None:
    labels, values = make()
    first, second = (run([*labels], x=[*values]) for _ in range(2))
    assert first == second
    other = compare(labels, {"x": values}, AUC, pairs=(), draws=DRAWS, seed="t")["scorers"]["x"]
    assert other["value"] == first["x"]["value"]
    assert other["interval"] != first["x"]["interval"]
