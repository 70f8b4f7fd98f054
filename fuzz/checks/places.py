"""Places: spans lie in the text and name the line they start on; quotations are the page's words."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable
from functools import cached_property
from typing import Protocol

from fuzz.checks import Problems
from steelyard.advice.finding import Finding
from steelyard.check.silence import find_silences
from steelyard.scoring.page import PageScore
from steelyard.text.directives import StrippedText
from steelyard.text.document import unify_characters

_LINE_BREAK = re.compile("\n")
_SURROGATE = re.compile("[\ud800-\udfff]")


class Span(Protocol):
    """Anything with a place."""

    @property
    def start(self) -> int: ...

    @property
    def end(self) -> int: ...

    @property
    def line(self) -> int: ...


class Text:
    """A text, and where its lines start."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def lines(self) -> list[int]:
        return [0, *(m.end() for m in _LINE_BREAK.finditer(self.text))]

    def check(self, kind: str, places: Iterable[Span]) -> Problems:
        """Check the places of one kind."""
        length, lines = len(self.text), self.lines
        for place in places:
            if not 0 <= place.start <= place.end <= length:
                yield "span", f"{kind}: {place} in a text of {length} characters"
            elif place.line != bisect_right(lines, place.start):
                yield "line", f"{kind}: {place} is on line {bisect_right(lines, place.start)}"


def check_evidence(page: PageScore, text: Text) -> Problems:
    """Check the evidence of a score."""
    for name, reading in page.readings.items():
        yield from text.check(name, reading.evidence)
    yield from text.check("freshness", page.fresh.evidence)


def check_directives(page: StrippedText) -> Problems:
    """Check that every character of a page without its directives leads back to itself."""
    for offset, character in enumerate(page.text):
        start, end = page.view.source_span(offset, offset + 1)
        if page.written[start:end] != character:
            yield "directives", f"{character!r} at {offset} leads to {page.written[start:end]!r}"
            return
    silences = find_silences(page.written)
    spans = [*((part.start, part.end) for part in silences.parts), *((m.start, m.end) for m in silences.mistakes)]
    for start, end in spans:
        if not 0 <= start <= end <= len(page.written) + 1:  # the end of the file is silenced as well
            yield "directives", f"{start} to {end} in a text of {len(page.written)} characters"


def check_findings(findings: Iterable[Finding], text: Text) -> Problems:
    """Check the findings of a page: their places, their gains and the words they quote."""
    found = list(findings)
    yield from text.check("finding", found)
    for finding in found:
        gains = (finding.gain, finding.uncapped)
        if gains != (None, None) and not all(g is not None and -100 < g < 100 for g in gains):
            yield "gain", f"{finding.component}: {finding.gain!r}, without the cap {finding.uncapped!r}"
        if finding.quote and not _is_quoted(finding.quote, text.text[finding.start : finding.end]):
            yield "quote", f"{finding.quote!r} is not in {text.text[finding.start : finding.end][:300]!r}"


def _is_quoted(quote: str, passage: str) -> bool:
    """Tell whether all characters of a quotation stand in a passage, in this order; marks between them are left out.

    Quotations show apostrophes and spaces of every kind as the plain ones, and half a surrogate pair as U+FFFD.
    """
    rest = iter(unicodedata.normalize("NFD", _SURROGATE.sub("\ufffd", unify_characters(passage))))
    wanted = "".join(unicodedata.normalize("NFD", quote.removesuffix("…")).split())
    return all(character in rest for character in wanted)
