"""How well an HTML page was read, as it is told; loaded without what judges it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Confidence = Literal["good", "doubtful", "failed"]
HIDDEN_TEXT = "most of the page's text is hidden until a script shows it"
SCRIPTED_TEXT = "most of the page's text is only in scripts"


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


def needs_scripts(reason: str | None) -> bool:
    """Return whether a reading is not good because of text that only scripts show."""
    return (reason or "").startswith((HIDDEN_TEXT, SCRIPTED_TEXT))
