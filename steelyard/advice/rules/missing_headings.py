"""missing_headings: a long page without headings."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise

from steelyard.advice.context import Context
from steelyard.advice.finding import Finding, Gain
from steelyard.advice.gains import gain_of_values
from steelyard.advice.passages import count_words, find_paragraphs, is_one_line, locate_page
from steelyard.advice.prose import make_sentences
from steelyard.advice.rule import Example, Rule
from steelyard.components import BY_NAME
from steelyard.components.arithmetic.numbers import mean
from steelyard.components.ndcg_score import front_loading, section_quality, section_relevance
from steelyard.text.document import Document, Section
from steelyard.text.lines import Span

LONG = 800  # words of a page that needs headings
LONG_STORY = 1_000  # the same for a page that is read from beginning to end
STORIES = ("article", "news", "other", "question-answer")
SECTION = 200  # words of a section, for the gain
SHORT_LINE = 10  # words of a line that may be a heading without its mark
_SENTENCE_ENDS = (".", "!", "?", "…", ":", ";", ",", "”", '"', "»", ")")


class MissingHeadings(Rule):
    topic = "headings"
    about = "long pages without headings"
    component = "ndcg_score"
    not_for = ("legal", "listing", "opinion")
    what = "A long page, or a long part of it, has no headings."
    why = "A reader cannot find the part that answers the question, and nobody can link to it."
    how = "More than 800 words, or 1,000 of news and articles, and no line that is or may be a heading."
    certain_when = "the text was read well, and has line breaks."
    action = "divide the page by headings that say what each part tells"
    counted = "headings over sections of some paragraphs each"
    bad = (Example("\n\n".join(make_sentences(75)), kind="how-to"),)
    good = (
        Example(" ".join(make_sentences(5)), note="a short page"),
        Example(
            "## Times\n\n" + " ".join(make_sentences(30)) + "\n\n## Places\n\n" + " ".join(make_sentences(60)[30:])
        ),
    )

    def find(self, context: Context) -> Iterator[Finding]:
        doc = context.doc
        if not context.is_measurable:
            return
        story = context.kind_name is None or context.kind_name in STORIES
        stretch = _find_longest_stretch(doc)
        words = sum(count_words(doc, span) for span in stretch)
        if words <= (LONG_STORY if story else LONG) or _has_short_line(doc, stretch):
            return
        if len(doc.sections) > 1:
            yield self.point(doc, stretch[0], f"{words} words from here on without a heading")
        else:
            gain = _gain_of_headings(context, stretch)
            certain = not is_one_line(doc)
            yield self.make(locate_page(doc), f"{words} words without a heading", gain=gain, certain=certain)


def _find_longest_stretch(doc: Document) -> list[Span]:
    """Return the paragraphs of the longest part of the page without a heading."""
    edges = [0, *(section.title[0] for section in doc.sections), len(doc.text)]
    paragraphs = find_paragraphs(doc)
    starts = [bisect_left(paragraphs, (edge, 0)) for edge in edges]
    parts = [list(paragraphs[first:last]) for first, last in pairwise(starts)]
    return max(parts, key=lambda part: sum(end - start for start, end in part))


def _has_short_line(doc: Document, paragraphs: Sequence[Span]) -> bool:
    return any(_may_be_heading(doc, span) for span in paragraphs[1:-1])


def _may_be_heading(doc: Document, span: Span) -> bool:
    """Return whether a line is short and ends like no sentence, as a heading does that has lost its mark."""
    text = doc.text[span[0] : span[1]].strip()
    return bool(text) and len(text.split()) <= SHORT_LINE and not text.endswith(_SENTENCE_ENDS)


def _gain_of_headings(context: Context, paragraphs: Sequence[Span]) -> Gain:
    """Return the gain when sections of some paragraphs each get headings, by the component's own formula."""
    doc = context.doc
    sections: list[Section] = []
    start, words = paragraphs[0][0], 0
    for span in paragraphs:
        words += count_words(doc, span)
        if words >= SECTION:
            sections.append(Section(2, (start, start), (start, span[1])))
            start, words = span[1], 0
    sections = sections[:10]
    relevance = section_relevance(doc, sections)
    parts = {
        "S_rel": 100 * mean(relevance),
        "S_qual": mean([section_quality(doc, section) for section in sections]),
        "S_hier": 100.0,
        "S_pos": front_loading(relevance),
    }
    return gain_of_values(context.score, {"ndcg_score": BY_NAME["ndcg_score"].value(parts)})
