"""Dispersion: quartiles, few values, and a flag that is confirmed only where there is something to confirm."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import pytest
from scipy import stats

from steelyard.lab.outcome.query_shares import MIN_QUERIES, Bootstrap, Query
from steelyard.lab.outcome.score_agreement import Sample, ScoredAnswer
from steelyard.lab.outcome.score_dispersion import (
    CONFIRMED,
    COVERAGES,
    NOT_CONFIRMED,
    draw_training_queries,
    measure_dispersion,
    welch_t,
)


def record(query: Query, shares: list[float], scores: list[float]) -> ScoredAnswer:
    return ScoredAnswer(query, {"forward": tuple(shares)}, {"shipped": tuple(scores)})


def sample(*records: ScoredAnswer) -> Sample:
    return Sample(records, ("forward",), {})


def found(made: Sample, draws: int = 0):
    return measure_dispersion(made, draw_training_queries(made.queries), Bootstrap(draws, random.Random(0)))


def graded(n: int) -> Sample:
    """Query i has scores i + 1 apart; the narrower half is ordered the wrong way, the wider half the right way."""
    records = []
    for i in range(n):
        scores = [50.0, 51.0 + i, 52.0 + 2 * i, 53.0 + 3 * i]
        records.append(record((str(i), ""), [0.1, 0.2, 0.3, 0.4] if i >= n / 2 else [0.4, 0.3, 0.2, 0.1], scores))
    return sample(*records)


def simulated(rng: random.Random, queries: int, gain: float) -> Sample:
    """Contents of a spread of their own; the wider, the more the shares follow them, `gain` times."""
    records = []
    for number in range(queries):
        spread = rng.uniform(0.5, 3.0)
        scores = [rng.gauss(60, spread) for _ in range(5)]
        shares = [gain * max(0.0, spread - 1.75) * (s - 60) / spread + rng.gauss(0, 1) for s in scores]
        records.append(record((f"{rng.random()}", str(number)), shares, scores))
    return sample(*records)


def test_quartiles_go_from_the_most_compressed_to_the_most_dispersed():
    result = found(graded(40), draws=20)
    quartiles = result["quartiles"]
    assert [q["n"] for q in quartiles] == [10] * 4
    assert [q["mean"] for q in quartiles] == pytest.approx([-1, -1, 1, 1])
    assert all(a["high"] <= b["low"] for a, b in itertools.pairwise(quartiles))
    assert quartiles[0]["low"] == pytest.approx(stats.tstd([50, 51, 52, 53]))
    expected = stats.spearmanr(range(40), [-1] * 20 + [1] * 20).statistic
    assert result["trend"]["spearman"] == pytest.approx(expected)
    assert result["trend"]["interval"][0] > 0.5


def test_few_queries_have_no_quartiles():
    assert found(graded(4 * MIN_QUERIES - 1))["quartiles"] == {
        "undefined": f"{4 * MIN_QUERIES - 1} queries, {4 * MIN_QUERIES} are needed"
    }


def test_answers_of_three_or_fewer_values_stand_apart():
    made = sample(
        record(("few", ""), [0.1, 0.2, 0.3, 0.4], [50.001, 50.002, 60.0, 70.0]),
        record(("more", ""), [0.4, 0.3, 0.2, 0.1], [50.0, 55.0, 60.0, 70.0]),
        record(("three sources", ""), [0.2, 0.3, 0.5], [50.0, 60.0, 70.0]),
        record(("one value", ""), [0.1, 0.2, 0.3, 0.4], [50.0] * 4),
    )
    distinct = found(made)["distinct"]
    assert (distinct["few"]["n"], distinct["few"]["mean"]) == (1, pytest.approx(1.0))
    assert (distinct["more"]["n"], distinct["more"]["mean"]) == (1, pytest.approx(-1.0))


def test_records_of_one_query_are_one_point():
    query = ("a", "")
    made = sample(record(query, [0.1, 0.9], [50.0, 60.0]), record(query, [0.9, 0.1], [50.0, 60.0]))
    result = found(made)
    assert result["n"] == 1
    assert result["distinct"]["more"]["n"] == 0  # of two sources


# The halves


def test_the_halves_depend_on_the_queries_alone():
    queries = [(str(i), "what is it") for i in range(101)]
    train = draw_training_queries(queries)
    assert len(train) == 51
    assert draw_training_queries(reversed(queries * 2)) == train
    assert draw_training_queries([]) == frozenset()
    assert len(draw_training_queries([("\ud800", "")])) == 1  # a text that is no UTF-8


# The flag


def test_a_real_gain_is_confirmed_on_the_half_that_did_not_set_the_threshold():
    result = found(simulated(random.Random(1), 240, 2.5), draws=30)
    flag = result["flag"]["median"]
    assert flag["verdict"] == CONFIRMED
    assert flag["test"]["difference"] > 0.2
    assert flag["test"]["interval"][0] > 0
    assert flag["test"]["confident"]["n"] + flag["test"]["rest"]["n"] == 120
    assert flag["train"]["confident"]["n"] == 60
    assert result["flag"]["upper quartile"]["train"]["confident"]["n"] == 30


@pytest.mark.full
def test_without_a_gain_hardly_any_flag_is_confirmed():
    rng = random.Random(2)
    verdicts: Counter[str] = Counter()
    for _ in range(150):
        made = simulated(rng, 100, 0.0)
        result = measure_dispersion(made, draw_training_queries(made.queries), Bootstrap(0, rng))
        verdicts.update(str(result["flag"][name]["verdict"]) for name in COVERAGES)
    assert verdicts[NOT_CONFIRMED] > 250
    assert verdicts[CONFIRMED] <= 10


def test_the_test_is_one_sided_and_paid_for_twice():
    flag = found(simulated(random.Random(3), 120, 0.5))["flag"]["median"]
    assert flag["p_corrected"] == pytest.approx(min(1.0, 2 * flag["test"]["p"]))


def halves_made(n: int, train_sign: int) -> Sample:
    """A gain on the test half; on the training half the same, or its inversion."""
    queries = [(str(i), "") for i in range(n)]
    train = draw_training_queries(queries)
    rng = random.Random(5)
    records = []
    for number, query in enumerate(queries):
        wide = number % 2
        scores = [50.0, 50.0 + 1 + 5 * wide + rng.random(), 53.0 + 10 * wide, 55.0 + 20 * wide]
        up = bool(wide) == (query not in train or train_sign > 0)
        shares = [0.1, 0.2, 0.3, 0.4] if up else [0.4, 0.3, 0.2, 0.1]
        if rng.random() < 0.2:
            rng.shuffle(shares)
        records.append(record(query, shares, scores))
    return sample(*records)


def test_what_the_training_half_denies_the_test_half_cannot_confirm():
    straight, inverted = (found(halves_made(80, sign))["flag"]["median"] for sign in (1, -1))
    assert straight["verdict"] == CONFIRMED
    assert inverted["p_corrected"] < 0.05
    assert inverted["verdict"] == NOT_CONFIRMED


@pytest.mark.parametrize("n", [1, 2, 10])
def test_a_flag_on_few_queries_is_undefined(n: int):
    result = found(graded(n), draws=10)
    assert all("undefined" in result["flag"][name]["verdict"] for name in COVERAGES)


def test_equal_dispersion_flags_everything_and_confirms_nothing():
    made = sample(*(record((str(i), ""), [0.1, 0.2, 0.7], [50.0, 60.0, 70.0]) for i in range(60)))
    flag = found(made, draws=10)["flag"]["median"]
    assert flag["test"]["rest"] == {"n": 0, "mean": None, "interval": None}
    assert "undefined" in flag["verdict"]


def test_no_answers_and_answers_without_variance_are_undefined():
    assert found(sample()) == {"undefined": "no answers"}
    result = found(sample(record(("a", ""), [1.0], [60.0])), draws=10)
    assert result["n"] == 0
    assert result["trend"] == {"n": 0, "spearman": None, "interval": None}
    assert result["flag"]["median"] == {"undefined": "no queries to set the threshold on"}


# Welch


@pytest.mark.parametrize(
    ("ones", "others"),
    [([0.1, 0.5, 0.3], [0.0, -0.2, 0.1, 0.4]), ([-0.5, -0.1], [0.3, 0.9, 0.2]), ([0.5, 0.5001], [0.1, 0.2])],
)
def test_welch_is_that_of_scipy(ones: list[float], others: list[float]):
    expected = stats.ttest_ind(ones, others, equal_var=False, alternative="greater")
    assert welch_t(ones, others) == pytest.approx((expected.statistic, expected.pvalue))


@pytest.mark.parametrize(("ones", "others"), [([], []), ([1.0], [0.0, 1.0]), ([0.1] * 3, [0.7] * 3)])
def test_welch_needs_two_of_each_and_some_variance(ones: list[float], others: list[float]):
    assert welch_t(ones, others) is None
