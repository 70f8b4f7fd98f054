"""The lists of single words of a language that rules look up."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from steelyard import languages
from steelyard.text.document import Document


@cache
def load_words(language: str) -> dict[str, frozenset[str]]:
    """Load the lists of single words by name."""
    data = languages.read_toml(language, "suggestions.toml")
    return {name: frozenset(words.split()) for name, words in data.items() if isinstance(words, str)}


@cache
def count_long_sentence(language: str) -> int:
    """Return the number of words from which a sentence of a language is very long."""
    return int(languages.read_toml(language, "suggestions.toml")["long_sentence"])


def is_one_of(doc: Document, words: Iterable[str], name: str) -> bool:
    """Return whether one of the words is in a list of the page's language."""
    return not load_words(doc.language.code)[name].isdisjoint(word.lower() for word in words)
