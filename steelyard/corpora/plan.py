"""What a run does: its files, columns, thresholds and settings, on which the bytes of its output depend."""

from __future__ import annotations

import os
import zlib
from dataclasses import dataclass, field
from importlib import metadata
from typing import Any

from steelyard import __version__
from steelyard.corpora.columns import AddedColumns
from steelyard.corpora.corpus_files import GZIP, PARQUET, ZSTD, CorpusFile, Format, format_of
from steelyard.scoring.page import describe_scoring
from steelyard.settings import Settings
from steelyard.text import html

ROWS_PER_PART = 10_000  # the work that a killed run can lose
MAX_ROW = 50_000_000  # bytes of a JSONL line; a longer one is skipped without being held in memory
MAX_TEXT = 5_000_000  # characters of a row's text or HTML; of the text itself fewer are allowed


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The limits that a row must meet to be kept; a row that could not be scored meets none."""

    min_score: float | None = None
    min_percentile: float | None = None
    drop_flagged: bool = False

    @property
    def are_set(self) -> bool:
        """Whether there is any."""
        return self.min_score is not None or self.min_percentile is not None or self.drop_flagged

    def find_reason(self, score: float, percentile: float | None, flagged: bool) -> str | None:
        """Return the first reason to reject a scored row, or None."""
        if self.min_score is not None and score < self.min_score:
            return f"score below the minimum: {score:.2f} is below {self.min_score:g}"
        if self.min_percentile is not None:
            if percentile is None:
                return "no percentile: there are no reference pages in this language and of about this length"
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
    added: AddedColumns = field(default_factory=AddedColumns)
    rejects: str | None = None
    max_bytes: int = MAX_ROW
    rows_per_part: int = ROWS_PER_PART


def describe_plan(plan: Plan) -> dict[str, Any]:
    """Return inputs, options and versions as JSON."""
    settings = plan.settings
    weights, edition = settings.weights, settings.edition
    hashes = {code: describe_scoring(weights.name, weights.digest, edition, code).hash for code in edition.languages}
    return {
        "inputs": [{"path": f.path, "size": f.size, "modified": f.modified} for f in plan.files],
        "options": {
            "text": plan.text,
            "url": plan.url,
            "language": settings.language,
            "edition": edition.name,
            "weights": weights.name,
            "as_of": settings.as_of.isoformat(),
            "min_score": plan.thresholds.min_score,
            "min_percentile": plan.thresholds.min_percentile,
            "drop_flagged": plan.thresholds.drop_flagged,
            "components": plan.added.components,
            "evidence": plan.added.evidence,
            "rejects": plan.rejects and os.path.realpath(plan.rejects),
            "max_bytes": plan.max_bytes,
            "format": [plan.format.kind, plan.format.packing],
            "rows_per_part": plan.rows_per_part,
        },
        "scoring": hashes,
        "versions": _list_versions(plan),
    }


def _list_versions(plan: Plan) -> dict[str, str]:
    """Return the versions of the programs that determine scores or bytes."""
    versions = {"steelyard": __version__, "html": html.version() if html.is_installed() else "not installed"}
    written = [plan.format, *([format_of(plan.rejects)] if plan.rejects else [])]
    if any(fmt and fmt.kind == PARQUET for fmt in written):
        versions["pyarrow"] = metadata.version("pyarrow")
    if any(fmt and fmt.packing == ZSTD for fmt in written):
        versions["zstandard"] = metadata.version("zstandard")
    if any(fmt and fmt.packing == GZIP for fmt in written):
        versions["zlib"] = zlib.ZLIB_RUNTIME_VERSION
    return versions
