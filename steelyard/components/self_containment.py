"""self_containment: whether each paragraph can be read, and lifted, without the one before it."""

from __future__ import annotations

from steelyard.components.arithmetic.numbers import mean
from steelyard.components.base import Component, Counted, Degenerate, Found, Parts
from steelyard.text.document import Document
from steelyard.text.lines import Span

SHORTEST = 30  # characters of a paragraph that is looked at
SHORT, LONG = 20, 200  # words of a paragraph
OPENING = 400  # characters of the first sentence that the patterns see
POINTS = {"opener": 20.0, "subject": 100.0, "short": 40.0, "long": 65.0, "plain": 82.0}


class SelfContainment(Component):
    """The mean over paragraphs of points for the way each one opens."""

    spec = "app:selfcont"
    formula = "mean of the paragraphs' points (opener 20, explicit subject 100, short 40, long 65, else 82)"
    symbols = ("n", "points")
    degenerate = (Degenerate("no analyzable paragraph", lambda doc: not paragraphs(doc), 20.0),)

    def count(self, doc: Document) -> Counted:
        spans = paragraphs(doc)
        kinds = [kind(doc, span) for span in spans]
        found = [Found(k, a, min(b, a + 120)) for k, (a, b) in zip(kinds, spans, strict=True)]
        return Counted({"n": len(spans), "points": [POINTS[k] for k in kinds]}, found)

    def value(self, parts: Parts) -> float:
        return mean(parts["points"])


def paragraphs(doc: Document) -> list[Span]:
    """Paragraphs of at least 30 characters; headings, code and lists are none."""
    return doc.memo(
        "paragraphs", lambda: [p for p in map(doc.trimmed, doc.structure.paragraphs) if p[1] - p[0] >= SHORTEST]
    )


def kind(doc: Document, span: Span) -> str:
    """How a paragraph opens, or how long it is when its opening says nothing."""
    start, end = span
    opening = doc.text[start:end]
    start += len(opening) - len(opening.lstrip(" .!?"))  # a full stop in front hides no opening
    last = doc.segment_at(start)
    stop = max(start + 1, doc.segments[last][1]) if last >= 0 else end
    opening = doc.text[start : min(end, stop, start + OPENING)] + " "
    if doc.find_in("opener", opening):
        return "opener"
    if doc.find_in("subject", opening):
        return "subject"
    words = len(doc.text[start:end].split(None, LONG))  # as far as it matters
    return "short" if words < SHORT else "long" if words > LONG else "plain"
