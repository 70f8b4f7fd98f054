"""self_containment: whether each paragraph can be read, and quoted, without the one before it."""

from __future__ import annotations

from steelyard.components.arithmetic.numbers import mean
from steelyard.components.base import Component, Counts, DegenerateCase, Parts, TextSpan
from steelyard.text.document import Document, once_per_page
from steelyard.text.lines import Span

MIN_CHARACTERS = 30  # characters; shorter paragraphs are ignored
SHORT, LONG = 20, 200  # words of a paragraph
OPENING = 400  # characters of the first sentence that the patterns see
POINTS = {"opener": 20.0, "subject": 100.0, "short": 40.0, "long": 65.0, "plain": 82.0}


@once_per_page
def find_paragraphs(doc: Document) -> list[Span]:
    """Return the paragraphs of at least 30 characters; headings, code and lists are not paragraphs."""
    return [p for p in map(doc.trim, doc.structure.paragraphs) if p[1] - p[0] >= MIN_CHARACTERS]


class SelfContainment(Component):
    """The mean over paragraphs of points for the way each one opens."""

    label = "self-contained paragraphs"
    spec = "app:selfcont"
    formula = "mean of the paragraphs' points (opener 20, explicit subject 100, short 40, long 65, else 82)"
    symbols = ("n", "points")
    degenerate = (DegenerateCase("no analyzable paragraph", lambda doc: not find_paragraphs(doc), 20.0),)

    def count(self, doc: Document) -> Counts:
        spans = find_paragraphs(doc)
        kinds = [classify_paragraph(doc, span) for span in spans]
        shown = [TextSpan(k, a, min(b, a + 120)) for k, (a, b) in zip(kinds, spans, strict=True)]
        return Counts({"n": len(spans), "points": [POINTS[k] for k in kinds]}, shown)

    def value(self, parts: Parts) -> float:
        return mean(parts["points"])


def classify_paragraph(doc: Document, span: Span) -> str:
    """Name the way a paragraph opens, or its length when the opening matches no pattern."""
    start, end = span
    opening = doc.text[start:end]
    start += len(opening) - len(opening.lstrip(" .!?"))  # leading punctuation must not hide the opening
    last = doc.segment_at(start)
    stop = max(start + 1, doc.segments[last][1]) if last >= 0 else end
    opening = doc.text[start : min(end, stop, start + OPENING)] + " "
    if doc.matches_in("opener", opening):
        return "opener"
    if doc.matches_in("subject", opening):
        return "subject"
    words = len(doc.text[start:end].split(None, LONG))  # counted only as far as it matters
    return "short" if words < SHORT else "long" if words > LONG else "plain"
