"""The filter's one threshold: set on clean pages alone, in units of each detector's own scale."""

from __future__ import annotations

import random
from itertools import product

import pytest

from steelyard.detectors.base import Detector, Measurement, PageWords
from steelyard.detectors.registry import DETECTORS, NAMES
from steelyard.lab.gaming.thresholds import HIGH, NARROW, USUAL, Limits, fit_limits
from steelyard.support.artifacts import round_floats
from steelyard.support.quantile import quantile

Statistics = dict[str, float]


class Loud(Detector):
    lowest_threshold = 500.0

    def measure(self, page: PageWords) -> Measurement:
        raise NotImplementedError


class Faint(Loud):
    lowest_threshold = 0.0005


BOTH = (Loud(), Faint())


def drawn(number: int, seed: int, heavy: float = 1.0) -> list[Statistics]:
    """Pages with a long tail in both detectors, at scales a million apart."""
    rng = random.Random(seed)
    return [
        {"loud": 1000 * rng.lognormvariate(0, heavy), "faint": 0.001 * rng.lognormvariate(0, heavy)}
        for _ in range(number)
    ]


def count(limits: Limits, pages: list[Statistics]) -> int:
    return sum(map(limits.flags, pages))


@pytest.mark.parametrize("rate", [0.0, 0.01, 0.03, 0.1, 0.29])
def test_no_class_of_clean_pages_exceeds_the_rate(rate: float):
    for number, seed in product((1, 2, 10, 33, 50, 100, 150), range(3)):
        classes = [drawn(number, seed), drawn(4 * number, seed + 100, heavy=1.5)]
        found = fit_limits(classes, rate, BOTH)
        for pages in classes:
            assert count(found, pages) <= rate * len(pages)


def test_thresholds_rounded_as_an_artifact_rounds_them_flag_nobody_else():
    for seed in range(10):
        pages = drawn(150, seed)
        exact = fit_limits([pages], 0.03, BOTH)
        stored = Limits(exact.usual, round_floats(dict(exact.thresholds)))
        assert count(stored, pages) == count(exact, pages) == 4


def test_the_worst_class_sets_the_threshold():
    mild, wild = drawn(100, 1, heavy=0.2), drawn(100, 2, heavy=2.0)
    found = fit_limits([mild, wild], 0.03, BOTH)
    assert count(found, wild) == 3
    assert count(found, mild) == 0


def test_a_class_without_pages_sets_nothing():
    pages = drawn(50, 3)
    assert fit_limits([pages, []], 0.03, BOTH) == fit_limits([pages], 0.03, BOTH)


def test_thresholds_without_any_clean_page_are_refused():
    with pytest.raises(ValueError, match="clean pages"):
        fit_limits([[], []], 0.03)


def test_every_threshold_is_as_far_along_its_own_scale():
    classes = [drawn(200, 5, heavy=1.5)]
    found = fit_limits(classes, 0.02, BOTH)
    along = []
    for detector in BOTH:
        values = [page[detector.name] for page in classes[0]]
        high, usual = max(detector.lowest_threshold, quantile(values, HIGH)), quantile(values, USUAL)
        assert found.usual[detector.name] == usual
        along.append((found.thresholds[detector.name] - usual) / (high - usual))
    assert along[0] == pytest.approx(along[1])
    assert along[0] >= 1


@pytest.mark.parametrize("rate", [0.0, 0.03, 0.9])
def test_no_threshold_is_ever_below_the_least_and_none_at_what_is_usual(rate: float):
    still = [dict.fromkeys(NAMES, 0.0) for _ in range(30)]
    busy = [{d.name: 100 * d.lowest_threshold for d in DETECTORS} for _ in range(30)]
    for classes in ([still], [busy], [still, busy]):
        found = fit_limits(classes, rate)
        for detector in DETECTORS:
            assert found.thresholds[detector.name] >= detector.lowest_threshold
            assert found.usual[detector.name] < found.thresholds[detector.name]


def test_pages_without_any_finding_leave_the_threshold_at_the_least():
    found = fit_limits([[dict.fromkeys(NAMES, 0.0)] * 20], 0.03)
    assert found.usual == dict.fromkeys(NAMES, 0.0)
    assert found.thresholds == pytest.approx({d.name: d.lowest_threshold for d in DETECTORS})


def test_a_detector_that_says_the_same_of_all_pages_still_has_a_scale():
    found = fit_limits([[{"loud": 800.0, "faint": 0.0}] * 40], 0.03, BOTH)
    assert found.usual["loud"] == NARROW * 800
    assert count(found, [{"loud": 800.0, "faint": 0.0}]) == 0


def test_a_page_inside_every_scale_is_not_flagged_at_any_rate():
    pages = drawn(100, 8, heavy=0.5)
    found = fit_limits([pages], 0.5, BOTH)
    high = {d.name: max(d.lowest_threshold, quantile([p[d.name] for p in pages], HIGH)) for d in BOTH}
    assert all(found.thresholds[name] >= high[name] for name in high)


def test_the_order_of_pages_and_classes_changes_nothing():
    one, other = drawn(60, 11), drawn(80, 12)
    assert fit_limits([one, other], 0.05, BOTH) == fit_limits([other[::-1], one[::-1]], 0.05, BOTH)


def test_a_page_is_flagged_once_whichever_and_however_many_detectors_pass():
    limit = Limits({}, {"loud": 1.0, "faint": 1.0})
    pages = [{"loud": a, "faint": b} for a, b in ((1.0, 1.0), (2.0, 0.0), (0.0, 2.0), (2.0, 2.0), (0.0, 0.0))]
    assert count(limit, pages) == 3
    assert count(limit, []) == 0
