"""datatrove's filters with their own settings, 1 for a page that is kept; runs in the environment of that package."""

from __future__ import annotations

from datatrove.data import Document  # type: ignore[import-not-found, import-untyped, unused-ignore]
from datatrove.pipeline.filters import (  # type: ignore[import-not-found, import-untyped, unused-ignore]
    C4QualityFilter,
    FineWebQualityFilter,
    GopherQualityFilter,
    GopherRepetitionFilter,
)

_GOPHER, _REPETITION = GopherQualityFilter(), GopherRepetitionFilter()
_C4, _FINEWEB = C4QualityFilter(), FineWebQualityFilter()


def _keeps(one: object, text: str) -> float:
    # A filter may change its document, so each gets its own; one that drops a page returns False, or why with it.
    return float(one.filter(Document(text=text, id="page")) is True)  # type: ignore[attr-defined]


def gopher_quality(text: str) -> float:
    return _keeps(_GOPHER, text)


def gopher_repetition(text: str) -> float:
    return _keeps(_REPETITION, text)


def c4(text: str) -> float:
    return _keeps(_C4, text)


def fineweb(text: str) -> float:
    return _keeps(_FINEWEB, text)


def share(text: str) -> float:
    """Return the share of the four filters that keep the page."""
    return sum(_keeps(one, text) for one in (_GOPHER, _REPETITION, _C4, _FINEWEB)) / 4
