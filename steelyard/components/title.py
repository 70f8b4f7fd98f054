"""What the title promises: its RAKE concepts, and how far the page takes them up."""

from __future__ import annotations

import re
from collections.abc import Sequence

from steelyard.components.arithmetic.rake import phrases
from steelyard.text.document import Document

Concept = tuple[str, ...]

_PIECE = re.compile(r"\b[a-z]+\b|[^\sa-z]", re.ASCII)


def concepts(doc: Document) -> list[Concept]:
    """At most five key phrases of the title; none without a title."""
    return doc.memo("concepts", lambda: _concepts(doc))


def _concepts(doc: Document) -> list[Concept]:
    runs: list[list[str]] = [[]]
    for piece in _PIECE.findall((doc.title or "").lower()):
        if piece.isalpha() and piece.isascii() and piece not in doc.language.stop:
            runs[-1].append(piece)
        elif runs[-1]:
            runs.append([])
    return phrases(runs)


def title_tokens(doc: Document) -> list[str]:
    """The filtered tokens of the title."""
    return [t for t in re.findall(r"\b[a-z]+\b", (doc.title or "").lower(), re.ASCII) if doc.keeps(t)]


def coverage(doc: Document, wanted: Sequence[Concept]) -> float:
    """The share of concepts all of whose words occur in the page."""
    present = doc.memo("types", lambda: frozenset(doc.tokens.vocabulary))
    return sum(all(word in present for word in concept) for concept in wanted) / len(wanted)
