"""Paired effects: against scipy, by simulation, by hand, and where a pair is missing."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy import stats

from steelyard.lab.outcome.arms import CONTROL
from steelyard.lab.outcome.effects import (
    AVERAGED,
    POOLED,
    measure_effects,
    measure_filler,
    measure_rewrites,
    pair_arms,
    summarize_differences,
)
from steelyard.lab.outcome.query_shares import QueryShares
from steelyard.lab.outcome.records.b2b import FALLBACK, Rewrite
from steelyard.lab.outcome.records.base import BASELINE, SourceRecord
from steelyard.lab.protocol.variants import LEVERS
from steelyard.support.artifacts import round_floats, to_json

QUOTATION, STATISTICS, CITE = LEVERS
SOURCES = (SourceRecord("0", "salt"), SourceRecord("1", "ice"))


def visible(
    query: str, arm: str, share: float | Mapping[str, float], engine: str = "engine", *, target: int | None = 1
) -> QueryShares:
    """An answer over two sources in which the second, the target, has this share: in one order, or in each of them."""
    given = {"forward": share} if isinstance(share, float) else share
    by_order = {order: (1 - s, s) for order, s in given.items()}
    shown = dict.fromkeys(by_order, (0, 1))
    return QueryShares(engine, "", query, query, arm, SOURCES, shown, by_order, target)


def answers(differences: Sequence[float], *, engine: str = "engine", lever: str = QUOTATION) -> list[QueryShares]:
    """One query for each difference of the lever to its filler, whose own share changes from query to query."""
    found = []
    for number, difference in enumerate(differences):
        filler = 0.3 + number % 7 / 50
        found += [visible(f"q{number}", CONTROL, filler, engine)]
        found += [visible(f"q{number}", lever, filler + difference, engine)]
    return found


def noise(seed: int, n: int, effect: float = 0.0) -> list[float]:
    """Differences as far apart as shares of real answers are: about twelve points."""
    rng = random.Random(seed)
    return [rng.gauss(effect, 0.12) for _ in range(n)]


def pooled(kept: Sequence[QueryShares], lever: str = QUOTATION, **options: Any) -> dict[str, Any]:
    found: dict[str, Any] = measure_effects(kept, **options)[POOLED][lever][AVERAGED]
    return found


# Against scipy


@pytest.mark.parametrize("seed", range(12))
def test_the_tests_of_an_effect_equal_scipys(seed: int) -> None:
    n = (8, 12, 25, 49, 60, 200)[seed % 6]
    differences = noise(seed, n, 0.01 * (seed % 4))
    kept = answers(differences)
    found = pooled(kept, draws=0)
    lever = [v.by_order["forward"][1] for v in kept if v.arm == QUOTATION]
    filler = [v.by_order["forward"][1] for v in kept if v.arm == CONTROL]
    t, single = stats.ttest_rel(lever, filler), stats.ttest_1samp(differences, 0)
    assert (found["t"], found["t_p"]) == pytest.approx((t.statistic, t.pvalue), rel=1e-6)
    assert (found["t"], found["t_p"]) == pytest.approx((single.statistic, single.pvalue), rel=1e-6)
    ranked = stats.wilcoxon(lever, filler, correction=False, method="exact" if n <= 50 else "approx")
    assert found["wilcoxon_p"] == pytest.approx(ranked.pvalue, rel=1e-9)
    ups = sum(d > 0 for d in differences)
    assert found["sign_p"] == pytest.approx(stats.binomtest(ups, n, 0.5).pvalue, rel=1e-9)
    assert (found["n"], found["up"], found["down"], found["same"]) == (n, ups, n - ups, 0)
    assert found["mean"] == pytest.approx(np.mean(differences))
    assert found["t_p_bonferroni"] == found["t_p"]  # one lever


def test_the_interval_is_about_scipys_percentile_interval() -> None:
    differences = [d * d for d in noise(3, 150)]  # skewed, as shares are
    low, high = summarize_differences(differences, draws=4000, rng=random.Random(0))["interval"]
    expected = stats.bootstrap(
        (differences,), np.mean, n_resamples=4000, method="percentile", rng=np.random.default_rng(0)
    ).confidence_interval
    width = expected.high - expected.low
    assert (low, high) == pytest.approx((expected.low, expected.high), abs=0.05 * width)


# By simulation


@pytest.mark.full
def test_without_an_effect_the_interval_covers_zero_nineteen_times_in_twenty() -> None:
    simulations = 500
    covered = rejected = 0
    for seed in range(simulations):
        found = pooled(answers(noise(seed, 200)), draws=400, seed=seed)
        covered += found["interval"][0] <= 0 <= found["interval"][1]
        rejected += found["t_p"] < 0.05
    assert 0.93 <= covered / simulations <= 0.97
    assert 0.03 <= rejected / simulations <= 0.07


# Pairing


def test_the_effect_is_the_lever_less_the_filler_on_the_same_query_in_the_same_order() -> None:
    kept = [
        visible("a", BASELINE, {"forward": 0.9, "reversed": 0.8}),
        visible("a", CONTROL, {"forward": 0.2, "reversed": 0.5}),
        visible("a", QUOTATION, {"forward": 0.5, "reversed": 0.4}),
        visible("b", CONTROL, {"forward": 0.1, "reversed": 0.1}),
        visible("b", QUOTATION, {"forward": 0.3, "reversed": 0.7}),
    ]
    a, b = pair_arms(kept, QUOTATION)
    assert a == pytest.approx({"forward": 0.3, "reversed": -0.1})
    assert b == pytest.approx({"forward": 0.2, "reversed": 0.6})
    row = measure_effects(kept, draws=0)[POOLED][QUOTATION]
    assert row[AVERAGED]["mean"] == pytest.approx(0.25)
    assert row["orders"]["forward"]["mean"] == pytest.approx(0.25)
    assert row["orders"]["reversed"]["mean"] == pytest.approx(0.25)
    assert [row["orders"][o]["n"] for o in ("forward", "reversed")] == [2, 2]


def test_the_baseline_cancels() -> None:
    def with_baseline(share: float) -> dict[str, Any]:
        kept = answers([0.1, -0.05, 0.2])
        return measure_effects([*kept, *(visible(f"q{i}", BASELINE, share) for i in range(3))], draws=0)

    assert with_baseline(0.1) == with_baseline(0.9)
    paired = pair_arms([*answers([0.1]), visible("q0", BASELINE, 0.25)], QUOTATION)[0]["forward"]
    longer = pair_arms([*answers([0.1]), visible("q0", BASELINE, 0.25)], CONTROL, BASELINE)[0]["forward"]
    whole = pair_arms([*answers([0.1]), visible("q0", BASELINE, 0.25)], QUOTATION, BASELINE)[0]["forward"]
    assert whole - longer == pytest.approx(paired)


def test_the_share_is_that_of_the_source_which_was_edited() -> None:
    first = [visible("a", CONTROL, 0.2, target=0), visible("a", QUOTATION, 0.5, target=0)]
    assert pair_arms(first, QUOTATION)[0]["forward"] == pytest.approx(-0.3)
    # The answer without an edit need not know which source is edited elsewhere.
    other = [visible("a", BASELINE, 0.2, target=None), visible("a", QUOTATION, 0.5, target=0)]
    assert pair_arms(other, QUOTATION, BASELINE)[0]["forward"] == pytest.approx(-0.3)
    assert pair_arms([visible("a", CONTROL, 0.2), visible("a", QUOTATION, 0.5, target=None)], QUOTATION) == []


def test_queries_that_lack_an_arm_are_left_out_and_counted() -> None:
    kept = [
        *answers([0.1, 0.1, 0.1]),
        visible("no lever", CONTROL, 0.4),
        visible("no filler", QUOTATION, 0.4),
        visible("neither", BASELINE, 0.4),
        visible("q0", STATISTICS, 0.4),
    ]
    rows = measure_effects(kept, draws=0)[POOLED]
    assert (rows[QUOTATION][AVERAGED]["n"], rows[QUOTATION]["left_out"]) == (3, 3)
    assert (rows[STATISTICS][AVERAGED]["n"], rows[STATISTICS]["left_out"]) == (1, 5)
    assert measure_effects(answers([0.1, 0.2]), draws=0)[POOLED][QUOTATION]["left_out"] == 0


def test_two_arms_without_an_order_in_common_are_no_pair() -> None:
    """Their difference would have been the mean of nothing, 0."""
    apart = [visible("a", CONTROL, {"forward": 0.2}), visible("a", QUOTATION, {"reversed": 0.5})]
    assert pair_arms(apart, QUOTATION) == []
    row = measure_effects(apart, draws=0)[POOLED][QUOTATION]
    assert (row[AVERAGED], row["left_out"]) == ({"n": 0}, 1)


def test_only_orders_of_both_arms_are_averaged() -> None:
    kept = [visible("a", CONTROL, {"forward": 0.2}), visible("a", QUOTATION, {"forward": 0.5, "reversed": 0.9})]
    assert pair_arms(kept, QUOTATION)[0] == pytest.approx({"forward": 0.3})


def test_orders_that_cancel_are_neither_up_nor_down() -> None:
    """0.2 - 0.1 + 0.5 - 0.6 is not 0 in floating point, and the sign test would count what is left."""
    assert (0.2 - 0.1) + (0.5 - 0.6) != 0
    kept = [
        visible("a", CONTROL, {"forward": 0.1, "reversed": 0.6}),
        visible("a", QUOTATION, {"forward": 0.2, "reversed": 0.5}),
    ]
    found = pooled(kept, draws=0)
    assert (found["up"], found["down"], found["same"], found["mean"]) == (0, 0, 1, 0)


# Engines and levers


def test_two_engines_that_say_the_same_are_as_certain_as_one() -> None:
    differences = noise(5, 40, 0.02)
    one = answers(differences)
    two = [*one, *answers(differences, engine="other")]
    alone, both = measure_effects(one, draws=200), measure_effects(two, draws=200)
    assert both[POOLED] == alone[POOLED]
    assert both[POOLED][QUOTATION][AVERAGED]["n"] == 40
    assert both["groups"]["engine"] == both["groups"]["other"] == both[POOLED]


def test_what_engines_say_of_a_query_is_averaged() -> None:
    kept = [*answers([0.1, 0.2, 0.3]), *answers([0.3, -0.2], engine="other")]
    merged = pair_arms(kept, QUOTATION)
    assert [by_order["forward"] for by_order in merged] == pytest.approx([0.2, 0.0, 0.3])
    found = measure_effects(kept, draws=0)
    assert found["groups_order"] == ["engine", "other"]
    assert found[POOLED][QUOTATION][AVERAGED]["mean"] == pytest.approx(0.5 / 3)
    assert found["groups"]["engine"][QUOTATION][AVERAGED]["mean"] == pytest.approx(0.2)
    assert found["groups"]["other"][QUOTATION][AVERAGED]["mean"] == pytest.approx(0.05)
    assert found["groups"]["other"][QUOTATION]["left_out"] == 0


def test_an_order_that_one_engine_lacks_is_averaged_over_the_others() -> None:
    kept = [
        visible("q", CONTROL, {"forward": 0.3, "reversed": 0.3}, "a"),
        visible("q", QUOTATION, {"forward": 0.4, "reversed": 0.6}, "a"),
        visible("q", CONTROL, 0.3, "b"),
        visible("q", QUOTATION, 0.5, "b"),
    ]
    merged = pair_arms(kept, QUOTATION)
    assert merged[0] == pytest.approx({"forward": 0.15, "reversed": 0.3})


def test_an_engine_that_is_called_pooled_is_not_the_pool() -> None:
    found = measure_effects([*answers([0.1, 0.1], engine=POOLED), *answers([0.3, 0.3])], draws=0)
    assert found["groups"][POOLED][QUOTATION][AVERAGED]["mean"] == pytest.approx(0.1)
    assert found[POOLED][QUOTATION][AVERAGED]["mean"] == pytest.approx(0.2)


def test_filler_alone_is_one_observation_a_query_too() -> None:
    def engine(name: str) -> list[QueryShares]:
        made = []
        for i, d in enumerate(noise(6, 30)):
            made += [visible(f"q{i}", BASELINE, 0.3, name), visible(f"q{i}", CONTROL, 0.3 + d, name)]
        return made

    once = measure_filler(engine("one"), draws=200, seed=0)
    assert once == measure_filler([*engine("one"), *engine("two")], draws=200, seed=0)
    assert (once["n"], once["mean"]) == (30, pytest.approx(np.mean(noise(6, 30))))


def test_the_correction_is_over_the_levers_that_could_be_tested() -> None:
    kept = [v for i, lever in enumerate(LEVERS) for v in answers(noise(i, 20, 0.06), lever=lever)]
    rows = measure_effects(kept, draws=0)[POOLED]
    for lever in LEVERS:
        p = rows[lever][AVERAGED]["t_p"]
        assert rows[lever][AVERAGED]["t_p_bonferroni"] == pytest.approx(min(1.0, 3 * p))
    # A third lever that changes nothing at all has no t.
    flat = [v for v in kept if v.arm != CITE] + [visible(f"q{i}", CITE, 0.3 + i % 7 / 50) for i in range(20)]
    rows = measure_effects(flat, draws=0)[POOLED]
    assert rows[CITE][AVERAGED]["t_p"] is None
    assert "t_p_bonferroni" not in rows[CITE][AVERAGED]
    assert rows[QUOTATION][AVERAGED]["t_p_bonferroni"] == pytest.approx(2 * rows[QUOTATION][AVERAGED]["t_p"])


def test_levers_stand_in_the_order_asked_for_and_absent_ones_are_not_there() -> None:
    kept = [*answers([0.1], lever=CITE), *answers([0.1], lever=QUOTATION)]
    found = measure_effects(kept, draws=0)
    assert found["order"] == [QUOTATION, CITE]
    assert list(found[POOLED]) == [QUOTATION, CITE]
    assert found["against"] == CONTROL


# Figures


def test_the_running_estimate_is_the_mean_of_the_first_queries() -> None:
    differences = noise(7, 60)
    running = measure_effects(answers(differences), draws=0)[POOLED][QUOTATION]["running"]
    assert [step["n"] for step in running] == [10, 20, 41, 50]
    for step in running:
        assert step["mean"] == pytest.approx(np.mean(differences[: step["n"]]))
    assert measure_effects(answers(differences[:9]), draws=0)[POOLED][QUOTATION]["running"] == []
    assert all(a["n"] < b["n"] for a, b in pairwise(running))


def test_one_order_and_one_engine_have_the_figures_of_the_whole() -> None:
    """A table by engine and a line about the pool must not print two intervals of the same numbers."""
    found = measure_effects(answers(noise(9, 30)), draws=100)
    row = found[POOLED][QUOTATION]
    assert found["groups"]["engine"][QUOTATION] == row
    assert row["orders"]["forward"] == {k: v for k, v in row[AVERAGED].items() if not k.endswith("_bonferroni")}


def test_the_same_seed_gives_the_same_result_and_another_moves_intervals_alone() -> None:
    kept = [*answers(noise(10, 30)), *answers(noise(11, 30), engine="other")]
    assert measure_effects(kept, draws=100, seed=1) == measure_effects(kept, draws=100, seed=1)
    one, other = pooled(kept, draws=100, seed=1), pooled(kept, draws=100, seed=2)
    assert {k for k in one if one[k] != other[k]} == {"interval"}


# Rewrites by a model


def row(query: str, method: str, share: float, baselines: tuple[float, float], words: int = 50) -> Rewrite:
    return Rewrite(query, f"question {query}", method, share, baselines, words)


def rewritten(*rows: Rewrite, draws: int = 50, seed: int = 0) -> dict[str, Any]:
    return measure_rewrites(rows, draws=draws, seed=seed)


def three() -> list[Rewrite]:
    return [
        row("1", "quotes", 0.5, (0.1, 0.3), 40),
        row("2", "quotes", 0.3, (0.4, 0.4), 80),
        row("3", "quotes", 0.25, (0.3, 0.15), 60),
        row("1", "facts", 0.1, (0.1, 0.3), 10),
        row("2", "facts", 0.7, (0.4, 0.4), 20),
    ]


def drawn(n: int, seed: int = 0) -> list[Rewrite]:
    rng = random.Random(seed)
    rows = []
    for q in range(n):
        share = rng.uniform(0.1, 0.5)
        baselines = share + rng.gauss(0, 0.05), share + rng.gauss(0, 0.05)
        rows += [row(str(q), m, share + rng.gauss(e, 0.1), baselines) for m, e in (("quotes", 0.03), ("facts", 0.0))]
    return rows


def test_every_method_is_set_against_either_baseline_and_their_mean() -> None:
    result = rewritten(*three())
    quotes = result["methods"]["quotes"]
    assert quotes["first"]["mean"] == pytest.approx((0.4 - 0.1 - 0.05) / 3)
    assert quotes["second"]["mean"] == pytest.approx((0.2 - 0.1 + 0.1) / 3)
    assert quotes["both"]["mean"] == pytest.approx((0.3 - 0.1 + 0.025) / 3)
    assert [quotes[k]["n"] for k in ("both", "first", "second")] == [3, 3, 3]
    assert (quotes["both"]["up"], quotes["both"]["down"]) == (2, 1)
    facts = result["methods"]["facts"]
    assert facts["both"]["mean"] == pytest.approx((-0.1 + 0.3) / 2)
    assert facts["both"]["mean"] == pytest.approx((facts["first"]["mean"] + facts["second"]["mean"]) / 2)
    assert (quotes["words"], facts["words"]) == (60, 15)
    assert (result["rows"], result["queries"], result["order"]) == (5, 3, ["quotes", "facts"])


def test_the_noise_floor_is_the_two_baselines_of_every_query_against_each_other() -> None:
    noise = rewritten(*three())["noise"]
    differences = [0.2, 0.0, -0.15]
    assert noise["n"] == 3  # queries, however many methods each has
    assert noise["mean"] == pytest.approx(sum(differences) / 3)
    assert noise["sd"] == pytest.approx(stats.tstd(differences))
    assert noise["mean_absolute"] == pytest.approx(0.35 / 3)
    assert (noise["up"], noise["down"], noise["same"]) == (1, 1, 1)
    assert rewritten(row("1", "quotes", 0.5, (0.1, 0.3)))["noise"]["sd"] is None


def test_figures_of_rewrites_agree_with_scipy() -> None:
    rows = drawn(40)
    both = [r.share - (r.baselines[0] + r.baselines[1]) / 2 for r in rows if r.method == "quotes"]
    quotes = rewritten(*rows)["methods"]["quotes"]["both"]
    t = stats.ttest_1samp(both, 0)
    assert (quotes["t"], quotes["t_p"]) == pytest.approx((t.statistic, t.pvalue), rel=1e-6)
    assert quotes["wilcoxon_p"] == pytest.approx(stats.wilcoxon(both, method="exact").pvalue)
    assert quotes["t_p_bonferroni"] == pytest.approx(min(1.0, 2 * t.pvalue))
    assert quotes["interval"][0] < quotes["mean"] < quotes["interval"][1]


def test_sound_rows_are_without_empty_rewrites_and_shares_that_may_stand_for_no_citation() -> None:
    kept = [row(str(q), "quotes", 0.3 + q / 100, (0.1, 0.11)) for q in range(4)]
    unsure = [
        row("empty", "quotes", 0.9, (0.1, 0.1), 0),
        row("share", "quotes", FALLBACK, (0.1, 0.1)),
        row("first", "quotes", 0.9, (FALLBACK, 0.1)),
        row("second", "quotes", 0.9, (0.1, FALLBACK)),
    ]
    result = rewritten(*kept, *unsure)
    assert (result["rows"], result["sound_rows"]) == (8, 4)
    assert result["methods"]["quotes"]["both"]["n"] == 8
    assert result["sound"]["quotes"] == rewritten(*kept)["methods"]["quotes"]
    # What is nearly a fifth was measured.
    assert rewritten(row("1", "quotes", 0.2000001, (0.1, 0.1)))["sound_rows"] == 1


def test_a_method_without_a_sound_row_stays_in_the_list_and_has_no_figure() -> None:
    result = rewritten(row("1", "quotes", 0.5, (0.1, 0.3)), row("1", "lost", 0.5, (0.1, 0.3), 0))
    assert result["order"] == ["quotes", "lost"]
    assert result["sound"]["lost"]["both"] == {"n": 0}
    assert result["sound"]["lost"]["words"] is None
    assert result["methods"]["lost"]["both"]["n"] == 1


def test_the_same_seed_gives_the_same_rewrites_which_fit_into_an_artifact() -> None:
    rows = drawn(20)
    assert rewritten(*rows, seed=1) == rewritten(*rows, seed=1)
    assert rewritten(*rows, seed=1)["methods"] != rewritten(*rows, seed=2)["methods"]
    for some in (rows, three(), three()[:1]):
        to_json(round_floats(rewritten(*some)))
