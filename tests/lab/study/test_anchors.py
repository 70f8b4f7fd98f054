"""Anchors expire: points, published gains as points, every verdict by construction, and none where none is due."""

from __future__ import annotations

import random
from datetime import date
from typing import Any

import pytest

from steelyard.lab.outcome.effects import AVERAGED, POOLED, measure_effects
from steelyard.lab.outcome.query_shares import MIN_QUERIES, QueryShares
from steelyard.lab.outcome.records.base import BASELINE
from steelyard.lab.protocol.anchors import ANCHORS
from steelyard.lab.protocol.variants import LEVERS
from steelyard.lab.study.studies.anchors import (
    HOLDS,
    LARGER,
    MEANING,
    REVERSED,
    SMALLER,
    UNCONFIRMED,
    UNDECIDED,
    analyse_anchors,
    compare_anchors,
    judge_anchor,
)
from tests.lab.outcome.test_effects import answers, visible
from tests.lab.outcome.test_study import asked, file

AS_OF = date(2026, 7, 1)
QUOTATION, STATISTICS, CITE = LEVERS


def untouched(*shares: float, engine: str = "engine") -> list[QueryShares]:
    return [visible(f"q{q}", BASELINE, share, engine) for q, share in enumerate(shares)]


def around(centre: float, n: int = 20, width: float = 0.01) -> list[float]:
    """Effects whose mean is the centre, and whose interval reaches a few tenths of the width to either side."""
    rng = random.Random(f"{centre}|{n}")
    drawn = [rng.uniform(-width, width) for _ in range(n)]
    return [centre + d - sum(drawn) / n for d in drawn]


def measured(*centres: float, share: float = 0.25, n: int = 20, width: float = 0.01, **options: Any) -> dict[str, Any]:
    """The anchors of three levers with these effects on a target of this share."""
    kept = [v for lv, c in zip(LEVERS, centres, strict=True) for v in answers(around(c, n, width), lever=lv)]
    return compare_anchors(measure_effects(kept, draws=200), [*kept, *untouched(*[share] * n)], AS_OF, **options)


def test_an_anchor_is_the_effect_in_percentage_points_with_its_interval_and_its_n() -> None:
    kept = [*answers(around(0.031)), *untouched(0.2, 0.3)]
    effects = measure_effects(kept, draws=200)
    found = compare_anchors(effects, kept, AS_OF)
    quotation, row = found["levers"][QUOTATION], effects[POOLED][QUOTATION][AVERAGED]
    assert (quotation["points"], quotation["n"]) == (pytest.approx(3.1), 20)
    assert quotation["interval"] == pytest.approx([100 * x for x in row["interval"]])
    assert quotation["interval"][0] < 3.1 < quotation["interval"][1]
    # A lever that was not measured is no zero.
    assert [found["levers"][CITE][key] for key in ("n", "points", "verdict")] == [0, None, None]


def test_a_published_gain_becomes_points_through_the_share_of_the_untouched_target() -> None:
    found = measured(0.0, 0.0, 0.0, share=0.25)
    assert (found["baseline_share"], found["baseline_queries"]) == (pytest.approx(0.25), 20)
    assert (found["dated"], found["order"], found["judged"]) == ("2026-07-01", list(LEVERS), True)
    # A quarter of the answer, and 42.6% more of it: 10.65 points.
    assert found["levers"][QUOTATION]["published_points"] == pytest.approx(10.65)
    for lever in LEVERS:
        assert found["levers"][lever]["published_percent"] == ANCHORS[lever]
        assert found["levers"][lever]["published_points"] == pytest.approx(ANCHORS[lever] * 0.25)


def test_the_share_is_averaged_over_queries_as_the_effects_are() -> None:
    kept = [*untouched(0.2, 0.8), *untouched(0.4, engine="other")]
    found = compare_anchors(measure_effects(kept), kept, AS_OF)
    assert found["baseline_share"] == pytest.approx((0.3 + 0.8) / 2)
    assert found["baseline_queries"] == 2


def test_edited_targets_and_answers_without_a_target_have_no_say_in_the_share() -> None:
    kept = [*answers([0.1]), visible("x", BASELINE, 0.9, target=None), *untouched(0.2)]
    assert compare_anchors(measure_effects(kept), kept, AS_OF)["baseline_share"] == pytest.approx(0.2)


def test_the_verdict_is_read_off_the_interval() -> None:
    for interval, published, wanted in (
        ([1.0, 12.0], 10.65, HOLDS),
        ([10.0, 10.65], 10.65, HOLDS),  # it reaches the gain
        ([10.65, 20.0], 10.65, HOLDS),
        ([11.0, 20.0], 10.65, LARGER),
        ([-1.0, 1.0], 10.65, UNCONFIRMED),
        ([0.0, 1.0], 10.65, UNCONFIRMED),  # it reaches 0
        ([-5.0, 0.0], 10.65, UNCONFIRMED),
        ([2.0, 3.0], 10.65, SMALLER),
        ([-5.0, -0.1], 10.65, REVERSED),
        ([-1.0, 12.0], 10.65, UNDECIDED),
        ([0.0, 10.65], 10.65, UNDECIDED),
        # an edit whose published effect is a loss
        ([-3.0, -1.0], -1.5, HOLDS),
        ([-1.0, -0.1], -1.5, SMALLER),
        ([-9.0, -2.0], -1.5, LARGER),
        ([-1.0, 5.0], -1.5, UNCONFIRMED),
        ([-2.0, 5.0], -1.5, UNDECIDED),
        ([0.1, 5.0], -1.5, REVERSED),
        (None, 10.65, None),
        ([-1.0, 1.0], None, None),
    ):
        assert judge_anchor(interval, published) == wanted, (interval, published)


def test_every_verdict_comes_out_of_answers_made_for_it() -> None:
    # Published: 10.65, 8.2 and 6.925 points of a target with a quarter of the answer.
    found = measured(0.1065, 0.02, -0.03)
    assert [found["levers"][lever]["verdict"] for lever in LEVERS] == [HOLDS, SMALLER, REVERSED]
    larger = measured(0.2, 0.0, 0.0)
    assert [larger["levers"][lever]["verdict"] for lever in LEVERS] == [LARGER, UNCONFIRMED, UNCONFIRMED]
    wide = measured(0.05, 0.0, 0.05, n=8, width=0.4)
    assert wide["levers"][QUOTATION]["verdict"] == UNDECIDED
    assert set(MEANING) == {HOLDS, LARGER, SMALLER, REVERSED, UNCONFIRMED, UNDECIDED}


def test_a_verdict_needs_more_of_one_lever_among_three_than_of_one_alone() -> None:
    """Five levers without any effect gave a verdict of one in more than a fifth of the studies."""
    seen = {"alone": 0, "together": 0}
    for study in range(200):
        rng = random.Random(study)
        kept = [v for lever in LEVERS for v in answers([rng.gauss(0, 0.05) for _ in range(20)], lever=lever)]
        found = compare_anchors(measure_effects(kept, draws=0), [*kept, *untouched(*[0.25] * 20)], AS_OF)
        for row in found["levers"].values():
            low, high = row["corrected_interval"]
            assert (low <= 0 <= high) is (row["corrected_p"] >= 0.05), row  # one test, said twice
        seen["alone"] += any(row["corrected_p"] < 0.15 for row in found["levers"].values())
        seen["together"] += any(row["corrected_p"] < 0.05 for row in found["levers"].values())
    assert seen["together"] <= 17 < seen["alone"], seen  # 5% of 200, and two standard errors more


def test_effects_that_do_not_vary_have_no_interval() -> None:
    kept = [*answers([0.1] * 20), *untouched(*[0.25] * 20)]
    row = compare_anchors(measure_effects(kept, draws=100), kept, AS_OF)["levers"][QUOTATION]
    assert (row["corrected_interval"], row["corrected_p"], row["verdict"]) == (None, None, None)


def test_too_few_queries_are_no_verdict() -> None:
    found = measured(0.1, 0.1, 0.1, n=MIN_QUERIES - 1)
    for lever in found["levers"].values():
        assert (lever["verdict"], lever["interval"], lever["n"]) == (None, None, MIN_QUERIES - 1)
        assert (lever["corrected_interval"], lever["corrected_p"]) == (None, None)
        assert lever["points"] == pytest.approx(10.0)
    assert measured(0.1, 0.1, 0.1, n=MIN_QUERIES)["levers"][QUOTATION]["verdict"] is not None


def test_without_a_share_of_the_untouched_target_no_gain_is_published_for_it() -> None:
    """A gain of so many per cent of nothing is nothing: any effect above 0 would have held."""
    for shares in ([], [0.0] * 20):
        kept = [*answers(around(0.05)), *untouched(*shares)]
        quotation = compare_anchors(measure_effects(kept, draws=100), kept, AS_OF)["levers"][QUOTATION]
        assert (quotation["published_points"], quotation["verdict"]) == (None, None)
        assert quotation["points"] == pytest.approx(5.0)


def test_one_embedded_run_among_others_takes_the_verdict_from_all() -> None:
    real, embedded = file(asked(engine="real")), file(asked(engine="reference"), embedded=True)
    assert analyse_anchors([real], "strict", dated=AS_OF, draws=20)["anchors"]["judged"] is True
    assert analyse_anchors([real, embedded], "strict", dated=AS_OF, draws=20)["anchors"]["judged"] is False
