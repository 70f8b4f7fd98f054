"""Marks without their partner, and marks with a blank or a letter too few or too many, which no style asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from steelyard.advice.passages import QUOTATION_MARK, find_paragraphs
from steelyard.text.document import Document
from steelyard.text.lines import Span

_SMALL, _CAPITAL = "a-zà-öø-ÿ", "A-ZÀ-ÖØ-Þ"


class Mark(NamedTuple):
    """What is wrong with a mark, how it looks, and whether anybody would mind; in which languages, if not in all."""

    why: str
    pattern: re.Pattern[str]
    certain: bool = True
    languages: tuple[str, ...] = ()


MARKS = (
    # A sentence that begins right behind the full stop of the last, and goes on with a small letter.
    Mark(
        "a blank is missing after",
        re.compile(rf"(?<![\w@.])[{_SMALL}]{{3,20}}[.!?](?=[{_CAPITAL}][{_SMALL}]{{2,20}} [{_SMALL}])"),
    ),
    Mark("a blank is missing after", re.compile(rf"(?<![\w.,/:@-])[{_SMALL}]{{3,20}},(?=[{_SMALL}]{{3,20}} )")),
    Mark("a blank is missing after", re.compile(rf"[{_SMALL}][.,]?”(?=[{_SMALL}]{{3,20}} )"), languages=("en", "es")),
    Mark(
        "a blank stands before the mark in",
        re.compile(rf"(?<![\w./])[{_SMALL}]{{2,20}} [,.](?= [A-Za-zÀ-ÿ]|$)"),
        certain=False,
    ),
    Mark("two marks stand together in", re.compile(rf"[{_SMALL}],[.,;](?![.,;0-9])")),
    Mark("one mark is enough in", re.compile(rf"[{_SMALL}][!?]{{2,9}}(?![!?])"), False),
    Mark("a blank stands inside the quotation marks", re.compile(r"“ \w{1,20}|\w{1,20} ”"), languages=("en", "es")),
    Mark("a blank stands inside the quotation marks", re.compile(r"„ \w{1,20}"), languages=("de",)),
    Mark("the quotation marks are turned round", re.compile(r"(?<= )» \w[^«»\n]{0,80} »"), languages=("fr",)),
)
_LOWERED = re.compile(rf"(?<![\w.])([{_SMALL}]{{5,20}})\. (?=[{_SMALL}]{{3,20}} [{_SMALL}])")
_LEADING = re.compile(r"[,;](?= ?[A-Za-zÀ-ÿ])")
_SENTENCE_ENDS = tuple(".!?")
_PAIRS = (("“", "”"), ("«", "»"))
_STRAIGHT = '"'
_ENDS = "”»"
_INCHES = re.compile(r'[0-9]"')
MAX_OPENED = 1  # quotations without an end: of more it is how the page sets long speech
NEXT = 200  # characters behind a paragraph in which a bracket may be closed
MAX_LOWERED = 2  # sentences that begin small: with more it is how the page is written


class TypingPlace(NamedTuple):
    """A typing error: where, what, whether anybody would mind, whether it is about quotation marks."""

    span: Span
    why: str
    certain: bool = True
    is_mark: bool = False


def find_mark_errors(doc: Document, *, careful: bool) -> Iterator[TypingPlace]:
    """Yield marks without their partner, and those with a blank or a letter too few or too many.

    Args:
        doc: The page.
        careful: Whether its writer would mind a sentence that begins with a small letter.
    """
    opened = list(_find_quotations(doc))
    yield from _find_brackets(doc)
    yield from _find_marks(doc, careful=careful)
    yield from opened if len(opened) <= MAX_OPENED else ()


def _find_marks(doc: Document, *, careful: bool) -> Iterator[TypingPlace]:
    """Yield marks with a blank or a letter too few or too many."""
    lowered = []
    for start, end in find_paragraphs(doc):
        for mark in MARKS:
            if not mark.languages or doc.language.code in mark.languages:
                for match in mark.pattern.finditer(doc.text, start, end):
                    words, is_mark = match[0].strip(), QUOTATION_MARK.search(match[0]) is not None
                    why = f"{mark.why}: {words}" if is_mark else f"{mark.why} “{words}”"
                    yield TypingPlace(match.span(), why, mark.certain, is_mark)
        leading = _LEADING.match(doc.text, start, end)
        if leading is not None and doc.text[:start].rstrip()[-1:] in _SENTENCE_ENDS:  # else a line was broken there
            yield TypingPlace(leading.span(), f"the line begins with “{leading[0].strip()}”")
        lowered += [m for m in _LOWERED.finditer(doc.text, start, end) if not _is_short(doc, m[1])]
    if len(lowered) <= MAX_LOWERED:
        for match in lowered:
            yield TypingPlace(match.span(), f"a small letter follows the full stop after “{match[1]}”", careful)


def _is_short(doc: Document, word: str) -> bool:
    """Return whether a full stop may belong to the word, as to an abbreviation."""
    return f"{word}." in doc.language.lists["abbreviations"] or word in doc.language.lists["abbreviations"]


def _find_brackets(doc: Document) -> Iterator[TypingPlace]:
    """Yield the brackets that are opened and never closed, in paragraphs that have no other one."""
    for start, end in find_paragraphs(doc):
        closed = (
            doc.text.find(")", start, end + NEXT) >= 0
        )  # on the next line, where few lines show that they are wrapped
        if doc.text.count("(", start, end) == 1 and not closed and doc.text[end - 1] in ".!?":
            at = doc.text.index("(", start)
            if doc.text[at - 1 : at] == " " and doc.text[at + 1 : at + 2].isalnum():
                yield TypingPlace((at, at + 1), "a bracket is opened and not closed")


def _find_quotations(doc: Document) -> Iterator[TypingPlace]:
    """Yield the quotation marks that are opened and never closed; a quotation may go on in the next paragraph."""
    paragraphs = find_paragraphs(doc)
    for number, (start, end) in enumerate(paragraphs[:-1]):  # the last may have been cut
        for opening, closing in _PAIRS if "„" not in doc.text else ():
            if doc.text.count(opening, start, end) != doc.text.count(closing, start, end) + 1:
                continue
            at = doc.text.rindex(opening, start, end)
            if not _goes_on(doc, paragraphs[number + 1]) and closing not in doc.text[at:end]:
                yield TypingPlace((at, at + 1), "a quotation is opened and not closed", is_mark=True)
        # Of any form; an even number of them on the page: the quotation ends in a later paragraph.
        alone = [mark[0] for mark in QUOTATION_MARK.finditer(doc.text, start, end)] == [_STRAIGHT]
        alone = alone and doc.text.count(_STRAIGHT) % 2 == 1
        if alone and not _goes_on(doc, paragraphs[number + 1]) and not _INCHES.search(doc.text, start, end):
            at = doc.text.index(_STRAIGHT, start, end)
            yield TypingPlace((at, at + 1), "a quotation mark stands alone", is_mark=True)


def _goes_on(doc: Document, paragraph: Span) -> bool:
    """Return whether a quotation goes on in a paragraph: it begins with a mark, or has an end before a beginning."""
    mark = QUOTATION_MARK.search(doc.text, *paragraph)
    return mark is not None and (mark.start() == paragraph[0] or mark[0] in _ENDS)
