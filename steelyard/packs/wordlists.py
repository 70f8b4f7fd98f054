"""Word rarity and known words, from the frequency data inside the pinned package `wordfreq` (CC BY-SA 4.0).

The data are not part of this project. On first use they are turned into two compact tables in the
user's cache, each kept with its checksum; a damaged or foreign file is built anew. Where nothing can be
written the tables are built in memory, with the same values.
"""

from __future__ import annotations

import gzip
import hashlib
import importlib.util
import os
import re
import tempfile
import zlib
from collections.abc import Iterable
from functools import cache
from importlib import metadata
from pathlib import Path

from steelyard.base import caches
from steelyard.base.errors import WordListMissing

FORMAT = 2
ENOUGH_ASKED = 5_000  # different words after which the whole table is worth building
KNOWN_FROM = 2.0  # zipf from which a word counts as known: above most typing errors, below most surnames
_ASCII_WORD = re.compile(r"[a-z]+")
_LETTERS = re.compile(r"[^\W\d_]+")
_CEILING = 900  # centibels: wordfreq's zipf of a word in row i is (900 - i) / 100


class WordTable:
    """Words with a number each, sorted, one to a line: searched in place, since one page asks for few of them.

    Building a dict of 300,000 words takes longer than scoring a page; a run over many pages builds it
    once it has asked often enough.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._memo: dict[str, int] = {}
        self._all: dict[str, int] | None = None

    def get(self, word: str) -> int:
        """The word's number; 0 when it is not listed."""
        if self._all is not None:
            return self._all.get(word, 0)
        value = self._memo.get(word)
        if value is None:
            value = self._memo[word] = self._search(word.encode("utf-8", "replace"))
            if len(self._memo) > ENOUGH_ASKED:
                pairs = (line.split(" ") for line in self._data.decode("utf-8").split("\n"))
                self._all = {listed: int(number) for listed, number in pairs}
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
                return int(number)
            if listed < word:
                low = end + 1
            else:
                high = start - 1 if start > low else low
        return 0


@cache
def _zipf() -> WordTable:
    """Zipf frequency of English ASCII words in hundredths, as `wordfreq.zipf_frequency(word, "en")` gives it."""
    return WordTable(_table("zipf-en"))


@cache
def _known() -> WordTable:
    return WordTable(_table("known"))


def unknown(words: Iterable[str]) -> list[str]:
    """Those of the words that are on neither list: English and French words of zipf 2 or more."""
    get = _known().get
    return [w for w in words if not get(w)]


def zipf(word: str) -> float:
    """The English Zipf frequency of a lower-case ASCII word; 0.0 when it is not listed."""
    return _zipf().get(word) / 100


def rarity(word: str) -> float:
    """r = max(0, (7 - zipf) / 7): 0 for `the`, 1 for a word nobody lists."""
    return max(0.0, (7.0 - zipf(word)) / 7.0)


def _build_zipf() -> dict[str, int]:
    return {w: level for level, words in _levels("en") for w in words if _ASCII_WORD.fullmatch(w)}


def _build_known() -> dict[str, int]:
    return {
        piece: 1
        for language in ("en", "fr")
        for level, words in _levels(language)
        if level >= KNOWN_FROM * 100
        for word in words
        for piece in _LETTERS.findall(word)
    }


_BUILDERS = {"zipf-en": _build_zipf, "known": _build_known}


def _levels(language: str) -> list[tuple[int, list[str]]]:
    """(zipf in hundredths, words) of wordfreq's large list, read without importing it: that takes half a second."""
    import msgpack

    spec = importlib.util.find_spec("wordfreq")
    if spec is None or not spec.submodule_search_locations:
        raise WordListMissing("it is not installed")
    path = Path(spec.submodule_search_locations[0]) / "data" / f"large_{language}.msgpack.gz"
    try:
        data = msgpack.unpackb(gzip.decompress(path.read_bytes()), raw=False)
    except (OSError, ValueError, EOFError, zlib.error) as error:
        raise WordListMissing(str(error)) from error
    if not isinstance(data, list) or data[0].get("format") != "cB" or data[0].get("version") != 1:
        raise WordListMissing("its format is not the one this version reads")
    return [(_CEILING - row, words) for row, words in enumerate(data[1:])]


def _table(name: str) -> bytes:
    """The table from the cache, or built and put there."""
    try:
        version = metadata.version("wordfreq")
    except metadata.PackageNotFoundError as error:
        raise WordListMissing("it is not installed") from error
    path = caches.folder() / f"{name}-{FORMAT}-{version}.txt"
    try:
        digest, _, data = path.read_bytes().partition(b"\n")
        if digest == hashlib.sha256(data).hexdigest().encode():
            return data
    except OSError:
        pass  # absent or unreadable: the next lines build it
    lines = sorted((word.encode(), number) for word, number in _BUILDERS[name]().items())
    data = b"\n".join(b"%s %d" % line for line in lines)
    _keep(path, hashlib.sha256(data).hexdigest().encode() + b"\n" + data)
    return data


def _keep(path: Path, content: bytes) -> None:
    """Write through a temporary file: several processes may build the table at once."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(content)
        os.replace(file.name, path)
    except OSError:
        return  # a read-only home costs time at every start, never a result
