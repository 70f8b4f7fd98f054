"""Caps: the highest score that a short page can reach."""

from __future__ import annotations

import math

from steelyard.components.arithmetic.numbers import piecewise

CAPS = ((100, 35.0), (200, 50.0), (300, 65.0))  # below this many words, at most this score


def cap_for_length(words: int) -> float | None:
    """Return the highest score that a page of this length can reach, or None from 300 words on."""
    return next((limit for below, limit in CAPS if words < below), None)


def format_cap(cap: float) -> str:
    """Return a limit as people read it."""
    return f"{cap:.0f}" if cap.is_integer() else f"{cap:.1f}"


def describe_hold(blended: float, cap: float | None, *, by_length: bool) -> str:
    """Say which score a page would have and what holds it down; an empty string where no cap binds."""
    if cap is None or blended <= cap:
        return ""
    return f"{blended:.1f}, held at {format_cap(cap)} by {'its length' if by_length else 'having few different words'}"


# Distinct content words and the highest score: linear between, so that no single word lifts a page by a step.
CONTENT_CAPS = ((0.0, 45.0), (140.0, 100.0))


def cap_for_content(words: int) -> float | None:
    """Return the highest score that a page with so many distinct content words can reach; None if it has enough.

    Repeated sentences add no distinct words, so they lift nothing.
    """
    return None if words >= CONTENT_CAPS[-1][0] else piecewise(float(words), CONTENT_CAPS)


def content_words_for(score: float) -> int:
    """Return the distinct content words from which a page can reach a score."""
    return math.ceil(piecewise(score, [(limit, words) for words, limit in CONTENT_CAPS]))
