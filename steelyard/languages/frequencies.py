"""Word rarity and known words, looked up in the tables of the language directories (NOTICE.md names their source)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from importlib import resources

ENOUGH_ASKED = 5_000  # different words after which the whole table is worth turning into a dict


class WordTable:
    """Sorted lines of `word` or `word number`, searched in place because one page asks for few words.

    Building a dict of 300,000 words takes longer than scoring a page; a run over many pages builds it
    once it has asked often enough.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._memo: dict[str, int] = {}
        self._all: dict[str, int] | None = None

    def get(self, word: str) -> int:
        """Return the word's number (1 where the line has none), or 0 when it is not listed."""
        if self._all is not None:
            return self._all.get(word, 0)
        value = self._memo.get(word)
        if value is None:
            value = self._memo[word] = self._search(word.encode("utf-8", "replace"))
            if len(self._memo) > ENOUGH_ASKED:
                pairs = (line.partition(" ") for line in self._data.decode("utf-8").split("\n"))
                self._all = {listed: int(number or 1) for listed, _, number in pairs}
        return value

    def _search(self, word: bytes) -> int:
        """Binary search over the lines."""
        data, low, high = self._data, 0, len(self._data)
        while low < high:
            middle = (low + high) // 2
            start = data.rfind(b"\n", low, middle) + 1 or low
            end = data.find(b"\n", middle, high)
            end = high if end < 0 else end
            listed, _, number = data[start:end].partition(b" ")
            if listed == word:
                return int(number or 1)
            if listed < word:
                low = end + 1
            else:
                high = start - 1 if start > low else low
        return 0


@cache
def _table(language: str, name: str) -> WordTable:
    return WordTable(resources.files("steelyard.languages").joinpath(language, f"{name}.txt").read_bytes())


def unknown(words: Iterable[str], languages: Sequence[str]) -> list[str]:
    """Return the words that are on none of the languages' lists of known words."""
    left = list(words)
    for language in languages:
        get = _table(language, "known").get
        left = [w for w in left if not get(w)]
    return left


def zipf(word: str) -> float:
    """Return the English Zipf frequency of a lower-case ASCII word; 0.0 when it is not listed."""
    return _table("en", "frequencies").get(word) / 100


def rarity(word: str) -> float:
    """r = max(0, (7 - zipf) / 7): 0 for `the`, 1 for a word that is not listed."""
    return max(0.0, (7.0 - zipf(word)) / 7.0)
