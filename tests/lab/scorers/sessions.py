"""Score a text with a scorer, or see how it fails."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from steelyard.lab.scorers.base import POINTS, Passage, Scorer, ScorerFailed


def score(scorer: Scorer, text: str = "a text", language: str = "en") -> float:
    with scorer.open() as session:
        return session.score(Passage(text, language))[POINTS]


def fail(scorer: Scorer, text: str = "a text") -> ScorerFailed:
    with scorer.open() as session, pytest.raises(ScorerFailed) as caught:
        session.score(Passage(text))
    return caught.value


def is_alive(number: int) -> bool:
    try:
        os.kill(number, 0)
        return "zombie" not in Path(f"/proc/{number}/status").read_text()
    except (ProcessLookupError, FileNotFoundError):
        return False
