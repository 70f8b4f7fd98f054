"""The arithmetic of a score, recomputed from its parts: readings, points, content, blend, cap and guard."""

from __future__ import annotations

import math
from collections.abc import Iterable

from fuzz.checks import Problems
from steelyard.components import COMPONENTS, NAMES
from steelyard.components.base import DECIMALS
from steelyard.detectors.layered_filter import ManipulationReport
from steelyard.scoring import editions
from steelyard.scoring.freshness import TERMS
from steelyard.scoring.page import PageScore

TOLERANCE = 1e-9  # sums in another order
# Written here again, so that a change there is noticed.
_CAPS_BY_WORDS = ((100, 35.0), (200, 50.0), (300, 65.0))
_LOWEST_CAP, _CONTENT_WORDS, _ENOUGH_CONTENT_WORDS, _SHARE = 20.0, 125, 250, 0.75  # of running text
_GUARDS = {"near-empty": {5.0}, "gibberish": {5.0, 10.0}, "word-salad": {10.0}}


def check_score(page: PageScore) -> Problems:
    """Check every number of a score against the others."""
    yield from check_ranges(page)
    yield from _check_readings(page)
    points = [page.weights[name] * 100 * math.sqrt(page.readings[name].value / 100) for name in NAMES]
    for name, expected in zip(NAMES, points, strict=True):
        if not math.isclose(page.contributions[name], expected, abs_tol=TOLERANCE):
            yield "points", f"{name} contributes {page.contributions[name]!r}, recomputed {expected!r}"
    if not math.isclose(page.content, min(100.0, math.fsum(page.contributions.values())), abs_tol=TOLERANCE):
        yield "content", f"{page.content!r} is not the sum {math.fsum(page.contributions.values())!r}"
    terms = math.fsum(weight * page.fresh.terms[name] for name, weight in TERMS)
    if not math.isclose(page.freshness, terms, abs_tol=TOLERANCE):
        yield "freshness", f"{page.freshness!r} is not {terms!r}"
    yield from _check_last_steps(page)


def check_ranges(page: PageScore) -> Problems:
    """Check that every number is in its range."""
    named = {"score": page.score, "content": page.content, "freshness": page.freshness}
    named |= {f"freshness of {name}": value for name, value in page.fresh.terms.items()}
    named |= {f"{n} of {n}": v for n, v in page.unvalidated._asdict().items() if v is not None}
    if page.placement is not None:
        named["percentile"] = 100 * page.placement.share
    for name, value in named.items():
        if not (math.isfinite(value) and 0 <= value <= 100):
            yield "range", f"{name} is {value!r}"
    if page.words < 0:
        yield "range", f"{page.words} words"
    if page.language not in editions.load(page.scoring.edition).languages:
        yield "language", f"{page.language!r} in edition {page.scoring.edition}"


def _check_readings(page: PageScore) -> Problems:
    if tuple(page.readings) != NAMES:
        yield "components", f"{tuple(page.readings)}"
        return
    for component in COMPONENTS:
        reading = page.readings[component.name]
        missing = set(component.symbols) - set(reading.parts)
        if missing:
            yield "parts", f"{component.name} has no {', '.join(sorted(missing))}"
            continue
        constants = {case.reason: case.value for case in component.degenerate}
        if reading.degenerate is None:
            expected = round(component.value(reading.parts), DECIMALS)
        elif reading.degenerate in constants:
            expected = constants[reading.degenerate]
        else:
            yield "degenerate", f"{component.name}: unknown reason {reading.degenerate!r}"
            continue
        if reading.value != expected:
            yield "value", f"{component.name} is {reading.value!r}, its formula gives {expected!r}"


def _check_last_steps(page: PageScore) -> Problems:
    if page.scoring.edition == editions.PAPER:
        cap = next((limit for below, limit in _CAPS_BY_WORDS if page.words < below), None)
        if page.cap != cap:
            yield "cap", f"{page.cap} for {page.words} words"
    else:
        yield from _check_cap_of_prose(page)
    if (page.guard == "near-empty") != (page.words < 5):
        yield "guard", f"{page.guard} with {page.words} words"
    if page.guard is not None:
        if page.score not in _GUARDS[page.guard]:
            yield "guard", f"{page.guard} gives {page.score!r}"
        return
    expected = min(100.0 if page.cap is None else page.cap, 0.92 * page.content + 0.08 * page.freshness)
    if not math.isclose(page.score, expected, abs_tol=TOLERANCE):
        yield "score", f"{page.score!r}, recomputed {expected!r}"


def _check_cap_of_prose(page: PageScore) -> Problems:
    prose = page.prose
    if prose is None:
        yield "prose", f"none in edition {page.scoring.edition}"
        return
    if not (0 <= prose.content_words <= prose.words <= page.words and 0 <= prose.share <= 1):
        yield "prose", f"{prose} of {page.words} words"
    # A page with so much running text that it needs no cap may hold as much again of anything, in proportion.
    share = max(prose.share, _SHARE * prose.content_words / _ENOUGH_CONTENT_WORDS)
    filled = min(prose.content_words / _CONTENT_WORDS, share / _SHARE)
    expected = _LOWEST_CAP + (100 - _LOWEST_CAP) * filled
    if expected < 100 - TOLERANCE:
        if page.cap is None or not math.isclose(page.cap, expected, abs_tol=TOLERANCE):
            yield "cap", f"{page.cap!r} for {prose}, recomputed {expected!r}"
    elif page.cap is not None and page.cap < 100 - TOLERANCE:
        yield "cap", f"{page.cap!r} for {prose}, which needs none"


def check_report(report: ManipulationReport) -> Problems:
    """Check the detectors' report against itself."""
    signals: Iterable[tuple[str, float]] = [(name, s.suspicion) for name, s in report.signals.items()]
    for name, level in signals:
        if not 0 <= level <= 1:
            yield "suspicion", f"{name}: {level!r}"
    for name, signal in report.signals.items():
        if not (math.isfinite(signal.statistic) and signal.statistic >= 0):
            yield "statistic", f"{name}: {signal.statistic!r}"
        if signal.flagged != (signal.statistic > signal.threshold):
            yield "flagged", f"{name}: {signal.statistic!r} against {signal.threshold!r}, flagged {signal.flagged}"
    if report.flagged != any(s.flagged for s in report.signals.values()):
        yield "flagged", "the page is not what its signals say"
    if report.suspicion != max(level for _, level in signals):
        yield "suspicion", f"{report.suspicion!r} is not the highest"
    if {place.detector for place in report.evidence} - {n for n, s in report.signals.items() if s.flagged}:
        yield "flagged", "a place of a detector that does not flag the page"


def list_numbers(page: PageScore) -> tuple[object, ...]:
    """Return everything of a score that does not depend on whether evidence is located."""
    readings = [(n, r.value, r.degenerate, repr(r.parts)) for n, r in page.readings.items()]
    steps = (page.score, page.content, page.freshness, page.words, page.cap, page.guard, page.guard_reason)
    about = (page.language, page.detected, page.title, page.scoring.hash, page.placement)
    return (*steps, *about, readings, list(page.contributions.items()), page.fresh.terms, page.fresh.is_dated)
