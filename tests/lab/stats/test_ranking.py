"""Ranking measures against ir_measures where nothing is tied, and over every order of the ties where something is."""

import itertools
import math
import random
from collections.abc import Callable, Sequence

import ir_measures
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import RR, Success, nDCG

from steelyard.lab.stats.ranking import hit_at_1, mrr, ndcg, within_spearman

Measure = Callable[[Sequence[float], Sequence[float]], float | None]
MEASURES = (within_spearman, hit_at_1, mrr, ndcg)
REPEATABLE = settings(deadline=None, derandomize=True, max_examples=40)
GROUPS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=6)


def untied(seed: int) -> tuple[list[float], list[int]]:
    """Distinct predictions, and shares in thousandths: ir_measures wants whole numbers."""
    rng = random.Random(seed)
    n = 2 + seed % 11
    shares = [rng.choice((0, rng.randrange(1, 900))) for _ in range(n - 1)] + [1000]
    return rng.sample([i / 7 for i in range(-50, 50)], n), shares


def test_untied_measures_equal_those_of_ir_measures():
    for seed in range(12):
        predicted, shares = untied(seed)
        names = [f"s{i}" for i in range(len(shares))]
        best = max(shares)
        wanted = {ndcg: nDCG, mrr: RR(rel=best), hit_at_1: Success(rel=best) @ 1}
        judged, ranked = dict(zip(names, shares, strict=True)), dict(zip(names, predicted, strict=True))
        theirs = ir_measures.calc_aggregate(wanted.values(), {"q": judged}, {"q": ranked})
        for ours, measure in wanted.items():
            assert ours(predicted, [s / 1000 for s in shares]) == pytest.approx(theirs[measure], abs=1e-9), seed


def over_all_orders(measure: Measure, predicted: Sequence[float], visible: Sequence[float]) -> float:
    """The mean over all ways to break the ties, each of which is a strict order."""
    values = []
    for order in itertools.permutations(range(len(predicted))):
        if all(predicted[a] >= predicted[b] for a, b in itertools.pairwise(order)):
            strict = [0.0] * len(order)
            for place, source in enumerate(order):
                strict[source] = float(len(order) - place)
            value = measure(strict, visible)
            assert value is not None
            values.append(value)
    return math.fsum(values) / len(values)


@pytest.mark.parametrize("measure", [hit_at_1, mrr, ndcg], ids=lambda m: m.__name__)
@REPEATABLE
@given(GROUPS)
def test_with_ties_a_measure_is_its_mean_over_their_orders(measure: Measure, pairs: list[tuple[int, int]]):
    predicted, visible = [float(p) for p, _ in pairs], [v / 6 for _, v in pairs]
    value = measure(predicted, visible)
    if len(set(visible)) == 1:
        assert value is None
    else:
        assert value == pytest.approx(over_all_orders(measure, predicted, visible), abs=1e-12)


def test_a_prediction_that_says_nothing_gets_what_chance_would():
    same, visible = [0.3] * 4, [0.1, 0.2, 0.7, 0.0]
    assert within_spearman(same, visible) == 0.0 == pytest.approx(over_all_orders(within_spearman, same, visible))
    assert hit_at_1(same, visible) == 0.25
    assert mrr(same, visible) == pytest.approx((1 + 1 / 2 + 1 / 3 + 1 / 4) / 4)


def test_each_of_several_most_visible_sources_counts():
    assert hit_at_1([3, 2, 1], [0.4, 0.2, 0.4]) == 1.0
    assert hit_at_1([1, 2, 3], [0.4, 0.2, 0.4]) == 1.0
    assert mrr([1, 3, 2], [0.4, 0.2, 0.4]) == 0.5


def test_values_worked_out_by_hand():
    predicted, visible = [0.9, 0.5, 0.1], [0.2, 0.5, 0.3]
    assert within_spearman(predicted, visible) == pytest.approx(-0.5)
    assert hit_at_1(predicted, visible) == 0.0
    assert mrr(predicted, visible) == 0.5
    best = 0.5 + 0.3 / math.log2(3) + 0.2 / 2
    assert ndcg(predicted, visible) == pytest.approx((0.2 + 0.5 / math.log2(3) + 0.3 / 2) / best)


def test_without_an_order_to_predict_a_measure_is_undefined():
    for measure in MEASURES:
        for predicted, visible in (([], []), ([1.0], [0.4]), ([1.0, 2.0], [0.5, 0.5]), ([1, 2], [0, 0])):
            assert measure(predicted, visible) is None, (measure, predicted)


def test_what_cannot_be_compared_is_refused():
    for measure in MEASURES:
        for predicted, visible in (([1.0], [0.1, 0.2]), ([math.nan, 1.0], [0.1, 0.2]), ([1.0, 2.0], [0.1, math.inf])):
            with pytest.raises(ValueError, match=r"predictions for|NaN"):
                measure(predicted, visible)
    with pytest.raises(ValueError, match=r"-0\.1"):
        ndcg([1.0, 2.0], [-0.1, 0.2])


@pytest.mark.parametrize("measure", MEASURES, ids=lambda m: m.__name__)
@REPEATABLE
@given(GROUPS, st.randoms(use_true_random=False))
def test_the_order_of_the_sources_changes_nothing(measure: Measure, pairs: list[tuple[int, int]], rng: random.Random):
    shuffled = rng.sample(pairs, len(pairs))
    one, other = (measure([p for p, _ in each], [v for _, v in each]) for each in (pairs, shuffled))
    assert one == pytest.approx(other, abs=1e-12)
