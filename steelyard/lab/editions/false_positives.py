"""How many clean pages the detectors of an edition flag."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from steelyard.detectors.layered_filter import detect_manipulation
from steelyard.lab.corpus.corpus import STRUCTURED, CorpusPage
from steelyard.lab.stats.intervals import wilson_interval
from steelyard.scoring.editions import Edition
from steelyard.text.document import Document, Source


def count_flagged(edition: Edition, code: str, pages: Sequence[CorpusPage]) -> dict[str, Any]:
    """Return how many pages the shipped limits flag, with a 95% Wilson interval."""
    language = edition.load_language(code)
    documents = (Document(Source(page.view(STRUCTURED)), language) for page in pages)
    flagged = sum(detect_manipulation(doc).flagged for doc in documents)
    return {"flagged": flagged, "of": len(pages), "interval": wilson_interval(flagged, len(pages))}
