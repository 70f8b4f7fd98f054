"""Every gate on answers made by hand: its figure, its bound, and when it says nothing."""

from __future__ import annotations

import itertools
import math
import re

import numpy as np
import pytest

from steelyard.lab.protocol import gates
from steelyard.lab.protocol.gates import GATES, Verdict, all_passed, count_passed, judge
from steelyard.lab.protocol.gates.base import FAIL, MIN_SOURCES, PASS, UNDECIDED, UNDEFINED, Gate
from steelyard.lab.protocol.responses import Responses
from steelyard.lab.protocol.variants import LEVERS
from steelyard.support.formatting import format_count
from tests.lab.protocol import synthetic

each_gate = pytest.mark.parametrize("gate", GATES, ids=lambda gate: gate.name)


def verdicts(responses: Responses, *, draws: int = 0, seed: int = 0) -> dict[str, Verdict]:
    return {v.gate: v for v in judge(responses, draws=draws, seed=seed)}


# ── what they are ──


def test_there_are_five_with_the_papers_constants_and_a_sound_scorer_passes_them() -> None:
    assert {g.name: (g.bound, g.is_upper_bound) for g in GATES} == {
        "negative-control": (0.0, True),
        "dose-response": (-0.5, False),
        "saturation": (3.0, True),
        "duplication": (2.0, True),
        "length-bias": (0.35, True),
    }
    sound = judge(synthetic.responses(), draws=0)
    assert [v.status for v in sound] == [PASS] * 5
    assert count_passed(sound) == 5
    assert all_passed(sound)


@each_gate
def test_the_bound_itself_passes_and_the_next_number_does_not(gate: Gate) -> None:
    sign = 1 if gate.is_upper_bound else -1
    assert gate.passes(gate.bound)
    assert not gate.passes(math.nextafter(gate.bound, sign * math.inf))
    assert (gate.margin(gate.bound - sign), gate.margin(gate.bound + sign)) == (1, -1)
    assert gate.margin(5.0, bound=5.0) == 0


# ── each figure, by hand ──


@pytest.mark.parametrize(
    ("gate", "changes", "statistic", "margin", "parts"),
    [
        # the larger of the two doses of stuffing, against as much filler
        ("negative-control", {}, -2.0, 2.0, {"dose 1": -2.0, "dose 8": -8.0}),
        ("negative-control", {"keyword_stuffing-8": 0.125}, 0.125, -0.125, {}),
        ("negative-control", {"keyword_stuffing-1": 0.0, "keyword_stuffing-8": 0.0}, 0.0, 0.0, {}),
        ("negative-control", {"keyword_stuffing-1": 3.0, "neutral_filler-1": 4.0}, -1.0, 1.0, {"dose 1": -1.0}),
        # the worst step of any lever from dose 1 to 2 to 3
        (
            "dose-response",
            {"statistics-2": 2.75, "statistics-3": 2.0, "quotation-2": 5.0, "quotation-3": 4.75},
            -0.75,
            -0.25,
            {"statistics 1 to 2": -0.25, "statistics 2 to 3": -0.75, "quotation 1 to 2": 1.0},
        ),
        ("dose-response", {"cite_sources-2": 1.5, "cite_sources-3": 1.0}, -0.5, 0.0, {}),
        ("dose-response", {"quotation-8": -40.0}, 0.0, 0.5, {}),
        # the largest ratio of dose 8 to dose 1
        (
            "saturation",
            {"quotation-1": 4.0, "quotation-8": 6.0, "statistics-1": 2.0, "statistics-8": 5.0},
            2.5,
            0.5,
            {"quotation": 1.5, "statistics": 2.5, "cite_sources": 1.0},
        ),
        ("saturation", {"quotation-1": 2.0, "quotation-8": 6.0}, 3.0, 0.0, {}),
        ("saturation", {"quotation-1": 2.0, "quotation-8": 6.125}, 3.0625, -0.0625, {}),
        ("saturation", {f"{lever}-8": -4.0 for lever in LEVERS}, -1.0, 4.0, {}),
        # the doubled page against the untouched one
        ("duplication", {"duplication-1": 2.0, "neutral_filler-1": 9.0}, 2.0, 0.0, {}),
        ("duplication", {"duplication-1": 2.125}, 2.125, -0.125, {}),
    ],
)
def test_figures_margins_and_parts_by_hand(
    gate: str, changes: dict[str, float], statistic: float, margin: float, parts: dict[str, float]
) -> None:
    verdict = verdicts(synthetic.responses(changes))[gate]
    status = PASS if margin >= 0 else FAIL
    assert (verdict.statistic, verdict.margin, verdict.status, verdict.reason) == (statistic, margin, status, "")
    assert verdict.parts.items() >= parts.items()


@pytest.mark.parametrize(("agreeing", "r", "status"), [(10, 0.25, PASS), (12, 0.5, FAIL), (4, -0.5, FAIL)])
def test_length_bias_is_the_size_of_the_correlation_with_the_logarithm(agreeing: int, r: float, status: str) -> None:
    # Eight short pages and eight long ones, eight of 49 points and eight of 51: r = (agreeing - disagreeing) / 16.
    words = [200] * 8 + [400] * 8
    high = agreeing // 2
    spread = [-1.0] * high + [1.0] * (8 - high) + [1.0] * high + [-1.0] * (8 - high)
    found = verdicts(synthetic.responses(words=words, spread=spread))["length-bias"]
    assert found.statistic == pytest.approx(abs(r), abs=1e-12)
    assert found.parts["r"] == pytest.approx(r, abs=1e-12)
    assert found.margin == pytest.approx(0.35 - abs(r), abs=1e-12)
    assert found.status == status


@pytest.mark.parametrize("seed", range(5))
def test_every_figure_agrees_with_a_plain_computation(seed: int) -> None:
    responses = synthetic.noisy_responses(seed)
    mean = {name: float(np.mean(column)) for name, column in responses.points.items()}

    def delta(edit: str, dose: int) -> float:
        return mean[f"{edit}-{dose}"] - mean[f"neutral_filler-{dose}"]

    steps = [delta(lever, b) - delta(lever, a) for lever in LEVERS for a, b in itertools.pairwise((1, 2, 3))]
    expected = {
        "negative-control": max(delta("keyword_stuffing", 1), delta("keyword_stuffing", 8)),
        "dose-response": min(steps),
        "saturation": max(delta(lever, 8) / delta(lever, 1) for lever in LEVERS),
        "duplication": mean["duplication-1"] - mean["base"],
        "length-bias": abs(float(np.corrcoef(responses.points["base"], np.log(responses.words))[0, 1])),
    }
    assert {n: v.statistic for n, v in verdicts(responses).items()} == pytest.approx(expected, abs=1e-9)


# ── undefined is not a pass ──


COSTS = "costs 1.00 at dose 1 and gains"


@pytest.mark.parametrize(
    ("changes", "status", "statistic", "reason"),
    [
        # a response under a twentieth of a point has no ratio
        *(({"quotation-1": r, "quotation-8": r}, UNDEFINED, None, "too little") for r in (0.0, 0.0375, -0.0375)),
        *(({"quotation-1": r, "quotation-8": min(r, 0.0)}, PASS, 1.0, "") for r in (0.0625, -0.0625)),
        # a lever that costs at both doses gains nothing; one that costs first and gains then has no bound
        *(({"statistics-1": -1.0, "statistics-8": r}, PASS, 1.0, "no gain: stat") for r in (0.0, -0.125, -20.0)),
        ({"statistics-1": -1.0, "statistics-8": 0.125}, FAIL, None, COSTS),
        ({f"{lever}-{dose}": -1.0 for lever in LEVERS for dose in (1, 2, 3, 8)}, PASS, 0.0, "no gain"),
        # a failure of one lever stands although another has no ratio
        ({"quotation-1": 0.0, "statistics-1": 1.0, "statistics-8": 4.0}, FAIL, 4.0, ""),
        ({"quotation-1": 0.0, "statistics-1": -1.0, "statistics-8": 4.0}, FAIL, None, COSTS),
    ],
)
def test_saturation_without_a_ratio_is_undefined_or_no_gain_or_a_failure(
    changes: dict[str, float], status: str, statistic: float | None, reason: str
) -> None:
    verdict = verdicts(synthetic.responses(changes))["saturation"]
    assert (verdict.status, verdict.statistic) == (status, statistic)
    assert reason in verdict.reason
    assert verdict.margin == (None if statistic is None else 3.0 - statistic)
    assert all_passed(judge(synthetic.responses(changes), draws=0)) <= (status == PASS)


@pytest.mark.parametrize("sources", [0, 1, MIN_SOURCES - 1])
def test_fewer_than_ten_sources_leave_every_gate_undefined_with_the_reason(sources: int) -> None:
    whole = synthetic.responses()
    few = Responses(whole.sources[:sources], whole.words[:sources], {n: c[:sources] for n, c in whole.points.items()})
    found = judge(few)
    assert {v.status for v in found} == {UNDEFINED}
    assert {v.statistic for v in found} == {None}
    assert {v.reason for v in found} == {f"{format_count(sources, 'source')}; a verdict needs {MIN_SOURCES} or more"}
    assert count_passed(found) == 0
    assert count_passed(judge(synthetic.responses(words=(200, 400) * (MIN_SOURCES // 2)), draws=0)) == 5


def test_a_constant_scorer_earns_two_passes_and_no_clearance() -> None:
    constant = synthetic.responses(dict.fromkeys(synthetic.SOUND, 0.0), spread=[0.0] * synthetic.SOURCES)
    found = verdicts(constant, draws=20)
    assert {n: v.status for n, v in found.items()} == {
        "negative-control": PASS,
        "dose-response": UNDECIDED,
        "saturation": UNDEFINED,
        "duplication": PASS,
        "length-bias": UNDEFINED,
    }
    assert found["length-bias"].reason == "there is no correlation: all pages score the same"
    assert not all_passed(tuple(found.values()))
    equal = verdicts(synthetic.responses(words=[300] * synthetic.SOURCES))["length-bias"]
    assert (equal.status, equal.reason) == (UNDEFINED, "there is no correlation: all pages have the same length")


# ── intervals ──


def test_a_resample_is_what_the_gates_would_see_of_those_sources() -> None:
    whole = synthetic.noisy_responses(3, sources=12)
    draw = [0, 0, 1, 5, 5, 5, 11, 7, 2, 2, 9, 3]
    chosen = Responses(
        tuple(f"{whole.sources[i]}-{n}" for n, i in enumerate(draw)),
        tuple(whole.words[i] for i in draw),
        {name: [column[i] for i in draw] for name, column in whole.points.items()},
    )
    resampled = whole.select(draw)
    assert len(resampled) == len(chosen)
    for gate in GATES:
        assert gate.measure(resampled) == gate.measure(chosen)


def test_the_intervals_contain_the_figure_as_a_rule() -> None:
    inside = dict.fromkeys(gates.NAMES, 0)
    for seed in range(20):
        for name, found in verdicts(synthetic.noisy_responses(seed, noise=0.5), draws=100, seed=seed).items():
            assert found.interval is not None
            assert found.statistic is not None
            low, high = found.interval
            assert low <= high
            inside[name] += low <= found.statistic <= high
    assert min(inside.values()) >= 17, inside


def test_the_same_seed_gives_the_same_intervals_and_another_one_others() -> None:
    responses = synthetic.noisy_responses(1)
    assert judge(responses, draws=50, seed=1) == judge(responses, draws=50, seed=1)
    first, second = judge(responses, draws=50, seed=1), judge(responses, draws=50, seed=2)
    assert [v.statistic for v in first] == [v.statistic for v in second]
    assert all(a.interval != b.interval for a, b in zip(first, second, strict=True))
    assert {v.interval for v in judge(responses, draws=0)} == {None}


def test_resamples_in_which_a_ratio_is_undefined_are_left_out() -> None:
    # One page carries the whole response to quotations: without it in the draw there is no ratio.
    whole = synthetic.responses({"quotation-1": 0.0, "quotation-8": 0.0})
    points = {name: list(column) for name, column in whole.points.items()}
    for dose in (1, 2, 3, 8):
        points[f"quotation-{dose}"][0] += 16.0
    found = verdicts(Responses(whole.sources, whole.words, points), draws=400)["saturation"]
    assert (found.status, found.by_estimate, found.needed) == (UNDECIDED, True, None)
    assert re.fullmatch(r"without a figure in 3\d% of the resamples", found.reason)
    assert found.interval == pytest.approx((1.0, 1.0))
    # A twentieth of the resamples may be lost.
    for name in ("quotation-1", "quotation-8"):
        points[name] = [50 + s + 4.0 * (i < 4) for i, s in enumerate(whole.points["base"])]
    kept = verdicts(Responses(whole.sources, whole.words, points), draws=400)["saturation"]
    assert (kept.status, kept.reason) == (PASS, "")
