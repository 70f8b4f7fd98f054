"""Caps: the highest score that a short page can reach."""

from __future__ import annotations

import math

from steelyard.components.arithmetic.numbers import piecewise
from steelyard.support.formatting import format_count
from steelyard.text.prose import Prose

CAPS = ((100, 35.0), (200, 50.0), (300, 65.0))  # below this many words, at most this score
STEPS = ", ".join(f"{limit:.0f} points under {below} words" for below, limit in CAPS)


def cap_for_length(words: int) -> float | None:
    """Return the highest score that a page of this length can reach, or None from 300 words on."""
    return next((limit for below, limit in CAPS if words < below), None)


def format_cap(cap: float) -> str:
    """Return a limit as people read it."""
    return f"{cap:.0f}" if cap.is_integer() else f"{cap:.1f}"


def describe_lift(blended: float, cap: float | None, words: int, prose: Prose | None) -> str:
    """Say how much more would lift the cap, which is no advice to write it; an empty string where none binds."""
    if cap is None or blended <= cap:
        return ""
    if prose is None:
        steps = [(below, cap_for_length(below)) for below, limit in CAPS if words < below and limit < blended]
        told = [
            f"from {below} words {'there is none' if to is None else f'it is {format_cap(to)}'}" for below, to in steps
        ]
        return f"{format_count(steps[-1][0] - words, 'more word')} of text would lift the cap ({', '.join(told)})"
    if is_capped_by_share(prose):
        return "a larger share of running text would lift the cap"
    missing = content_words_for(blended) - prose.content_words
    return f"{format_count(missing, 'more different content word')} in running text would lift the cap"


def describe_hold(blended: float, cap: float | None, prose: Prose | None) -> str:
    """Say which score a page would have and what holds it down; an empty string where no cap binds."""
    if cap is None or blended <= cap:
        return ""
    if prose is None:
        reason = "its length"
    elif is_capped_by_share(prose):
        reason = f"{prose.share:.0%} running text"
    else:
        reason = "having few different words in running text"
    return f"{blended:.1f}, held at {format_cap(cap)} by {reason}"


# Distinct content words in running text, or its share of the page, and the highest score: linear between, so that no
# single word lifts a page by a step.
LEAST = 20.0  # of a page without running text
CONTENT_WORDS, SHARE = 125.0, 0.75  # from which there is no cap
CONTENT_CAPS = ((0.0, LEAST), (CONTENT_WORDS, 100.0))
SHARE_CAPS = ((0.0, LEAST), (SHARE, 100.0))
ENOUGH = 250  # distinct content words in running text of a page that may hold lists and tables of any length


def cap_for_prose(prose: Prose) -> float | None:
    """Return the highest score that a page with so much running text can reach; None if it has enough.

    Repeated sentences add no distinct words, so they lift nothing.
    """
    limit = min(_cap_for_content(prose), _cap_for_share(prose))
    return None if limit >= 100.0 else limit


def is_capped_by_share(prose: Prose) -> bool:
    """Return whether the cap follows from the share of running text, not from how much there is."""
    return _cap_for_share(prose) < _cap_for_content(prose)


def _cap_for_content(prose: Prose) -> float:
    return piecewise(float(prose.content_words), CONTENT_CAPS)


def _cap_for_share(prose: Prose) -> float:
    enough = SHARE * prose.content_words / ENOUGH
    return piecewise(max(prose.share, enough), SHARE_CAPS)


def content_words_for(score: float) -> int:
    """Return the distinct content words in running text from which a page can reach a score."""
    return math.ceil(piecewise(score, [(limit, words) for words, limit in CONTENT_CAPS]))
