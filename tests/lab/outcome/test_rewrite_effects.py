"""Rewrites by a model: effects by hand against both baselines, the noise floor, and rows that may be no measurement."""

from __future__ import annotations

import random
from typing import Any

import pytest
from scipy import stats

from steelyard.lab.outcome.effects import measure_rewrites
from steelyard.lab.outcome.records.b2b import FALLBACK, Rewrite
from steelyard.support.artifacts import round_floats, to_json


def row(query: str, method: str, share: float, baselines: tuple[float, float], words: int = 50) -> Rewrite:
    return Rewrite(query, f"question {query}", method, share, baselines, words)


def found(*rows: Rewrite, draws: int = 50, seed: int = 0) -> dict[str, Any]:
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
    result = found(*three())
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
    noise = found(*three())["noise"]
    differences = [0.2, 0.0, -0.15]
    assert noise["n"] == 3  # queries, however many methods each has
    assert noise["mean"] == pytest.approx(sum(differences) / 3)
    assert noise["sd"] == pytest.approx(stats.tstd(differences))
    assert noise["mean_absolute"] == pytest.approx(0.35 / 3)
    assert (noise["up"], noise["down"], noise["same"]) == (1, 1, 1)
    assert found(row("1", "quotes", 0.5, (0.1, 0.3)))["noise"]["sd"] is None


def test_figures_agree_with_scipy() -> None:
    rows = drawn(40)
    both = [r.share - (r.baselines[0] + r.baselines[1]) / 2 for r in rows if r.method == "quotes"]
    quotes = found(*rows)["methods"]["quotes"]["both"]
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
    result = found(*kept, *unsure)
    assert (result["rows"], result["sound_rows"]) == (8, 4)
    assert result["methods"]["quotes"]["both"]["n"] == 8
    assert result["sound"]["quotes"] == found(*kept)["methods"]["quotes"]
    # What is nearly a fifth was measured.
    assert found(row("1", "quotes", 0.2000001, (0.1, 0.1)))["sound_rows"] == 1


def test_a_method_without_a_sound_row_stays_in_the_list_and_has_no_figure() -> None:
    result = found(row("1", "quotes", 0.5, (0.1, 0.3)), row("1", "lost", 0.5, (0.1, 0.3), 0))
    assert result["order"] == ["quotes", "lost"]
    assert result["sound"]["lost"]["both"] == {"n": 0}
    assert result["sound"]["lost"]["words"] is None
    assert result["methods"]["lost"]["both"]["n"] == 1


def test_the_same_seed_gives_the_same_result_which_fits_into_an_artifact() -> None:
    rows = drawn(20)
    assert found(*rows, seed=1) == found(*rows, seed=1)
    assert found(*rows, seed=1)["methods"] != found(*rows, seed=2)["methods"]
    for some in (rows, three(), three()[:1]):
        to_json(round_floats(found(*some)))
