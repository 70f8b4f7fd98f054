"""A scorer for tests of the capture, in a file of its own so that a worker that imports it starts fast."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from steelyard.lab.scorers.base import POINTS, Passage


@dataclass(frozen=True)
class SlowScorer:
    """A scorer that waits, differently long for each `order`, and always returns the same values."""

    order: int = 0
    slowest: float = 0.0
    parallel: bool = True

    @property
    def name(self) -> str:
        return "slow"

    def __repr__(self) -> str:
        return "SlowScorer()"

    @contextmanager
    def open(self) -> Iterator[SlowScorer]:
        yield self

    def score(self, passage: Passage) -> Mapping[str, float]:
        time.sleep(self.slowest * share(f"{self.order}|{passage.text[:40]}"))
        return {POINTS: 100 * share(passage.text), "words": float(len(passage.text.split()))}


def share(text: str) -> float:
    """A number from 0 to 1 that depends on every letter."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big") / 2**48
