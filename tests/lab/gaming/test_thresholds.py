"""The filter's one threshold: set on clean pages alone, in units of each detector's own scale."""

from __future__ import annotations

import random

import pytest

from steelyard.detectors.base import Detector, Measured
from steelyard.detectors.inspected import Examined
from steelyard.detectors.registry import DETECTORS, NAMES
from steelyard.lab.gaming.thresholds import HIGH, NARROW, USUAL, Limits, flagged, limits
from steelyard.lab.stats.summary import quantile
from steelyard.support.artifacts import rounded

Statistics = dict[str, float]


class Loud(Detector):
    about = "a made-up statistic of about a thousand"
    least = 500.0

    def measure(self, page: Examined) -> Measured:
        raise NotImplementedError


class Faint(Loud):
    about = "a made-up statistic of about a thousandth"
    least = 0.0005


BOTH = (Loud(), Faint())


def drawn(number: int, seed: int, heavy: float = 1.0) -> list[Statistics]:
    """Pages with a long tail in both detectors, at scales a million apart."""
    rng = random.Random(seed)
    return [
        {"loud": 1000 * rng.lognormvariate(0, heavy), "faint": 0.001 * rng.lognormvariate(0, heavy)}
        for _ in range(number)
    ]


@pytest.mark.parametrize("rate", [0.0, 0.01, 0.03, 0.1, 0.29])
@pytest.mark.parametrize("number", [1, 2, 10, 33, 50, 100, 150])
@pytest.mark.parametrize("seed", range(3))
def test_no_class_of_clean_pages_exceeds_the_rate(number: int, rate: float, seed: int):
    classes = [drawn(number, seed), drawn(4 * number, seed + 100, heavy=1.5)]
    found = limits(classes, rate, BOTH)
    for pages in classes:
        assert flagged(pages, found.thresholds) <= rate * len(pages)


@pytest.mark.parametrize("seed", range(10))
def test_thresholds_rounded_as_an_artifact_rounds_them_flag_nobody_else(seed: int):
    pages = drawn(150, seed)
    exact = limits([pages], 0.03, BOTH).thresholds
    assert flagged(pages, rounded(dict(exact))) == flagged(pages, exact) == 4


def test_the_worst_class_sets_the_threshold():
    mild, wild = drawn(100, 1, heavy=0.2), drawn(100, 2, heavy=2.0)
    found = limits([mild, wild], 0.03, BOTH)
    assert flagged(wild, found.thresholds) == 3
    assert flagged(mild, found.thresholds) == 0


def test_a_class_without_pages_sets_nothing():
    pages = drawn(50, 3)
    assert limits([pages, []], 0.03, BOTH) == limits([pages], 0.03, BOTH)


def test_thresholds_without_any_clean_page_are_refused():
    with pytest.raises(ValueError, match="clean pages"):
        limits([[], []], 0.03)


def test_every_threshold_is_as_far_along_its_own_scale():
    classes = [drawn(200, 5, heavy=1.5)]
    found = limits(classes, 0.02, BOTH)
    along = []
    for detector in BOTH:
        values = [page[detector.name] for page in classes[0]]
        high, usual = max(detector.least, quantile(values, HIGH)), quantile(values, USUAL)
        assert found.usual[detector.name] == usual
        along.append((found.thresholds[detector.name] - usual) / (high - usual))
    assert along[0] == pytest.approx(along[1])
    assert along[0] >= 1


@pytest.mark.parametrize("rate", [0.0, 0.03, 0.9])
def test_no_threshold_is_ever_below_the_least_and_none_at_what_is_usual(rate: float):
    still = [dict.fromkeys(NAMES, 0.0) for _ in range(30)]
    busy = [{d.name: 100 * d.least for d in DETECTORS} for _ in range(30)]
    for classes in ([still], [busy], [still, busy]):
        found = limits(classes, rate)
        for detector in DETECTORS:
            assert found.thresholds[detector.name] >= detector.least
            assert found.usual[detector.name] < found.thresholds[detector.name]


def test_pages_without_any_finding_leave_the_threshold_at_the_least():
    found = limits([[dict.fromkeys(NAMES, 0.0)] * 20], 0.03)
    assert found.usual == dict.fromkeys(NAMES, 0.0)
    assert found.thresholds == pytest.approx({d.name: d.least for d in DETECTORS})


def test_a_detector_that_says_the_same_of_all_pages_still_has_a_scale():
    found = limits([[{"loud": 800.0, "faint": 0.0}] * 40], 0.03, BOTH)
    assert found.usual["loud"] == NARROW * 800
    assert flagged([{"loud": 800.0, "faint": 0.0}], found.thresholds) == 0


def test_a_page_inside_every_scale_is_not_flagged_at_any_rate():
    pages = drawn(100, 8, heavy=0.5)
    found = limits([pages], 0.5, BOTH)
    high = {d.name: max(d.least, quantile([p[d.name] for p in pages], HIGH)) for d in BOTH}
    assert all(found.thresholds[name] >= high[name] for name in high)


def test_the_order_of_pages_and_classes_changes_nothing():
    one, other = drawn(60, 11), drawn(80, 12)
    assert limits([one, other], 0.05, BOTH) == limits([other[::-1], one[::-1]], 0.05, BOTH)


def test_a_page_is_flagged_once_whichever_and_however_many_detectors_pass():
    limit = Limits({}, {"loud": 1.0, "faint": 1.0})
    pages = [{"loud": a, "faint": b} for a, b in ((1, 1), (2, 0), (0, 2), (2, 2), (0, 0))]
    assert flagged(pages, limit.thresholds) == 3
    assert flagged([], limit.thresholds) == 0
