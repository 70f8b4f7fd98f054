"""What a lever buys over the untouched page, by hand, and the ceiling the weights put on it."""

from __future__ import annotations

import math
from typing import Any

import pytest

from steelyard.components.arithmetic.numbers import mean
from steelyard.lab.protocol.capture import Capture
from steelyard.lab.protocol.falsify import judge_weighting
from steelyard.lab.protocol.lever_gains import (
    CARRIERS,
    LONG,
    compute_ceilings,
    find_largest_gain,
    measure_changes,
    measure_combined,
    measure_curves,
    measure_gains,
    select_long_sources,
)
from steelyard.lab.protocol.responses import Responses
from steelyard.lab.protocol.variants import DOSES, LEVERS
from steelyard.scoring import weighting
from steelyard.scoring.page import transform
from steelyard.support.artifacts import round_floats
from tests.lab.protocol import synthetic

SHIPPED = weighting.load("shipped")


def tiny() -> Responses:
    """Three pages; the last is short."""
    points: dict[str, list[float]] = {"base": [50.0, 60.0, 70.0], "neutral_filler-1": [49.0, 59.0, 69.0]}
    points |= {f"{lever}-{dose}": [51.0, 61.0, 71.0] for lever in LEVERS for dose in DOSES}
    points |= {"quotation-1": [56.0, 62.0, 79.0], "quotation-8": [54.0, 60.0, 70.0]}
    points |= {"combined-1": [58.0, 66.0, 70.0], "combined-8": [55.0, 65.0, 70.0]}
    points |= {"keyword_stuffing-1": [47.0, 58.0, 70.0], "keyword_stuffing-8": [40.0, 48.0, 70.0]}
    return Responses(("a", "b", "c"), (300, 400, 299), points)


def test_long_sources_have_three_hundred_words_and_more() -> None:
    found = select_long_sources(tiny())
    assert LONG == 300
    assert (found.sources, found.words) == (("a", "b"), (300, 400))
    assert found.points["quotation-1"] == [56.0, 62.0]
    assert set(found.points) == set(tiny().points)


def test_the_rows_are_mean_tail_and_worst_page() -> None:
    assert tiny().gain("quotation-1") == [6.0, 2.0, 9.0]  # over the untouched page
    assert tiny().delta("quotation", 1) == pytest.approx(20 / 3)  # over the filler
    largest = find_largest_gain(measure_gains(tiny()))
    assert (largest["edit"], largest["dose"], largest["worst"]) == ("quotation", 1, 9.0)
    rows = {(r["edit"], r["dose"]): r for r in measure_gains(tiny())}
    assert len(rows) == 3 * 4 + 2 + 2
    assert rows["quotation", 1] == {
        "edit": "quotation",
        "dose": 1,
        "mean": pytest.approx(17 / 3),
        "n": 3,
        "interval": None,  # too few pages
        "p95": pytest.approx(8.7),
        "worst": 9.0,
        "worst_page": "c",
        "share_over_6": pytest.approx(1 / 3),  # 6 points are not more than 6
    }
    assert rows["keyword_stuffing", 8]["mean"] == pytest.approx(-22 / 3)
    assert rows["combined", 8]["mean"] == pytest.approx(10 / 3)


def test_together_beside_the_sums_of_the_single_gains() -> None:
    first, most = measure_combined(tiny())
    assert first == {
        "dose": 1,
        "combined": pytest.approx(14 / 3),
        "sum_dose_1": pytest.approx(17 / 3 + 1 + 1),
        "sum_dose_8": pytest.approx(4 / 3 + 1 + 1),
    }
    assert most == {**first, "dose": 8, "combined": pytest.approx(10 / 3)}


def test_the_ceiling_is_what_the_carrier_could_still_add() -> None:
    base = {"quotable_density": 40.0, "statistic_density": 0.0, "citation_f1": 100.0}
    found = compute_ceilings(base, SHIPPED.weights)
    assert found == {
        "quotation": pytest.approx(60 * SHIPPED.weights["quotable_density"]),
        "statistics": pytest.approx(100 * SHIPPED.weights["statistic_density"]),
        "cite_sources": 0.0,
    }
    assert set(CARRIERS) == set(LEVERS)


def test_curves_hold_every_dose_that_was_captured() -> None:
    responses = synthetic.noisy_responses(0)
    found = measure_curves(responses, draws=50)
    assert {edit: [p["dose"] for p in points] for edit, points in found.items()} == {
        **{lever: [1, 2, 3, 8] for lever in LEVERS},
        "technical_terms": [1],
        "keyword_stuffing": [1, 8],
    }
    for edit, points in found.items():
        for point in points:
            assert point["response"] == responses.delta(edit, point["dose"])
            assert point["low"] <= point["response"] <= point["high"]
    assert measure_curves(responses, draws=50) == found
    assert measure_curves(responses, draws=0)["quotation"][0]["low"] is None


# ── our own scorer ──


@pytest.fixture(scope="module")
def judged(english: Capture) -> dict[str, Any]:
    return judge_weighting(english, SHIPPED, draws=20)


def test_under_the_shipped_weighting_it_is_the_captured_content(english: Capture, judged: dict[str, Any]) -> None:
    content = english.responses(lambda values: values["content"])
    assert judged["sources"] == len(content)
    assert judged["curves"]["quotation"][0]["response"] == pytest.approx(content.delta("quotation", 1), abs=1e-9)
    assert judged["weights"] == SHIPPED.weights


def test_another_weighting_is_tried_on_the_same_capture(english: Capture, judged: dict[str, Any]) -> None:
    prior = weighting.load("prior")
    found = judge_weighting(english, prior, draws=0)
    assert found["scorer"] == "prior"
    by_hand = english.responses(lambda values: math.fsum(w * transform(values[n]) for n, w in prior.weights.items()))
    assert found["curves"]["statistics"][0]["response"] == pytest.approx(by_hand.delta("statistics", 1), abs=1e-9)
    assert found["curves"] != judged["curves"]


def test_gains_and_ceilings_are_over_all_pages_and_over_the_long_ones(english: Capture, judged: dict[str, Any]) -> None:
    content = english.responses(lambda values: values["content"])
    first = judged["all_pages"]["gains"][0]
    gain = content.gain("quotation-1")
    assert first["mean"] == pytest.approx(mean(gain), abs=1e-9)
    assert first["share_over_6"] == sum(g > 6 for g in gain) / len(gain)
    assert judged["gains"][0]["mean"] != first["mean"]
    levers = [r for r in judged["all_pages"]["gains"] if r["edit"] in LEVERS]
    assert judged["largest_gain"]["all_pages"]["mean"] == max(r["mean"] for r in levers)
    assert judged["largest_gain"]["long_pages"]["mean"] == max(
        r["mean"] for r in judged["gains"] if r["edit"] in LEVERS
    )
    long = select_long_sources(content)
    assert judged["long_sources"] == len(long)
    for result, sources in ((judged["all_pages"], content.sources), (judged, long.sources)):
        for lever, carrier in CARRIERS.items():
            base = mean([transform(english.values()[source]["base"][carrier]) for source in sources])
            expected = SHIPPED.weights[carrier] * (100 - base)
            assert result["ceilings"][lever] == pytest.approx(expected, abs=1e-9)


def test_the_levers_are_listed_by_their_held_out_response(english: Capture, judged: dict[str, Any]) -> None:
    responses = [o["response"] for o in judged["order"]]
    assert responses == sorted(responses, reverse=True)
    held_out = english.responses(split="test")
    assert judged["order"][0]["response"] == pytest.approx(held_out.delta(judged["order"][0]["edit"], 1), abs=1e-9)


def test_too_few_long_pages_leave_ceilings_and_gains_out(english: Capture) -> None:
    sources = [r["source"] for r in english.rows if r["variant"] == "base" and r["words"] < LONG][:12]
    short = Capture(english.header, tuple(r for r in english.rows if r["source"] in sources))
    found = judge_weighting(short, SHIPPED, draws=0)
    assert (found["ceilings"], found["combined"], found["gains"]) == ({}, [], [])
    assert found["sources"] == len(sources)
    assert found["largest_gain"]["long_pages"] is None
    assert found["largest_gain"]["all_pages"]["edit"] in LEVERS
    round_floats(found)


def many_pages(count: int = 40) -> Responses:
    """Pages on which a repeated quotation gains a point less than one, give or take; all other levers gain nothing."""
    pages = range(count)
    points = {"base": [50.0 for _ in pages]}
    points |= {f"{lever}-{dose}": [50.0 + (i % 5 - 2) for i in pages] for lever in LEVERS for dose in DOSES}
    points |= {"quotation-1": [53.0 + i % 3 for i in pages], "quotation-8": [52.0 + i % 3 + i % 2 / 2 for i in pages]}
    return Responses(tuple(map(str, pages)), (300,) * count, points)


def test_a_change_is_paired_page_by_page() -> None:
    changes = {row["edit"]: row for row in measure_changes(many_pages())}
    assert list(changes) == list(LEVERS)  # only edits that have both doses
    row = changes["quotation"]
    assert (row["mean"], row["n"]) == (-0.75, 40)
    assert -0.84 < row["interval"][0] < -0.75 < row["interval"][1] < -0.66  # not that of two independent samples
    assert all(changes[lever]["interval"] == [0.0, 0.0] for lever in LEVERS if lever != "quotation")


def test_the_interval_of_the_largest_gain_allows_for_the_choice() -> None:
    edits = [f"{lever}-{dose}" for lever in LEVERS for dose in DOSES]
    points = {"base": [50.0] * 40}  # all levers gain nothing, each with noise of its own
    points |= {edit: [50.0 + 3 * math.sin(step * i) for i in range(1, 41)] for step, edit in enumerate(edits, start=3)}
    equal = Responses(tuple(map(str, range(40))), (300,) * 40, points)
    rows = measure_gains(equal)
    found = find_largest_gain(rows, equal)
    low, high = found["interval_of_largest"]
    assert found["mean"] > 0
    assert low < found["interval"][0]  # chosen as the largest of twelve, it is too large
    assert high >= found["interval"][1]
    assert "interval_of_largest" not in find_largest_gain(rows)
    assert find_largest_gain(measure_gains(tiny()), tiny())["interval_of_largest"] is None
