"""Word rarity and known words, looked up in the tables of the language directories (NOTICE.md names their source)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib import resources

INDEX_AFTER = 5_000  # different words looked up, after which a dict of the whole table pays off


class WordTable:
    """Sorted lines of `word` or `word number`, searched in place because one page needs few words.

    Building a dict of 300,000 words takes longer than scoring a page; a run over many pages builds it
    after enough lookups.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._lookups: dict[str, int] = {}
        self._index: dict[str, int] | None = None

    def get(self, word: str) -> int:
        """Return the word's number (1 where the line has none), or 0 when it is not listed."""
        if self._index is not None:
            return self._index.get(word, 0)
        value = self._lookups.get(word)
        if value is None:
            value = self._lookups[word] = self._search(word.encode("utf-8", "replace"))
            if len(self._lookups) > INDEX_AFTER:
                pairs = (line.partition(" ") for line in self._data.decode("utf-8").split("\n"))
                self._index = {listed: int(number or 1) for listed, _, number in pairs}
        return value

    def starting(self, prefix: str) -> Iterator[tuple[str, int]]:
        """Yield the words that begin with some letters, with their numbers."""
        data, wanted = self._data, prefix.encode()
        at = 0 if data.startswith(wanted) else data.find(b"\n" + wanted) + 1
        while at < len(data) and data.startswith(wanted, at):
            end = data.find(b"\n", at)
            end = len(data) if end < 0 else end
            listed, _, number = data[at:end].decode().partition(" ")
            yield listed, int(number or 1)
            at = end + 1

    def _search(self, word: bytes) -> int:
        """Search the lines by bisection; return the word's number, or 0."""
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
def _load_table(language: str, name: str) -> WordTable:
    return WordTable(resources.files("steelyard.languages").joinpath(language, f"{name}.txt").read_bytes())


def find_unknown(words: Iterable[str], languages: Sequence[str]) -> list[str]:
    """Return the words that are on none of the languages' lists of known words."""
    unlisted = list(words)
    for language in languages:
        get = _load_table(language, "known").get
        unlisted = [w for w in unlisted if not get(w)]
    return unlisted


def zipf(word: str) -> float:
    """Return the English Zipf frequency of a lower-case ASCII word; 0.0 when it is not listed."""
    return _load_table("en", "frequencies").get(word) / 100


def find_alike(prefix: str) -> Iterator[tuple[str, float]]:
    """Yield the English words that begin with some letters, with their Zipf frequencies."""
    return ((word, number / 100) for word, number in _load_table("en", "frequencies").starting(prefix))


def rarity(word: str) -> float:
    """Return r = max(0, (7 - zipf) / 7): 0 for `the`, 1 for a word that is not listed."""
    return max(0.0, (7.0 - zipf(word)) / 7.0)
