"""The paper's two web-spam baselines: one figure of the whole page each, nothing fitted."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

_TOKEN = re.compile(r"[^\W_]+")
SHINGLE = 5  # words


def measure_repetition_rate(text: str) -> float:
    """Return the share of the page's tokens that occurred before."""
    tokens = _TOKEN.findall(text.lower())
    return 1 - len(set(tokens)) / len(tokens) if tokens else 0.0


def measure_repeated_shingles(text: str) -> float:
    """Return the share of the page's five-word sequences that occurred before."""
    tokens = _TOKEN.findall(text.lower())
    shingles = list(zip(*(tokens[at:] for at in range(SHINGLE)), strict=False))
    return 1 - len(set(shingles)) / len(shingles) if shingles else 0.0


BASELINES: Mapping[str, Callable[[str], float]] = {
    "repetition_rate": measure_repetition_rate,
    "repeated_shingles": measure_repeated_shingles,
}
