"""The words and patterns of `ranking.toml`, of the paper's languages together: the ranker reads them all alike."""

from __future__ import annotations

from typing import Any

from steelyard import languages
from steelyard.scoring import editions

_FILES = [languages.read_toml(code, "ranking.toml") for code in editions.load().languages]


def word_list(key: str) -> frozenset[str]:
    """Return the words that any of the languages lists under this key."""
    return frozenset(word for file in _FILES for word in file[key].split())


def entries(key: str) -> list[Any]:
    """Return the entries of the languages under this key, in the order of the languages."""
    return [file[key] for file in _FILES]
