"""The words a page is about: what an editor of that page would write of."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection

from steelyard.base.errors import SteelyardError
from steelyard.packs import pack

_WORD = re.compile(r"[^\W\d_]+|[^\w\s]")  # words, and the punctuation between them
SHORTEST = 4  # letters
FEWEST = 3  # topic words without which no block can be written
MOST = 6


class TooLittleText(SteelyardError):
    """The page has too few words of its own for an edit to be fitted to it."""

    def __init__(self, found: int) -> None:
        super().__init__(f"the page has {found} topic words and an edit needs {FEWEST}; leave such short pages out")


def keywords(text: str, language: str) -> tuple[str, ...]:
    """The page's most frequent content words in lower case, ties by first appearance; at least three."""
    counts = _counts(_WORD.findall(text.lower()), pack.load(language).stop)
    return _enough(sorted(counts, key=lambda w: -counts[w])[:MOST])


def topics(text: str, language: str) -> tuple[str, ...]:
    """The same with probable nouns first: the sentences of a block are written around nouns.

    A probable noun stands somewhere between an article and a function word or a punctuation mark.
    """
    stop = pack.load(language).stop
    words = _WORD.findall(text.lower())
    counts = _counts(words, stop)
    nouns = _nouns(words, _BEFORE_NOUNS[language], stop)
    return _enough(sorted(counts, key=lambda w: (w not in nouns, -counts[w]))[:MOST])


def _counts(words: list[str], stop: Collection[str]) -> Counter[str]:
    """Content words in order of first appearance, which is what breaks ties."""
    return Counter(w for w in words if len(w) >= SHORTEST and w not in stop)


def _enough(chosen: list[str]) -> tuple[str, ...]:
    if len(chosen) < FEWEST:
        raise TooLittleText(len(chosen))
    return tuple(chosen)


_BEFORE_NOUNS = {
    "en": frozenset("the a an this that your our their its his her my".split()),
    "fr": frozenset("le la les un une des du ce cette ces son sa ses leur leurs votre vos notre nos".split()),
}


def _nouns(words: list[str], articles: Collection[str], stop: Collection[str]) -> set[str]:
    after = [*words[1:], "."]
    following = [*after[1:], "."]
    return {
        word
        for article, word, ending in zip(words, after, following, strict=True)
        if article in articles and (ending in stop or not ending[0].isalpha())
    }
