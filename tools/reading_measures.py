"""How well a text was read: precision, recall and F1 on four-word shingles, as in article-extraction-benchmark."""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

_WORD = re.compile(r"\w+")
_TARGET = re.compile(r"\]\([^)\s]*\)")
_WORDS_TOGETHER = 4


class Agreement(NamedTuple):
    """Shares of the shingles, from 0 to 1."""

    precision: float
    recall: float
    f1: float


def list_words(text: str) -> list[str]:
    """Return the words of a text without the targets of its links."""
    return _WORD.findall(_TARGET.sub("]", text))


def list_shingles(text: str) -> list[tuple[str, ...]]:
    """Return each run of four words; of a shorter text the whole."""
    words = list_words(text)
    if len(words) < _WORDS_TOGETHER:
        return [tuple(words)] if words else []
    return [tuple(words[at : at + _WORDS_TOGETHER]) for at in range(len(words) - _WORDS_TOGETHER + 1)]


def compare(read: str, article: str) -> Agreement:
    """Return how far what was read is the article."""
    ours, truth = Counter(list_shingles(read)), Counter(list_shingles(article))
    common = (ours & truth).total()
    precision = common / ours.total() if ours else 0.0
    recall = common / truth.total() if truth else 0.0
    return Agreement(precision, recall, 2 * precision * recall / (precision + recall) if common else 0.0)
