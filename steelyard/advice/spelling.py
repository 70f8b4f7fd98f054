"""Words that are probably misspelt: a letter away from a frequent word or from a name that stands on the page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from steelyard.advice.passages import find_paragraphs
from steelyard.advice.phrases import Word, find_words
from steelyard.languages.frequencies import find_alike, zipf
from steelyard.text.document import Document
from steelyard.text.lines import Span

LANGUAGE = "en"  # the only one with a table of frequencies
MIN_LETTERS = 7  # shorter words have too many neighbours
BEGINNING = 4  # letters that both words begin with
FREQUENT = 3.1  # Zipf frequency of the word that was meant
RARE = 1.15  # the most that a misspelt word has in the table, where common mistakes are listed too
FAR_RARER = 3.3  # what the word that was meant has more than a listed mistake
MAX_UNKNOWN = 12  # words of a page that are on no list: with more it is about something with words of its own
ENDINGS = ("s", "d", "y", "r", "ed", "er", "es", "ing", "ly", "ness", "less", "like", "able", "ish", "ism", "ist")

LATIN = ("i", "ae")  # ends of the names of species, which are no English words
NAMED = 3  # times that a name stands on the page, against once with one letter changed
_NAMES = re.compile(r"(?<![\w-])[A-ZÀ-ÖØ-Þ][a-zà-öø-ÿ]{2,20}(?= ([A-ZÀ-ÖØ-Þ][a-zà-öø-ÿ]{3,20}))")


class Misspelt(NamedTuple):
    """A word of a page, and the word that was probably meant."""

    word: Word
    meant: str


def find_misspelt(doc: Document) -> Iterator[Misspelt]:
    """Yield the words that stand once on an English page, in small letters, and are probably misspelt."""
    if doc.language.code != LANGUAGE:
        return
    words = find_words(doc)
    counts = Counter(word.text for word in words)
    unknown = [w for w in words if len(w.text) >= MIN_LETTERS and counts[w.text] == 1 and _is_unknown(doc, w)]
    if len(unknown) > MAX_UNKNOWN:
        return
    for word in unknown:
        meant = _find_meant(word.text)
        if meant is not None:
            yield Misspelt(word, meant)


def _is_unknown(doc: Document, word: Word) -> bool:
    """Return whether a word is written in small ASCII letters, stands alone and is hardly known."""
    text, start, end = doc.text, word.start, word.end
    if not (word.text.isascii() and text[start:end].isalpha() and text[start:end].islower()):
        return False
    if text[start - 1 : start] not in tuple(' \n(“"') or text[end : end + 1] in tuple("-/@_’'"):
        return False
    if text[end : end + 1] == "." and text[end + 1 : end + 2].isalnum():
        return False
    return zipf(word.text) <= RARE and not word.text.endswith(LATIN) and not _is_derived(word.text)


def _is_derived(word: str) -> bool:
    """Return whether a word is a known one with an ending."""
    stems = (word.removesuffix(ending) for ending in ENDINGS if word.endswith(ending))
    return any(zipf(stem) > RARE or zipf(f"{stem}e") > RARE for stem in stems)


def _find_meant(word: str) -> str | None:
    """Return the most frequent word that is one letter away, unless none is much more frequent."""
    least = max(FREQUENT, zipf(word) + FAR_RARER if zipf(word) else 0.0)
    alike: Mapping[str, float] = {
        other: frequency
        for other, frequency in find_alike(word[:BEGINNING])
        if frequency >= least and other != word and is_one_letter_away(word, other)
    }
    return max(alike, key=lambda other: (alike[other], other), default=None)


def is_one_letter_away(word: str, other: str) -> bool:
    """Return whether one letter less, more or another, or two that changed places, make one word of the other."""
    if abs(len(word) - len(other)) > 1:
        return False
    at = next((n for n, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), min(len(word), len(other)))
    rest, wanted = word[at:], other[at:]
    swapped = rest[1:2] + rest[:1] + rest[2:]
    return wanted in (rest[1:], swapped) or rest[1:] in (wanted[1:], wanted) or rest == wanted[1:]


def find_changed_names(doc: Document) -> Iterator[tuple[Span, str, str]]:
    """Yield names of two words that stand once with another letter than elsewhere, and how they stand elsewhere."""
    matches = [match for span in find_paragraphs(doc) for match in _NAMES.finditer(doc.text, *span)]
    counts = Counter((match[0], match[1]) for match in matches)
    known: dict[str, list[str]] = {}
    for (first, second), count in counts.items():
        if count >= NAMED:
            known.setdefault(first, []).append(second)
    for match in matches:
        first, second = match[0], match[1]
        if counts[first, second] == 1:
            for other in known.get(first, ()):
                if _is_changed(second, other):
                    yield (match.start(), match.end(1)), f"{first} {second}", f"{first} {other}"


def _is_changed(word: str, other: str) -> bool:
    """Return whether two words differ by a letter inside of them: at their ends they may be forms of one word."""
    return word[0] == other[0] and word[-1] == other[-1] and is_one_letter_away(word.lower(), other.lower())
