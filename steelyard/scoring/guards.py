"""Guards for degenerate input, and the caps on short pages: what no component can outweigh."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from steelyard.languages.frequencies import unknown
from steelyard.text.document import Document

NEAR_EMPTY_WORDS = 5
GIBBERISH_TOKENS = 10
SALAD_WORDS = 30
SALAD_SHARE = 0.05
CAPS = ((100, 35.0), (200, 50.0), (300, 65.0))


class Guard(NamedTuple):
    """Why a page is not judged on its components, and the score it gets instead."""

    name: str
    score: float
    reason: str


def cap(words: int) -> float | None:
    """The limit a page of this length cannot pass, or None from 300 words on."""
    return next((limit for below, limit in CAPS if words < below), None)


def guard(doc: Document, *, supported: bool = True) -> Guard | None:
    """The first guard that holds; only the near-empty one in a language without word lists."""
    if doc.n_words < NEAR_EMPTY_WORDS:
        return Guard("near-empty", 5.0, f"fewer than {NEAR_EMPTY_WORDS} words")
    if not supported:
        return None
    counts = doc.source.word_counts
    return _gibberish(counts, doc.language.reads_with) or _salad(doc)


def _gibberish(counts: Mapping[str, int], languages: Sequence[str]) -> Guard | None:
    total = sum(counts.values())
    if total < GIBBERISH_TOKENS:
        return None
    share = sum([counts[w] for w in unknown(counts, languages)]) / total
    if share >= 0.8:
        return Guard("gibberish", 5.0, f"{share:.0%} of the words are in neither word list")
    if share >= 0.5:
        return Guard("gibberish", 10.0, f"{share:.0%} of the words are in neither word list")
    return None


def _salad(doc: Document) -> Guard | None:
    if doc.n_words < SALAD_WORDS:
        return None
    share = function_word_share(doc)
    if share < SALAD_SHARE:
        return Guard("word-salad", 10.0, f"only {share:.1%} of the words are function words")
    return None


def function_word_share(doc: Document) -> float:
    """The share of the page's words that are on the stop list; 0.0 without words."""
    counts = doc.source.word_counts
    total = sum(counts.values())
    return sum(counts[w] for w in counts.keys() & doc.language.stop) / total if total else 0.0
