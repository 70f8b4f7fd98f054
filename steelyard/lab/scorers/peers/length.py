"""length: nothing but the number of words; what any score must differ from. Ours, range 0 to 1000."""

from __future__ import annotations

from steelyard.lab.scorers.base import Range
from steelyard.lab.scorers.peers.base import InProcess

MOST_WORDS = 1000


def words(text: str) -> float:
    """Whitespace words, clipped at 1000: longer texts are all alike to it."""
    return float(min(MOST_WORDS, len(text.split())))


LENGTH = InProcess(
    name="length",
    version="1",
    range=Range(0.0, MOST_WORDS),
    about="the number of words, clipped at 1000",
    measure=words,
)
