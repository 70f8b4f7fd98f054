"""Every gate on answers made by hand: its figure, its bound, and when it says nothing."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from steelyard.lab.protocol import gates
from steelyard.lab.protocol.gates import GATES, Verdict, all_passed, count_passed, judge
from steelyard.lab.protocol.gates.base import FAIL, MIN_SOURCES, PASS, UNDEFINED, Gate
from steelyard.lab.protocol.responses import Responses
from steelyard.lab.protocol.variants import LEVERS
from steelyard.support.formatting import format_count
from tests.lab.protocol import synthetic

each_gate = pytest.mark.parametrize("gate", GATES, ids=lambda gate: gate.name)


def verdicts(responses: Responses, *, draws: int = 0, seed: int = 0) -> dict[str, Verdict]:
    return {v.gate: v for v in judge(responses, draws=draws, seed=seed)}


# ── what they are ──


def test_there_are_five_with_the_papers_constants() -> None:
    assert {g.name: (g.bound, g.is_upper_bound) for g in GATES} == {
        "negative-control": (0.0, True),
        "dose-response": (-0.5, False),
        "saturation": (3.0, True),
        "duplication": (2.0, True),
        "length-bias": (0.35, True),
    }
    assert tuple(g.name for g in GATES) == gates.NAMES


def test_a_sound_scorer_passes_all_five() -> None:
    found = judge(synthetic.responses(), draws=0)
    assert [v.status for v in found] == [PASS] * 5
    assert count_passed(found) == 5
    assert all_passed(found)


@each_gate
def test_the_bound_itself_passes_and_the_next_number_does_not(gate: Gate) -> None:
    beyond = math.nextafter(gate.bound, math.inf if gate.is_upper_bound else -math.inf)
    assert gate.passes(gate.bound)
    assert not gate.passes(beyond)


@each_gate
def test_the_margin_is_positive_on_the_passing_side_alone(gate: Gate) -> None:
    inside, outside = (gate.bound - 1, gate.bound + 1) if gate.is_upper_bound else (gate.bound + 1, gate.bound - 1)
    assert gate.margin(inside) == 1
    assert gate.margin(outside) == -1
    assert gate.margin(inside, bound=inside) == 0


# ── each figure, by hand ──


def test_the_negative_control_is_the_larger_of_the_two_doses() -> None:
    first = verdicts(synthetic.responses({"keyword_stuffing-1": -2.0, "keyword_stuffing-8": -8.0}))["negative-control"]
    assert (first.statistic, first.margin, first.status) == (-2.0, 2.0, PASS)
    assert first.parts == {"dose 1": -2.0, "dose 8": -8.0}
    last = verdicts(synthetic.responses({"keyword_stuffing-1": -2.0, "keyword_stuffing-8": 0.125}))["negative-control"]
    assert (last.statistic, last.margin, last.status) == (0.125, -0.125, FAIL)


def test_stuffing_that_changes_nothing_passes() -> None:
    found = verdicts(synthetic.responses({"keyword_stuffing-1": 0.0, "keyword_stuffing-8": 0.0}))["negative-control"]
    assert (found.statistic, found.margin, found.status) == (0.0, 0.0, PASS)


def test_stuffing_is_held_against_as_much_filler_and_not_against_the_page() -> None:
    found = verdicts(synthetic.responses({"keyword_stuffing-1": 3.0, "neutral_filler-1": 4.0}))["negative-control"]
    assert found.parts["dose 1"] == -1.0


def test_the_dose_response_is_the_worst_step_of_any_lever() -> None:
    changes = {"statistics-1": 3.0, "statistics-2": 2.75, "statistics-3": 2.0, "quotation-2": 5.0, "quotation-3": 4.75}
    found = verdicts(synthetic.responses(changes))["dose-response"]
    assert (found.statistic, found.margin, found.status) == (-0.75, -0.25, FAIL)
    assert found.parts["statistics 1 to 2"] == -0.25
    assert found.parts["statistics 2 to 3"] == -0.75
    assert found.parts["quotation 1 to 2"] == 1.0
    assert len(found.parts) == 6


def test_a_step_of_exactly_half_a_point_down_is_allowed() -> None:
    found = verdicts(synthetic.responses({"cite_sources-2": 1.5, "cite_sources-3": 1.0}))["dose-response"]
    assert (found.statistic, found.margin, found.status) == (-0.5, 0.0, PASS)


def test_the_eighth_dose_is_no_step() -> None:
    assert verdicts(synthetic.responses({"quotation-8": -40.0}))["dose-response"].statistic == 0.0


def test_saturation_is_the_largest_ratio_of_dose_eight_to_dose_one() -> None:
    changes = {"quotation-1": 4.0, "quotation-8": 6.0, "statistics-1": 2.0, "statistics-8": 5.0}
    found = verdicts(synthetic.responses(changes))["saturation"]
    assert (found.statistic, found.margin, found.status) == (2.5, 0.5, PASS)
    assert found.parts == {"quotation": 1.5, "statistics": 2.5, "cite_sources": 1.0}
    assert found.reason == ""


def test_three_times_the_response_is_still_allowed() -> None:
    allowed = verdicts(synthetic.responses({"quotation-1": 2.0, "quotation-8": 6.0}))["saturation"]
    assert (allowed.statistic, allowed.status) == (3.0, PASS)
    refused = verdicts(synthetic.responses({"quotation-1": 2.0, "quotation-8": 6.125}))["saturation"]
    assert (refused.margin, refused.status) == (-0.0625, FAIL)


def test_a_dose_that_turns_into_a_loss_is_a_negative_ratio_and_passes() -> None:
    found = verdicts(synthetic.responses({f"{lever}-8": -4.0 for lever in LEVERS}))["saturation"]
    assert (found.statistic, found.status) == (-1.0, PASS)


def test_duplication_is_held_against_the_untouched_page() -> None:
    found = verdicts(synthetic.responses({"duplication-1": 2.0, "neutral_filler-1": 9.0}))["duplication"]
    assert (found.statistic, found.margin, found.status) == (2.0, 0.0, PASS)
    assert verdicts(synthetic.responses({"duplication-1": 2.125}))["duplication"].status == FAIL


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


def test_it_is_the_logarithm_that_counts() -> None:
    words = tuple(2**i for i in range(1, 17))
    found = verdicts(synthetic.responses(words=words, spread=[float(i) for i in range(16)]))["length-bias"]
    assert found.statistic == pytest.approx(1.0, abs=1e-12)


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


@pytest.mark.parametrize("first", [0.0, 0.0375, -0.0375])
def test_a_response_under_a_twentieth_of_a_point_has_no_ratio(first: float) -> None:
    found = verdicts(synthetic.responses({"quotation-1": first, "quotation-8": first}))["saturation"]
    assert (found.status, found.statistic, found.margin, found.interval) == (UNDEFINED, None, None, None)
    assert "quotation" in found.reason
    assert "too little for a ratio" in found.reason
    assert not all_passed(judge(synthetic.responses({"quotation-1": first, "quotation-8": first}), draws=0))


@pytest.mark.parametrize("first", [0.0625, -0.0625])
def test_a_response_just_over_it_has_one(first: float) -> None:
    found = verdicts(synthetic.responses({"quotation-1": first, "quotation-8": min(first, 0.0)}))["saturation"]
    assert found.status == PASS


@pytest.mark.parametrize("eighth", [0.0, -0.125, -20.0])
def test_a_lever_that_costs_at_both_doses_passes_as_no_gain(eighth: float) -> None:
    found = verdicts(synthetic.responses({"statistics-1": -1.0, "statistics-8": eighth}))["saturation"]
    assert (found.status, found.reason) == (PASS, "no gain: statistics")
    assert found.parts["statistics"] == 0.0
    assert found.statistic == 1.0


def test_a_lever_that_costs_first_and_gains_at_dose_eight_does_not_pass() -> None:
    found = verdicts(synthetic.responses({"statistics-1": -1.0, "statistics-8": 0.125}))["saturation"]
    assert (found.status, found.statistic) == (FAIL, None)
    assert "costs 1.00 at dose 1 and gains" in found.reason


def test_all_levers_without_gain_pass_at_zero() -> None:
    changes = {f"{lever}-{dose}": -1.0 for lever in LEVERS for dose in (1, 2, 3, 8)}
    found = verdicts(synthetic.responses(changes))["saturation"]
    assert (found.status, found.statistic) == (PASS, 0.0)


def test_a_ratio_over_three_fails_although_another_lever_is_undefined() -> None:
    found = verdicts(synthetic.responses({"quotation-1": 0.0, "statistics-1": 1.0, "statistics-8": 4.0}))["saturation"]
    assert (found.status, found.statistic) == (FAIL, 4.0)


def test_an_unbounded_lever_fails_although_another_is_undefined() -> None:
    found = verdicts(synthetic.responses({"quotation-1": 0.0, "statistics-1": -1.0, "statistics-8": 4.0}))["saturation"]
    assert found.status == FAIL


@pytest.mark.parametrize("sources", [0, 1, MIN_SOURCES - 1])
def test_fewer_than_ten_sources_leave_every_gate_undefined_with_the_reason(sources: int) -> None:
    whole = synthetic.responses()
    few = Responses(whole.sources[:sources], whole.words[:sources], {n: c[:sources] for n, c in whole.points.items()})
    found = judge(few)
    assert {v.status for v in found} == {UNDEFINED}
    assert {v.statistic for v in found} == {None}
    assert {v.reason for v in found} == {f"{format_count(sources, 'source')}; a verdict needs {MIN_SOURCES} or more"}
    assert count_passed(found) == 0


def test_ten_sources_are_enough() -> None:
    assert count_passed(judge(synthetic.responses(words=(200, 400) * 5), draws=10)) == 5


def test_a_constant_scorer_earns_three_passes_and_no_clearance() -> None:
    constant = synthetic.responses(dict.fromkeys(synthetic.SOUND, 0.0), spread=[0.0] * synthetic.SOURCES)
    found = verdicts(constant, draws=20)
    assert {n: v.status for n, v in found.items()} == {
        "negative-control": PASS,
        "dose-response": PASS,
        "saturation": UNDEFINED,
        "duplication": PASS,
        "length-bias": UNDEFINED,
    }
    assert found["length-bias"].reason == "there is no correlation: all pages score the same"
    assert not all_passed(tuple(found.values()))


def test_pages_of_one_length_have_no_length_bias_to_measure() -> None:
    found = verdicts(synthetic.responses(words=[300] * synthetic.SOURCES), draws=20)["length-bias"]
    assert (found.status, found.reason) == (UNDEFINED, "there is no correlation: all pages have the same length")


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


def test_without_draws_there_are_no_intervals() -> None:
    assert {v.interval for v in judge(synthetic.noisy_responses(0), draws=0)} == {None}


def test_resamples_in_which_a_ratio_is_undefined_are_left_out() -> None:
    # One page carries the whole response to quotations: without it in the draw there is no ratio.
    whole = synthetic.responses({"quotation-1": 0.0, "quotation-8": 0.0})
    points = {name: list(column) for name, column in whole.points.items()}
    for dose in (1, 2, 3, 8):
        points[f"quotation-{dose}"][0] += 16.0
    found = verdicts(Responses(whole.sources, whole.words, points), draws=400)["saturation"]
    assert found.status == PASS
    assert found.interval == pytest.approx((1.0, 1.0))
