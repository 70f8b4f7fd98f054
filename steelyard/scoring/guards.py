"""Guards: texts that are not prose get a fixed low score, whatever their components say."""

from __future__ import annotations

from typing import NamedTuple

from steelyard.languages.frequencies import find_unknown
from steelyard.text.document import Document

NEAR_EMPTY_WORDS = 5
GIBBERISH_TOKENS = 10
SALAD_WORDS = 30
SALAD_SHARE = 0.05


class Guard(NamedTuple):
    """Why a page is not judged on its components, and the score it gets instead."""

    name: str
    score: float
    reason: str


def find_guard(doc: Document, *, supported: bool = True) -> Guard | None:
    """Return the first guard that applies, or None.

    Without word lists (`supported` is False) only the near-empty guard can be checked.
    """
    if doc.n_words < NEAR_EMPTY_WORDS:
        return make_guard("near-empty")
    return (_check_gibberish(doc) or _check_salad(doc)) if supported else None


def make_guard(name: str, share: float = 0.0) -> Guard:
    """Return a guard by its name, with the share of words it is about."""
    if name == "near-empty":
        return Guard(name, 5.0, f"fewer than {NEAR_EMPTY_WORDS} words")
    if name == "gibberish":
        return Guard(name, 5.0 if share >= 0.8 else 10.0, f"{share:.0%} of the words are in neither word list")
    return Guard(name, 10.0, f"only {share:.1%} of the words are function words")


def _check_gibberish(doc: Document) -> Guard | None:
    counts = doc.source.word_counts
    total = sum(counts.values())
    if total < GIBBERISH_TOKENS:
        return None
    share = sum([counts[w] for w in find_unknown(counts, doc.language.reads_with)]) / total
    return make_guard("gibberish", share) if share >= 0.5 else None


def _check_salad(doc: Document) -> Guard | None:
    if doc.n_words < SALAD_WORDS or (share := function_word_share(doc)) >= SALAD_SHARE:
        return None
    return make_guard("word-salad", share)


def function_word_share(doc: Document) -> float:
    """Return the share of the page's words that are stop words; 0.0 for a page without words."""
    counts = doc.source.word_counts
    total = sum(counts.values())
    return sum(counts[w] for w in counts.keys() & doc.language.stop) / total if total else 0.0
