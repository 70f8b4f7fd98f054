"""The words that give places away: phrases of a language by kind, found in one pass over the words of a page.

A phrase is a line of `languages/xx/suggestions.toml`. In it `word*` stands for every word that begins so, and `_` for
any one word. Nothing but a blank, a hyphen or an apostrophe is between the words that match.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from steelyard import languages
from steelyard.text.document import Document, once_per_page
from steelyard.text.lines import Span

_WORD = re.compile(r"[^\W_]+")
_BETWEEN = frozenset((" ", "-", "'", ""))
ANY = "_"
LETTERS = 4  # of a first word with a `*`, by which its phrases are looked up: as many as it has at least
Key = tuple[str, str]


class Word(NamedTuple):
    """A word of the reading text in lower case, and its span."""

    text: str
    start: int
    end: int


class Phrase(NamedTuple):
    """A phrase of a kind on a page: its span, and the number of its first word."""

    kind: str
    start: int
    end: int
    word: int


Wanted = tuple[str, tuple[str, ...]]  # a kind, and the words


@cache
def load_phrases(language: str) -> Mapping[Key, tuple[Wanted, ...]]:
    """Load the phrases of a language by what `_list_keys` looks for, the longest first."""
    wanted: defaultdict[Key, list[Wanted]] = defaultdict(list)
    for kind, lines in languages.read_toml(language, "suggestions.toml")["phrases"].items():
        for line in lines.strip().splitlines():
            words = split_phrase(line)
            wanted[_find_key(words)].append((kind, tuple(words)))
    return {key: tuple(sorted(others, key=lambda w: -len(w[1]))) for key, others in wanted.items()}


def _find_key(words: list[str]) -> Key:
    """Return the first word of a phrase and the first letter of the second, as far as they say something."""
    first, second = words[0], words[1] if len(words) > 1 else ""
    if first.endswith("*"):
        return first.rstrip("*")[:LETTERS], "*"
    return first, "" if second == ANY else second[:1]


def _list_keys(word: str, following: str) -> tuple[Key, Key, Key]:
    """Return where the phrases are that may begin with a word: with what follows, by itself, and as a part of it."""
    return (word, following[:1]), (word, ""), (word[:LETTERS], "*")


def split_phrase(line: str) -> list[str]:
    """Split a phrase as the words of a page are split."""
    return [word for word in re.split(r"[\s'-]+", line.strip()) if word]


@once_per_page
def find_words(doc: Document) -> list[Word]:
    """Return the words and figures of the reading text."""
    return [Word(match[0], *match.span()) for match in _WORD.finditer(doc.lowered)]


@once_per_page
def find_phrases(doc: Document) -> Mapping[str, list[Phrase]]:
    """Return the phrases of a page by kind, in the order of the text; of those that begin together the longest."""
    wanted = load_phrases(doc.language.code)
    words, text = find_words(doc), doc.text
    found: defaultdict[str, list[Phrase]] = defaultdict(list)
    for at, word in enumerate(words):
        following = words[at + 1].text if at + 1 < len(words) else "-"
        for kind, phrase in (one for key in _list_keys(word.text, following) for one in wanted.get(key, ())):
            last = at + len(phrase) - 1
            if last < len(words) and _stands_at(words, at, phrase, text):
                known = found[kind]
                if not (known and known[-1].word == at):
                    known.append(Phrase(kind, word.start, words[last].end, at))
                elif words[last].end > known[-1].end:
                    known[-1] = Phrase(kind, word.start, words[last].end, at)
    return found


def _stands_at(words: list[Word], at: int, phrase: tuple[str, ...], text: str) -> bool:
    for number, wanted in enumerate(phrase, start=at):
        word = words[number]
        if number > at and text[words[number - 1].end : word.start] not in _BETWEEN:
            return False
        if wanted in (word.text, ANY) or (wanted.endswith("*") and word.text.startswith(wanted[:-1])):
            continue
        return False
    return True


def phrases_in(doc: Document, kind: str, span: Span) -> list[Phrase]:
    """Return the phrases of a kind inside a span."""
    found = find_phrases(doc).get(kind, [])
    first, last = (bisect_left(found, offset, key=lambda p: p.start) for offset in span)
    return [p for p in found[first:last] if p.end <= span[1]]


def has_phrase(doc: Document, kind: str, span: Span) -> bool:
    """Return whether a phrase of a kind is inside a span."""
    return bool(phrases_in(doc, kind, span))


def count_phrases(doc: Document, kind: str) -> int:
    """Return how many phrases of a kind the page has."""
    return len(find_phrases(doc).get(kind, ()))
