"""The verdicts that a statistician would give, on scorers whose faults are known and in simulated samples."""

from __future__ import annotations

import functools
import hashlib
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping

import numpy as np
import pytest

import steelyard
from steelyard.lab.protocol.falsify import Falsified
from steelyard.lab.protocol.gates import GATES, NAMES, Verdict, estimate_sources, judge
from steelyard.lab.protocol.gates.base import FAIL, PASS, UNDECIDED, UNDEFINED, Gate
from steelyard.lab.protocol.gates.duplication import Duplication
from steelyard.lab.protocol.responses import Responses
from steelyard.lab.protocol.variants import Variant
from steelyard.lab.stats.intervals import interval_of_worst
from tests.lab.protocol import synthetic
from tests.lab.protocol.test_each_gate_can_fail import sound

DRAWS = 300
BY_NAME: dict[str, Gate] = {gate.name: gate for gate in GATES}


@pytest.fixture(autouse=True, scope="module")
def edited_once() -> Iterator[None]:
    """Edit every page once for all scorers, which takes longer than to score it."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Variant, "apply", functools.cache(Variant.apply))
        yield


@functools.cache
def falsify(scorer: Callable[[str], float] | str) -> Falsified:
    return steelyard.falsify(scorer, "demo", draws=DRAWS, as_of="2026-07-01")


def statuses(found: Falsified) -> dict[str, str]:
    return {name: verdict.status for name, verdict in found.gates.items()}


def draw(text: str, seed: int) -> float:
    """Return a number from 0 to 1 that depends on every letter, and is the same for the same text."""
    return int.from_bytes(hashlib.sha256(f"{seed}|{text}".encode()).digest()[:8], "big") / 2**64


# Scorers


def test_a_constant_is_not_cleared_since_nothing_responds() -> None:
    found = falsify(lambda text: 50.0)
    assert statuses(found) == {
        "negative-control": PASS,
        "dose-response": UNDECIDED,
        "saturation": UNDEFINED,
        "duplication": PASS,
        "length-bias": UNDEFINED,
    }
    assert "nothing responds" in found.gates["dose-response"].reason
    assert found.gates["dose-response"].needed is None  # no number of pages would make it respond
    assert not found.survives


def test_a_count_of_words_fails_length_bias_and_duplication() -> None:
    for scorer in (lambda text: min(100.0, len(text.split()) / 40), "length"):
        found = falsify(scorer)
        assert (statuses(found)["length-bias"], statuses(found)["duplication"]) == (FAIL, FAIL)
        assert found.gates["length-bias"].statistic == pytest.approx(1.0, abs=0.1)
        assert not found.survives


def test_a_random_scorer_never_survives_and_is_mostly_undecided() -> None:
    """The worst of several noisy figures is far from its bound by chance alone: that was a failure."""
    seen: Counter[tuple[str, str]] = Counter()
    seeds = range(10)
    for seed in seeds:
        found = falsify(lambda text: 100 * draw(text, seed))  # noqa: B023 - called within the turn
        assert not found.survives, seed
        seen.update(statuses(found).items())
    # Its truth is on the bound of the first, and inside the bounds of the others: a failure is an accident.
    assert {name: seen[name, FAIL] for name in NAMES if seen[name, FAIL] > 1} == {}, seen
    for name in ("negative-control", "dose-response", "saturation", "duplication"):
        assert seen[name, UNDECIDED] >= 8, seen
    assert sum(seen[name, UNDECIDED] for name in NAMES) >= 40, seen


def test_noise_widens_the_intervals_and_overturns_no_verdict() -> None:
    quiet = falsify(sound)
    assert statuses(quiet)["dose-response"] == statuses(quiet)["saturation"] == PASS
    for seed in range(3):
        noisy = falsify(lambda text: 10 + 0.8 * sound(text) + 10 * draw(text, seed))  # noqa: B023 - as above
        for name, verdict in noisy.gates.items():
            before = quiet.gates[name]
            assert verdict.status in (before.status, UNDECIDED), (seed, name)
            if name != "length-bias":  # a correlation falls towards 0 instead
                assert _width(verdict) > _width(before), (seed, name)


def _width(verdict: Verdict) -> float:
    return verdict.interval[1] - verdict.interval[0] if verdict.interval else math.inf


# What the demo pages say of each gate, in the order of the gates. Their number (41) is too small to tell whether a
# score that depends on length a little depends on it too much.
VERDICTS = {
    "shipped": (PASS, PASS, PASS, PASS, UNDECIDED),
    "length": (PASS, UNDECIDED, UNDEFINED, FAIL, FAIL),
    # The same block once more compresses better, so that the score falls with every dose.
    "compression": (PASS, FAIL, PASS, PASS, UNDECIDED),
    # A page passes or fails most rules together, so that most pages score the same.
    "gopher-rules": (PASS, FAIL, UNDEFINED, PASS, UNDECIDED),
}
SLOW = {
    "2026": (PASS, PASS, PASS, PASS, UNDECIDED),
    "textstat-flesch": (PASS, UNDECIDED, PASS, PASS, UNDECIDED),
    "geo-optimizer": (PASS, FAIL, PASS, PASS, UNDECIDED),
}


def assert_verdicts(expected: Mapping[str, tuple[str, ...]]) -> None:
    for name, wanted in expected.items():
        found = falsify(name)
        assert tuple(statuses(found).values()) == wanted, name
        for gate, verdict in found.gates.items():
            assert_consistent(BY_NAME[gate], verdict, name)
        assert not found.survives, name


def test_our_score_and_simple_ones_get_the_verdicts_of_their_intervals() -> None:
    assert_verdicts(VERDICTS)


@pytest.mark.full
def test_another_edition_and_the_installed_peers_get_the_verdicts_of_their_intervals() -> None:
    assert_verdicts(SLOW)


def test_a_gate_that_some_resamples_cannot_measure_says_so() -> None:
    verdict = falsify("gopher-rules").gates["length-bias"]
    assert verdict.status == UNDECIDED
    assert "without a figure in" in verdict.reason


def assert_consistent(gate: Gate, verdict: Verdict, context: object) -> None:
    """Assert that a decided verdict holds at both ends of its interval, and an undecided one at one of them."""
    at = (context, verdict)
    if verdict.interval is None or verdict.statistic is None:
        assert verdict.status != PASS, at
        return
    low, high = verdict.interval
    assert low <= verdict.statistic <= high, at
    sides = {gate.passes(low), gate.passes(high)}
    if verdict.status in (PASS, FAIL):
        assert sides == {verdict.status == PASS}, at
        assert verdict.needed is None, at
    elif len(sides) == 2 and verdict.needed is not None:
        assert verdict.needed > 10, at


# Ends on the bound


@pytest.mark.parametrize("gate", GATES, ids=lambda gate: gate.name)
def test_an_interval_that_ends_on_the_bound_passes_from_the_passing_side_only(gate: Gate) -> None:
    sign = 1 if gate.is_upper_bound else -1
    inside, outside = gate.bound - sign * 0.25, gate.bound + sign * 0.25
    assert all(map(gate.passes, (inside, gate.bound)))  # the bound itself passes, so the whole interval does
    assert {gate.passes(gate.bound), gate.passes(outside)} == {True, False}  # held against it: undecided


def test_doubling_that_gains_exactly_the_bound_passes_and_a_hair_more_fails() -> None:
    for gain, status in ((2.0, PASS), (2.125, FAIL)):
        found = {v.gate: v for v in judge(synthetic.responses({"duplication-1": gain}), draws=50)}["duplication"]
        assert (found.status, found.interval, found.needed) == (status, (gain, gain), None)
    # Half of the pages gain 2 and half gain more: a resample may hold none of these.
    gains = [2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 4.0]
    found = judge_gains(gains)
    assert found.interval is not None
    assert (found.status, found.by_estimate, found.interval[0]) == (UNDECIDED, False, 2.0)
    assert found.needed is not None
    assert found.needed > len(gains)


def judge_gains(gains: list[float], draws: int = 400) -> Verdict:
    """Return the verdict on pages of which doubling moves each by so much."""
    whole = synthetic.responses(words=[200 + i % 2 for i in range(len(gains))])
    points = {**whole.points, "duplication-1": [b + g for b, g in zip(whole.points["base"], gains, strict=True)]}
    responses = Responses(whole.sources, whole.words, points)
    return {v.gate: v for v in judge(responses, draws=draws)}["duplication"]


def test_without_resamples_the_figure_alone_decides() -> None:
    for changes in ({}, {"duplication-1": 2.125}, {"keyword_stuffing-8": 0.5}):
        for verdict in judge(synthetic.responses(changes), draws=0):
            assert verdict.interval is None
            assert verdict.needed is None
            assert verdict.status == (PASS if verdict.by_estimate else FAIL)


# The worst of several


def test_the_interval_of_the_worst_of_several_holds_the_truth() -> None:
    """Six steps of which none is there, and the smallest of them resampled."""
    held = naive = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        pages = rng.standard_normal((40, 6))
        resamples = [pages[rng.integers(0, 40, 40)].mean(axis=0).tolist() for _ in range(200)]
        found = interval_of_worst(resamples, largest=False)
        assert found is not None
        held += found[0] <= 0 <= found[1]
        naive += bool(np.quantile([min(r) for r in resamples], 0.975) >= 0)
    assert held >= 90
    assert naive < held


def test_an_end_is_infinite_where_a_ratio_has_no_bound() -> None:
    assert interval_of_worst([[1.0], [1.0], [math.inf], [math.inf]], largest=True) == (1.0, math.inf)
    assert interval_of_worst([[1.0, None]] * 4, largest=True) == (1.0, 1.0)
    assert interval_of_worst([[None]] * 4, largest=True) is None
    assert interval_of_worst([], largest=True) is None


def test_a_ratio_without_a_bound_in_some_resamples_is_undecided() -> None:
    """One page decides whether the first dose costs or gains; dose 8 gains: that was a failure, or a pass."""
    for first in (6.0, -6.0):
        whole = synthetic.responses({f"quotation-{dose}": 0.0 for dose in (1, 2, 3)} | {"quotation-8": 1.0})
        points = {name: list(column) for name, column in whole.points.items()}
        points["quotation-1"] = [b + first * (1 if i % 2 else -0.9) for i, b in enumerate(points["base"])]
        verdict = {v.gate: v for v in judge(Responses(whole.sources, whole.words, points), draws=300)}["saturation"]
        assert verdict.status == UNDECIDED, first
        assert "the interval has no bound" in verdict.reason, first
        assert verdict.needed is None, first


# How many pages would decide


def test_the_number_of_pages_we_name_decides_in_four_of_five_samples() -> None:
    spread, truth = 3.0, 1.0  # the bound is 2
    rng = np.random.default_rng(0)
    half = 1.96 * spread / math.sqrt(20)
    needed = estimate_sources(Duplication(), truth, (truth - half, truth + half), 20)
    assert needed is not None
    statuses = [judge_gains(rng.normal(truth, spread, needed).tolist(), 150).status for _ in range(30)]
    assert 19 <= statuses.count(PASS) <= 29, Counter(statuses)
    assert FAIL not in statuses
    few = [judge_gains(rng.normal(truth, spread, needed // 4).tolist(), 150).status for _ in range(20)]
    assert few.count(UNDECIDED) > 10, Counter(few)


def test_the_number_needed_follows_from_the_undecided_sample_itself() -> None:
    """From each undecided sample: as many new pages as it asks for decide more often than not."""
    rng = np.random.default_rng(1)
    asked = decided = 0
    while asked < 20:
        first = judge_gains(rng.normal(1.0, 3.0, 24).tolist(), 150)
        if first.status == UNDECIDED and first.needed is not None:
            asked += 1
            number = min(first.needed, 600)
            decided += judge_gains(rng.normal(1.0, 3.0, number).tolist(), 100).status != UNDECIDED
    assert decided > asked / 2


def test_no_number_is_named_where_none_would_do() -> None:
    gate = Duplication()
    assert estimate_sources(gate, 2.0, (1.0, 3.0), 50) is None  # the figure is on the bound
    assert estimate_sources(gate, 2.0 - 1e-6, (1.0, 3.0), 50) is None  # more than anybody has
    assert estimate_sources(gate, 1.0, (0.0, 2.5), 50) == math.ceil(50 * (1.5 * (1 + 0.8416 / 1.96)) ** 2)
    # An interval that just reaches the bound needs more pages than there are, not as many.
    assert (estimate_sources(gate, 2.5, (2.0, 3.0), 50) or 0) > 50
