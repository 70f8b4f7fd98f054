"""self_containment: a section that cannot be understood without the one before it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from steelyard.advice.context import Context
from steelyard.advice.finding import Finding, Gain
from steelyard.advice.gains import gain_of_values
from steelyard.advice.passages import MAX_FINDINGS, QUOTATION_MARK, find_paragraphs
from steelyard.advice.phrases import phrases_in
from steelyard.advice.rule import Example, Rule
from steelyard.components import BY_NAME
from steelyard.components.self_containment import POINTS
from steelyard.components.self_containment import find_paragraphs as find_counted
from steelyard.text.document import Document
from steelyard.text.lines import Span

OPENING = 60  # characters in which the words for something said before begin and end
OPENING_WORDS = 3
KINDS = {value: kind for kind, value in POINTS.items()}  # of a paragraph, by its points
MIN_WORDS = 15  # of a paragraph that somebody would quote


class SelfContainment(Rule):
    topic = "opening"
    about = BY_NAME["self_containment"].label
    component = "self_containment"
    not_for = ("opinion", "question-answer", "legal", "listing")
    what = "The first paragraph below a heading opens with a word for something said above it."
    why = "Whoever comes by a link or a search begins there and does not know what is meant."
    how = "“However”, “this means”, “they are” and the like at the beginning of a section, or of the page."
    certain_when = (
        "the paragraph is the first below a heading, which is no step of instructions. Other openings that the "
        "component counts are not."
    )
    action = "name here what the first words refer to"
    invents = "what the words refer to"
    counted = "a first sentence whose subject is no pronoun"
    bad = (
        Example(
            "# Boats\n\nBoats of oak last.\n\n## Costs\n\n"
            "However, they are heavier than steel and have to be painted every spring by somebody who knows how.",
            "However, they",
        ),
    )
    good = (
        Example(
            "# Boats\n\n## Times\n\nIt takes four hours to paint a boat of this size in dry weather.",
            note="an empty it",
        ),
        Example("# Boats\n\n## Guide\n\nThis guide shows how to paint a boat.", note="it says what"),
        Example(
            "# Boats\n\n## Sand the hull\n\nThis will take an hour or two in dry weather, and the paint will last "
            "for years.",
            note="the heading is the step",
            kind="how-to",
        ),
        Example("# Boats\n\nOak lasts. This means that it is dear.", note="no section"),
    )

    def find(self, context: Context) -> Iterator[Finding]:
        doc = context.doc
        gain = _gain_of_a_subject(context)
        certain = set()
        for span in _find_openings(doc)[:MAX_FINDINGS]:
            end = _find_reference(doc, span[0])
            if end is not None and not QUOTATION_MARK.match(doc.text, span[0]):
                certain.add(span[0])
                words = doc.text[span[0] : end]
                is_step = context.kind_name == "how-to"  # whose heading is a sentence that the next one goes on from
                yield self.point(doc, span, f"the section opens with “{words}”", gain=gain, certain=not is_step)
        kinds = [KINDS[value] for value in context.score.readings["self_containment"].parts["points"]]
        spans = [span for span, kind in zip(find_counted(doc), kinds, strict=True) if kind == "opener"]
        for start, end in spans[:MAX_FINDINGS]:
            enough = any(p.start == start for p in phrases_in(doc, "self_sufficient", (start, start + OPENING)))
            if start not in certain and not enough and not QUOTATION_MARK.match(doc.text, start):
                opening = " ".join(doc.text[start:end].split(maxsplit=OPENING_WORDS)[:OPENING_WORDS])
                why = f"“{opening}” refers to what stands before it"
                yield self.point(doc, (start, end), why, gain=gain, certain=False)


def _find_openings(doc: Document) -> list[Span]:
    """Return the first paragraph below each heading but the first, if nothing is between the two."""
    paragraphs, found = find_paragraphs(doc), []
    for section in doc.sections[1:]:
        at = bisect_left(paragraphs, (section.title[1], 0))
        if at < len(paragraphs) and paragraphs[at][0] < section.body[1]:
            start, end = paragraphs[at]
            between = doc.text[section.title[1] : start]
            if not between.strip() and len(doc.text[start:end].split(None, MIN_WORDS)) > MIN_WORDS:
                found.append((start, end))
    return found


def _find_reference(doc: Document, start: int) -> int | None:
    """Return the end of the words for something said before, with which a paragraph opens; None if it does not."""
    first = start
    for phrase in phrases_in(doc, "connective", (start, start + OPENING))[:1]:
        if phrase.start == start:
            rest = doc.text[phrase.end : start + OPENING]
            first = phrase.end + len(rest) - len(rest.lstrip(", "))
    phrases = phrases_in(doc, "refers_back", (first, first + OPENING))
    return phrases[0].end if phrases and phrases[0].start == first else None


def _gain_of_a_subject(context: Context) -> Gain | None:
    """Return what one opening with its subject would gain; None where the component counts none as weak."""
    points = list(context.score.readings["self_containment"].parts["points"])
    if POINTS["opener"] not in points:
        return None
    points[points.index(POINTS["opener"])] = POINTS["subject"]
    value = BY_NAME["self_containment"].value({"n": len(points), "points": points})
    return gain_of_values(context.score, {"self_containment": value})
