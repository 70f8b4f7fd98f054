"""Caps: the highest score that a short page can reach."""

from __future__ import annotations

CAPS = ((100, 35.0), (200, 50.0), (300, 65.0))  # below this many words, at most this score


def cap_for_length(words: int) -> float | None:
    """Return the highest score that a page of this length can reach, or None from 300 words on."""
    return next((limit for below, limit in CAPS if words < below), None)
