"""The position effect: by hand, with a pure effect in every scheme of orders, and on degenerate answers."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import pytest
from scipy import stats

from steelyard.lab.outcome.experiment import list_orders
from steelyard.lab.outcome.position_effect import explain_variance, is_counterbalanced, measure_position
from steelyard.lab.outcome.query_shares import Bootstrap, QueryShares
from steelyard.lab.outcome.records.base import SourceRecord


def visible(query: str, by_place: Mapping[str, Sequence[float]], shown: Mapping[str, tuple[int, ...]]) -> QueryShares:
    """An answer given the shares at every place."""
    n = len(next(iter(shown.values())))
    by_order = {}
    for order, shares in by_place.items():
        placed = [0.0] * n
        for place, source in enumerate(shown[order]):
            placed[source] = shares[place]
        by_order[order] = tuple(placed)
    sources = tuple(SourceRecord(str(i), "") for i in range(n))
    return QueryShares("engine", "", query, query, "baseline", sources, shown, by_order)


def single(query: str, shares: Sequence[float]) -> QueryShares:
    return visible(query, {"forward": shares}, list_orders(len(shares), "single"))


def found(records: list[QueryShares], draws: int = 0):
    return measure_position(records, Bootstrap(draws, random.Random(0)))


def test_the_miniature_by_hand():
    result = found([single("a", [0.6, 0.3, 0.1]), single("b", [0.2, 0.5, 0.3])])
    effect = result["by_order"]["forward"]
    assert [place["mean"] for place in effect["shares"]] == pytest.approx([0.4, 0.4, 0.2])
    assert [(place["place"], place["n"]) for place in effect["shares"]] == [(1, 2), (2, 2), (3, 2)]
    assert effect["spearman"]["mean"] == pytest.approx((1 - 0.5) / 2)
    assert result["readings"] == ["forward"]
    assert result["between_orders"] == {"undefined": "asked in one order only"}
    # Centred on 1/3: place means 1/15, 1/15, -2/15, twice: 12/225; in all 0.38/3 + 0.14/3; 4 degrees, 2 left.
    raw = (12 / 225) / (0.38 / 3 + 0.14 / 3)
    assert effect["explained"] == pytest.approx(1 - (1 - raw) * 4 / 2)


def test_a_place_counts_in_the_order_it_was_shown():
    shown = {"forward": (0, 1, 2), "reversed": (2, 1, 0)}
    result = found([visible("a", {"forward": (0.5, 0.3, 0.2), "reversed": (0.7, 0.2, 0.1)}, shown)])
    assert [p["mean"] for p in result["by_order"]["reversed"]["shares"]] == pytest.approx([0.7, 0.2, 0.1])
    assert [p["mean"] for p in result["at_place"]] == pytest.approx([0.6, 0.25, 0.15])
    assert [p["mean"] for p in result["by_order"]["mean"]["shares"]] == pytest.approx([0.3, 0.25, 0.45])
    assert result["between_orders"]["mean"] == pytest.approx(-1.0)


def pure(scheme: str, effect: Sequence[float]) -> list[QueryShares]:
    shown = list_orders(len(effect), scheme)
    return [visible(str(i), dict.fromkeys(shown, effect), shown) for i in range(10)]


def test_an_even_effect_of_place_is_undone_by_the_reversed_order():
    result = found(pure("counterbalanced", [0.4, 0.3, 0.2, 0.1, 0.0]), draws=20)
    assert result["counterbalanced"] is True
    assert result["by_order"]["forward"]["spearman"]["mean"] == 1.0
    assert result["by_order"]["reversed"]["spearman"]["mean"] == 1.0
    assert result["by_order"]["forward"]["explained"] == pytest.approx(1.0)
    assert result["between_orders"]["mean"] == -1.0
    assert [p["mean"] for p in result["by_order"]["mean"]["shares"]] == pytest.approx([0.2] * 5)


def test_an_uneven_effect_leaves_a_bow_that_no_correlation_with_the_place_shows():
    left = found(pure("counterbalanced", [0.6, 0.1, 0.1, 0.1, 0.1]))["by_order"]["mean"]
    assert left["spearman"]["mean"] == pytest.approx(0.0)
    assert left["explained"] == pytest.approx(1.0)


def test_rotations_undo_any_effect_of_place():
    result = found(pure("latin", [0.6, 0.2, 0.1, 0.06, 0.04]))
    assert result["counterbalanced"] is True
    assert [p["mean"] for p in result["by_order"]["mean"]["shares"]] == pytest.approx([0.2] * 5)


def test_one_order_is_not_counterbalanced():
    assert not is_counterbalanced(single("a", [0.6, 0.4]))
    shown = {"forward": (0, 1, 2), "swapped": (1, 0, 2)}
    assert not is_counterbalanced(visible("a", {"forward": (1, 0, 0), "swapped": (1, 0, 0)}, shown))


def test_answers_of_one_order_do_not_enter_the_average_over_orders():
    result = found([*pure("counterbalanced", [0.5, 0.3, 0.2]), single("alone", [0.6, 0.3, 0.1])])
    assert result["readings"] == ["forward", "reversed", "mean"]
    assert result["by_order"]["forward"]["spearman"]["n"] == 11
    assert [p["n"] for p in result["by_order"]["mean"]["shares"]] == [10] * 3
    assert result["counterbalanced"] is True


def test_without_an_effect_nothing_is_explained_on_average_and_the_interval_covers_zero():
    rng = random.Random(3)
    shares, inside = [], 0
    for _ in range(100):
        records = [single(str(i), [rng.random() for _ in range(5)]) for i in range(12)]
        result = measure_position(records, Bootstrap(60, rng))["by_order"]["forward"]
        shares.append(result["explained"])
        inside += result["spearman"]["interval"][0] <= 0 <= result["spearman"]["interval"][1]
    assert abs(sum(shares) / 100) < 0.03
    assert 82 <= inside <= 100


def test_what_is_explained_is_the_adjusted_share_of_an_analysis_of_variance():
    rng = random.Random(4)
    rows = [[0.1 * place + rng.random() for place in range(4)] for _ in range(20)]
    centred = [[share - sum(row) / 4 for share in row] for row in rows]
    f = stats.f_oneway(*zip(*centred, strict=True)).statistic
    raw = f * 3 / (f * 3 + (80 - 4))  # eta squared of centred shares
    assert explain_variance(rows) == pytest.approx(1 - (1 - raw) * 60 / 57)


def test_what_cannot_vary_has_no_correlation_and_explains_nothing():
    for shares in ([1.0], [0.5, 0.5], [1 / 3] * 3):
        effect = found([single("a", shares)], draws=10)["by_order"]["forward"]
        assert (effect["spearman"]["n"], effect["spearman"]["mean"], effect["explained"]) == (0, None, None), shares
    assert explain_variance([[0.6, 0.4, 0.0]]) is None
    assert explain_variance([]) is None
    assert found([]) == {"undefined": "no answers"}


def test_answers_of_different_length_count_where_they_have_a_place():
    result = found([single("a", [0.6, 0.4]), single("b", [0.5, 0.3, 0.2])])["by_order"]["forward"]
    assert [(p["n"], p["mean"]) for p in result["shares"]] == [(2, 0.55), (2, 0.35), (1, 0.2)]
