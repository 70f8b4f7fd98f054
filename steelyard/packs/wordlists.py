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
from functools import cache
from importlib import metadata
from pathlib import Path

from steelyard.base.errors import WordListMissing

FORMAT = 1
KNOWN_FROM = 2.0  # zipf from which a word counts as known: above most typing errors, below most surnames
_ASCII_WORD = re.compile(r"[a-z]+")
_LETTERS = re.compile(r"[^\W\d_]+")
_CEILING = 900  # centibels: wordfreq's zipf of a word in row i is (900 - i) / 100


@cache
def _zipf() -> dict[str, float]:
    """Zipf frequency of English ASCII words, as `wordfreq.zipf_frequency(word, "en")` gives it."""
    table: dict[str, float] = {}
    for line in _table("zipf-en").split("\n"):
        level, _, words = line.partition(" ")
        if words:
            table.update(dict.fromkeys(words.split(" "), int(level) / 100))
    return table


@cache
def known_words() -> frozenset[str]:
    """English and French words of zipf 2 or more: the two word lists of the gibberish guard."""
    return frozenset(_table("known").split("\n"))


def zipf(word: str) -> float:
    """The English Zipf frequency of a lower-case ASCII word; 0.0 when it is not listed."""
    return _zipf().get(word, 0.0)


def rarity(word: str) -> float:
    """r = max(0, (7 - zipf) / 7): 0 for `the`, 1 for a word nobody lists."""
    return max(0.0, (7.0 - zipf(word)) / 7.0)


def _build_zipf() -> str:
    rows = []
    for level, words in _levels("en"):
        listed = sorted(w for w in words if _ASCII_WORD.fullmatch(w))
        if listed:
            rows.append(f"{level} {' '.join(listed)}")
    return "\n".join(rows)


def _build_known() -> str:
    known: set[str] = set()
    for language in ("en", "fr"):
        for level, words in _levels(language):
            if level >= KNOWN_FROM * 100:
                known.update(piece for word in words for piece in _LETTERS.findall(word))
    return "\n".join(sorted(known))


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
    except (OSError, ValueError) as error:
        raise WordListMissing(str(error)) from error
    if not isinstance(data, list) or data[0].get("format") != "cB" or data[0].get("version") != 1:
        raise WordListMissing("its format is not the one this version reads")
    return [(_CEILING - row, words) for row, words in enumerate(data[1:])]


def _table(name: str) -> str:
    """The table from the cache, or built and put there."""
    path = _folder() / f"{name}-{FORMAT}-{metadata.version('wordfreq')}.txt"
    try:
        digest, _, text = path.read_text("utf-8").partition("\n")
        if digest == hashlib.sha256(text.encode()).hexdigest():
            return text
    except (OSError, UnicodeDecodeError):
        pass  # absent or damaged: the next lines build it
    text = _BUILDERS[name]()
    _keep(path, f"{hashlib.sha256(text.encode()).hexdigest()}\n{text}")
    return text


def _folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "steelyard"


def _keep(path: Path, content: str) -> None:
    """Write through a temporary file: several processes may build the table at once."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, delete=False) as file:
            file.write(content)
        os.replace(file.name, path)
    except OSError:
        return  # a read-only home costs time at every start, never a result
