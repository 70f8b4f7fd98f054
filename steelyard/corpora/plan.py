"""What a run does: its files, columns, thresholds and settings, without how fast it does it."""

from __future__ import annotations

from dataclasses import dataclass, field

from steelyard.corpora.columns import Added
from steelyard.corpora.corpus_files import CorpusFile, Format
from steelyard.settings import Settings

ROWS_PER_PART = 10_000  # the work that a killed run can lose
MAX_ROW = 50_000_000  # bytes of a JSONL line; a longer one is skipped without being held in memory
MAX_TEXT = 5_000_000  # characters of a row's text or HTML; of the text itself fewer are allowed


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What a row must meet to be kept; a row that could not be scored meets none."""

    min_score: float | None = None
    min_percentile: float | None = None
    drop_flagged: bool = False

    @property
    def given(self) -> bool:
        """Whether there is any."""
        return self.min_score is not None or self.min_percentile is not None or self.drop_flagged

    def find_reason(self, score: float, percentile: float | None, flagged: bool) -> str | None:
        """Return the first reason to reject a scored row, or None."""
        if self.min_score is not None and score < self.min_score:
            return f"score below the minimum: {score:.2f} is below {self.min_score:g}"
        if self.min_percentile is not None:
            if percentile is None:
                return "no percentile: there are no reference pages in this language"
            if percentile < self.min_percentile:
                return f"percentile below the minimum: {percentile:.2f} is below {self.min_percentile:g}"
        return "flagged by a detector" if self.drop_flagged and flagged else None


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that the bytes of the output depend on."""

    files: tuple[CorpusFile, ...]
    output: str
    format: Format
    settings: Settings
    text: str = "text"
    url: str | None = None
    thresholds: Thresholds = Thresholds()
    added: Added = field(default_factory=Added)
    rejects: str | None = None
    max_bytes: int = MAX_ROW
    rows_per_part: int = ROWS_PER_PART
