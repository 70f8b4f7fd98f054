"""The title's RAKE concepts, and how many of them the page takes up."""

from __future__ import annotations

import re

from steelyard.components.arithmetic.vocabulary import extract_phrases
from steelyard.text.characters import lower
from steelyard.text.document import Document, once_per_page

Concept = tuple[str, ...]

_PIECE = re.compile(r"\b[a-z]+\b|[^\sa-z]", re.ASCII)
_TOKEN = re.compile(r"\b[a-z]+\b", re.ASCII)


@once_per_page
def extract_concepts(doc: Document) -> list[Concept]:
    """Return at most five key phrases of the title; none without a title."""
    runs: list[list[str]] = [[]]
    for piece in _PIECE.findall(lower(doc.title or "")):
        if piece.isalpha() and piece.isascii() and piece not in doc.language.stop:
            runs[-1].append(piece)
        elif runs[-1]:
            runs.append([])
    return extract_phrases(runs)


@once_per_page
def concept_coverage(doc: Document) -> float:
    """Return the share of the title's concepts all of whose words occur in the page; the title must have some."""
    words = frozenset(doc.tokens.vocabulary)
    concepts = extract_concepts(doc)
    return sum(words.issuperset(concept) for concept in concepts) / len(concepts)


def title_tokens(doc: Document) -> list[str]:
    """Return the filtered tokens of the title."""
    return [t for t in _TOKEN.findall(lower(doc.title or "")) if doc.keeps(t)]
