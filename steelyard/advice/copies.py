"""Passages that stand on a page twice, each with the place where its words stood before."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from steelyard.advice.phrases import Word, find_words
from steelyard.text.document import Document, once_per_page
from steelyard.text.lines import Span

_SENTENCE_END = re.compile(r"[.!?](?:\s|$)")
SHINGLE = 8  # words in a row
MIN_WORDS = 30  # of a copy
PARAGRAPH = 14  # the same of a paragraph that stands there twice, whole
MARKLESS = 60  # words of a copy without the end of a sentence, which may be rows of a table
FIGURES = 0.08  # of the words: a plan or a table has more
FIGURES_OF_STEPS = 0.2  # the same in a copy of `MARKLESS` words with sentences: the steps of a recipe have as many
MAX_WORDS = 200_000  # of a page that are compared


REPEATED = 0.2  # share of the words


class Copy(NamedTuple):
    """A passage and its first place, as spans of the reading text, and its words."""

    span: Span
    first: Span
    words: int


@once_per_page
def find_copies(doc: Document) -> Sequence[Copy]:
    """Return the passages of some length whose words stood before on the page in the same order."""
    words = find_words(doc)[:MAX_WORDS]
    texts = [word.text for word in words]
    first_use: dict[tuple[str, ...], int] = {}
    copies: list[Copy] = []
    start = distance = 0
    for at in range(max(0, len(texts) - SHINGLE + 1)):
        before = first_use.setdefault(tuple(texts[at : at + SHINGLE]), at)
        last = at + SHINGLE - 1
        if distance and texts[last] == texts[last - distance]:
            continue  # the copy goes on, word for word
        if distance:
            copies += _make_copy(doc, words, start, last, distance)
        start, distance = at, at - before
    if distance:
        copies += _make_copy(doc, words, start, len(texts), distance)
    return copies


def _make_copy(doc: Document, words: Sequence[Word], start: int, end: int, distance: int) -> list[Copy]:
    """Return the copy between two words, unless it is too short or perhaps no prose."""
    count = end - start
    span, first = ((words[n].start, words[n + count - 1].end) for n in (start, start - distance))
    figures = sum(not word.text.isalpha() for word in words[start:end])
    is_prose = bool(_SENTENCE_END.search(doc.text, span[0], span[1] + 2))
    is_whole = is_prose and _is_paragraph(doc, span) and _is_paragraph(doc, first)
    if count < (PARAGRAPH if is_whole else MIN_WORDS):
        return []
    if figures >= (FIGURES_OF_STEPS if is_prose and count >= MARKLESS else FIGURES) * count:
        return []
    return [Copy(span, first, count)] if is_prose or count >= MARKLESS else []


def _is_paragraph(doc: Document, span: Span) -> bool:
    """Return whether nothing but marks stands in its lines around a span."""
    before = doc.text.rfind("\n", 0, span[0]) + 1
    behind = doc.text.find("\n", span[1])
    around = doc.text[before : span[0]] + doc.text[span[1] : behind if behind >= 0 else len(doc.text)]
    return not any(map(str.isalnum, around))


@once_per_page
def share_copied(doc: Document) -> float:
    """Return the share of the page's words that stood on it before."""
    words = min(len(find_words(doc)), MAX_WORDS)
    return min(1.0, sum(copy.words for copy in find_copies(doc)) / words) if words else 0.0


def is_repetitive(doc: Document) -> bool:
    """Return whether so much of the page stood on it before that its lengths and densities say nothing."""
    return share_copied(doc) > REPEATED
