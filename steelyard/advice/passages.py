"""The places that findings point to: paragraphs and sentences as a reader sees them, and the whole page."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from steelyard.text import sentences
from steelyard.text.document import Document, once_per_page
from steelyard.text.lines import Span, is_wrapped
from steelyard.text.positions import Location

QUOTED_WORDS = 24  # of the sentence or paragraph that a finding is about
MAX_QUOTE = 160  # characters
MIN_WORDS = 5  # of a sentence that says something
ONE_LINE = 100  # words, which are more than most paragraphs have
MAX_FINDINGS = 100  # of one rule on a page

QUOTATION_MARK = re.compile('["“”„«»]')
DIGIT = re.compile(r"[0-9]")
_WORD = re.compile(r"[^\W\d_]+")
_MARKED = re.compile(r"\*\*|__|`|!\[")  # what Markdown writes and plain text does not
_OPENING, _CLOSING, _STRAIGHT = "“„«", "”»", '"'


class Sentence(NamedTuple):
    """A sentence as a reader sees it: its number, its span, its words as written, the number of its paragraph."""

    number: int
    span: Span
    text: str
    paragraph: int

    @property
    def words(self) -> list[str]:
        return _WORD.findall(self.text)

    @property
    def holds_name(self) -> bool:
        """Whether a word after the first begins with a capital; "I" does not count."""
        return any(word[0].isupper() and word not in _NO_NAMES for word in self.words[1:])


_NO_NAMES = ("I",)


def locate_page(doc: Document) -> Location:
    """Return where the whole page is shown: at its first line of text."""
    source = doc.source
    start = len(source.text) - len(source.text[source.start :].lstrip())
    end = source.text.find("\n", start)
    end = start + len(source.text[start : len(source.text) if end < 0 else end].rstrip())
    return source.locate(*source.to_file(start, end))


def locate_passage(doc: Document, span: Span) -> tuple[Location, str]:
    """Return where a span of the reading text is in the file, and its first words."""
    words = doc.text[span[0] : span[1]].split(maxsplit=QUOTED_WORDS)
    quote = " ".join(words[:QUOTED_WORDS])
    cut = len(words) > QUOTED_WORDS or len(quote) > MAX_QUOTE
    location = doc.source.locate(*doc.source.view_to_file(*doc.trim(span)))
    return location, quote[:MAX_QUOTE] + "…" * cut


@once_per_page
def find_paragraphs(doc: Document) -> Sequence[Span]:
    """Return the paragraphs as a reader sees them: one on every line, unless the lines are wrapped; no tables."""
    found: list[Span] = []
    for paragraph in doc.structure.paragraphs:
        found += [s for s in map(doc.trim, _split_lines(doc, paragraph)) if s[1] > s[0] and doc.text[s[0]] != "|"]
    return found


def _split_lines(doc: Document, span: Span) -> list[Span]:
    lines = doc.structure.view.split_lines(doc.source.text, *span)
    if len(lines) == 1 or is_wrapped([line for line, _ in lines]):
        return [span]
    return [part for _, part in lines]


def holds_code(doc: Document, span: Span) -> bool:
    """Return whether a passage is written with signs of code."""
    return "`" in doc.source.text[slice(*doc.source.view_to_file(*span))]


def is_one_line(doc: Document) -> bool:
    """Return whether a text of many words has no line breaks: it may have lost them, and with them its headings."""
    return doc.n_words > ONE_LINE and "\n" not in doc.source.text[doc.source.start :].strip()


@once_per_page
def is_bare(doc: Document) -> bool:
    """Return whether a text has no front matter, link or mark of Markdown: its title and its end may be elsewhere."""
    structure = doc.structure
    return not (doc.source.start or structure.headings or structure.links or _MARKED.search(doc.source.text))


@once_per_page
def find_sentences(doc: Document) -> Sequence[Sentence]:
    """Return the sentences of the paragraphs, without fragments of a few words."""
    lists = doc.language.lists
    found: list[Sentence] = []
    for number, (start, end) in enumerate(find_paragraphs(doc)):
        for first, last in sentences.split(doc.text[start:end], lists["abbreviations"], lists["after_ordinals"]):
            span = doc.trim((start + first, start + last))
            text = doc.text[span[0] : span[1]]
            if text.count(" ") >= MIN_WORDS - 1:
                found.append(Sentence(len(found), span, text, number))
    return found


def sentence_at(doc: Document, offset: int) -> Sentence | None:
    """Return the sentence around an offset of the reading text; None outside of sentences."""
    every = find_sentences(doc)
    at = bisect_right(every, offset, key=lambda s: s.span[0]) - 1
    return every[at] if at >= 0 and offset < every[at].span[1] else None


def sentences_in(doc: Document, span: Span) -> Sequence[Sentence]:
    """Return the sentences that begin in a span of the reading text."""
    every = find_sentences(doc)
    first, last = (bisect_left(every, offset, key=lambda s: s.span[0]) for offset in span)
    return every[first:last]


def count_words(doc: Document, span: Span) -> int:
    """Return the number of words of a span, as people count them."""
    return len(doc.text[span[0] : span[1]].split())


@once_per_page
def find_quotations(doc: Document) -> Sequence[Span]:
    """Return the spans between quotation marks, each within its paragraph."""
    found: list[Span] = []
    for start, end in find_paragraphs(doc):
        since = -1
        for mark in QUOTATION_MARK.finditer(doc.text, start, end):
            closes = since >= 0 and (mark[0] in _CLOSING or mark[0] == _STRAIGHT or doc.language.code == "de")
            if closes:
                found.append((since, mark.end()))
                since = -1
            elif since < 0 and mark[0] in _OPENING + _STRAIGHT:
                since = mark.start()
        if since >= 0:  # speech that goes on in the next paragraph has no closing mark
            found.append((since, end))
    return found


def is_quoted(doc: Document, offset: int) -> bool:
    """Return whether an offset is between quotation marks."""
    spans = find_quotations(doc)
    before = bisect_left(spans, offset, key=lambda s: s[0]) - 1
    at = before + 1
    return (before >= 0 and offset < spans[before][1]) or (at < len(spans) and spans[at][0] == offset)


@once_per_page
def find_links(doc: Document) -> Sequence[tuple[Span, str]]:
    """Return the links with their words, as spans of the reading text, in order."""
    return doc.structure.place_links()


def holds_link(doc: Document, span: Span) -> bool:
    """Return whether a link begins in a span of the reading text."""
    links = find_links(doc)
    first = bisect_left(links, span[0], key=lambda link: link[0][0])
    return first < len(links) and links[first][0][0] < span[1]
