"""The words a page is about: what an editor of that page would write of."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable
from itertools import islice

from steelyard import languages
from steelyard.errors import SteelyardError
from steelyard.lab.edits.counted import is_counted
from steelyard.support.wording import counted

_WORD = re.compile(r"[^\W\d_]+|[^\w\s]")  # words, and the punctuation between them
SHORTEST = 4  # letters
FEWEST = 3  # topic words without which no block can be written
MOST = 6


class TooLittleText(SteelyardError):
    """The page has too few words of its own for an edit to be fitted to it."""

    def __init__(self, found: int) -> None:
        super().__init__(
            f"the page has {counted(found, 'topic word')} and an edit needs {FEWEST}; leave such short pages out"
        )


def keywords(text: str, language: str) -> tuple[str, ...]:
    """The page's most frequent content words in lower case, ties by first appearance; at least three."""
    counts = _counts(_words(text), languages.load(language).stop)
    return _enough(sorted(counts, key=lambda w: -counts[w]))


def topics(text: str, language: str) -> tuple[str, ...]:
    """The same with probable nouns first, and without words that the score counts by themselves.

    The sentences of a block are written around nouns. A probable noun stands somewhere between an article and a
    function word or a punctuation mark.
    """
    stop = languages.load(language).stop
    words = _words(text)
    counts = _counts(words, stop)
    nouns = _nouns(words, languages.settings(language)["before_nouns"].split(), stop)
    ranked = sorted(counts, key=lambda w: (w not in nouns, -counts[w]))
    return _enough(w for w in ranked if not is_counted(w, language))


def _words(text: str) -> list[str]:
    """Composed and without soft hyphens: an accent or a place to break is part of its word, not its end."""
    return _WORD.findall(unicodedata.normalize("NFC", text.replace("\u00ad", "")).lower())


def _counts(words: list[str], stop: Collection[str]) -> Counter[str]:
    """Content words in order of first appearance, which is what breaks ties."""
    return Counter(w for w in words if len(w) >= SHORTEST and w not in stop)


def _enough(ranked: Iterable[str]) -> tuple[str, ...]:
    chosen = tuple(islice(ranked, MOST))
    if len(chosen) < FEWEST:
        raise TooLittleText(len(chosen))
    return chosen


def _nouns(words: list[str], articles: Collection[str], stop: Collection[str]) -> set[str]:
    return {
        word
        for article, word, ending in zip(words, words[1:], [*words[2:], "."], strict=False)
        if article in articles and (ending in stop or not ending[0].isalpha())
    }
