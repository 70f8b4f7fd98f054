"""The detectors' limits: set on clean pages alone, each by the class that is worst for it."""

from __future__ import annotations

import random
from itertools import product

import pytest

from steelyard.detectors import DETECTORS, NAMES
from steelyard.detectors.base import Detector, Measurement, PageWords
from steelyard.lab.gaming.readings import NARROW, USUAL, Limits, fit_limits
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


def count_by(limits: Limits, name: str, pages: list[Statistics]) -> int:
    return sum(page[name] > limits.thresholds[name] for page in pages)


@pytest.mark.parametrize("rate", [0.0, 0.01, 0.03, 0.1, 0.29])
def test_no_detector_exceeds_the_rate_on_any_class_of_clean_pages(rate: float):
    for number, seed in product((1, 2, 10, 33, 50, 100, 150), range(3)):
        classes = [drawn(number, seed), drawn(4 * number, seed + 100, heavy=1.5)]
        found = fit_limits(classes, rate, BOTH)
        for pages, detector in product(classes, BOTH):
            assert count_by(found, detector.name, pages) <= rate * len(pages)


def test_thresholds_rounded_as_an_artifact_rounds_them_flag_nobody_else():
    for seed in range(10):
        pages = drawn(150, seed)
        exact = fit_limits([pages], 0.03, BOTH)
        stored = Limits(exact.usual, round_floats(dict(exact.thresholds)))
        assert count(stored, pages) == count(exact, pages)
        assert count_by(exact, "loud", pages) == 4


def test_the_class_that_is_worst_for_a_detector_sets_its_limit():
    mild, wild = drawn(100, 1, heavy=0.2), drawn(100, 2, heavy=2.0)
    found = fit_limits([mild, wild], 0.03, BOTH)
    for detector in BOTH:
        assert count_by(found, detector.name, wild) == 3
        assert count_by(found, detector.name, mild) == 0


def test_a_page_that_is_extreme_for_one_detector_moves_no_other():
    pages = drawn(100, 4)
    odd = [*pages[:-10], *({**page, "loud": 1e9} for page in pages[-10:])]
    assert fit_limits([odd], 0.03, BOTH).thresholds["faint"] == fit_limits([pages], 0.03, BOTH).thresholds["faint"]


def test_what_is_usual_is_the_third_quartile_of_all_clean_pages():
    classes = [drawn(200, 5, heavy=1.5), drawn(100, 6)]
    found = fit_limits(classes, 0.02, BOTH)
    for detector in BOTH:
        values = [page[detector.name] for pages in classes for page in pages]
        assert found.usual[detector.name] == quantile(values, USUAL)


@pytest.mark.parametrize("rate", [0.0, 0.03, 0.9])
def test_no_threshold_is_ever_below_the_least_and_none_at_what_is_usual(rate: float):
    still = [dict.fromkeys(NAMES, 0.0) for _ in range(30)]
    busy = [{d.name: 100 * d.lowest_threshold for d in DETECTORS} for _ in range(30)]
    for classes in ([still], [busy], [still, busy]):
        found = fit_limits(classes, rate)
        for detector in DETECTORS:
            assert found.thresholds[detector.name] >= detector.lowest_threshold
            assert found.usual[detector.name] < found.thresholds[detector.name]


def test_a_detector_that_says_the_same_of_all_pages_still_has_a_scale():
    found = fit_limits([[{"loud": 800.0, "faint": 0.0}] * 40], 0.03, BOTH)
    assert found.usual["loud"] == pytest.approx(NARROW * 800)
    assert count(found, [{"loud": 800.0, "faint": 0.0}]) == 0


def test_the_order_of_pages_and_empty_classes_change_nothing():
    one, other = drawn(60, 11), drawn(80, 12)
    assert fit_limits([one, other], 0.05, BOTH) == fit_limits([other[::-1], [], one[::-1]], 0.05, BOTH)
    with pytest.raises(ValueError, match="clean pages"):
        fit_limits([[], []], 0.03)


def test_a_page_is_flagged_once_whichever_and_however_many_detectors_pass():
    limit = Limits({}, {"loud": 1.0, "faint": 1.0})
    pages = [{"loud": a, "faint": b} for a, b in ((1.0, 1.0), (2.0, 0.0), (0.0, 2.0), (2.0, 2.0), (0.0, 0.0))]
    assert count(limit, pages) == 3
    assert count(limit, []) == 0
