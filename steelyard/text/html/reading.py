"""How well an HTML page was read, as it is told; loaded without what judges it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Confidence = Literal["good", "doubtful", "failed"]


@dataclass(frozen=True, slots=True)
class HtmlReading:
    """How well an HTML page was read.

    Attributes:
        confidence: "good"; "doubtful", which is scored and said first; "failed", which is not scored.
        read_share: Words that were read, of the words that a visitor sees; 0 where a visitor sees none.
        reason: Why it is not good.
    """

    confidence: Confidence
    read_share: float
    reason: str | None = None
