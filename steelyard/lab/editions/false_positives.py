"""How many clean pages the detectors of an edition flag."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from steelyard.detectors.layered_filter import detect_manipulation
from steelyard.lab.corpus.corpus import STRUCTURED, CorpusPage
from steelyard.lab.stats.intervals import wilson_interval
from steelyard.scoring.editions import Edition


def count_flagged(edition: Edition, code: str, pages: Sequence[CorpusPage]) -> dict[str, Any]:
    """Return how many pages the shipped limits flag, with a 95% Wilson interval."""
    documents = (edition.open(page.view(STRUCTURED), code) for page in pages)
    flagged = sum(detect_manipulation(doc).flagged for doc in documents)
    return {"flagged": flagged, "of": len(pages), "interval": wilson_interval(flagged, len(pages))}
