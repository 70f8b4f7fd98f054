"""duplicate_text: a passage, or most of the page, that stands on the page twice."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from steelyard.advice.context import Context
from steelyard.advice.copies import find_copies, share_copied
from steelyard.advice.finding import Finding
from steelyard.advice.passages import MAX_FINDINGS
from steelyard.advice.rule import Example, Rule
from steelyard.text.document import Document
from steelyard.text.lines import Span

MOST = 0.4  # of the words
SURELY = 60  # words that nobody writes twice for two items of a list
NEAR, WORDS_BEFORE = 80, 6  # characters and words that say where the first passage is
BEFORE = 8  # characters before a passage, to see whether it begins a sentence

_TWICE = (
    "The ferry leaves the old harbour every morning at seven and comes back in the evening. In January, when the ice "
    "in the bay is too thick for it, a bus leaves at the same times."
)
_ONCE = "The ferry of the old harbour leaves at seven and does not come back before evening."


class DuplicateText(Rule):
    topic = "duplicate"
    about = "passages that stand on the page twice"
    what = "The same words stand on the page more than once."
    why = "A reader reads them twice, and figures about such a page say nothing about its text."
    how = "At least 30 words in a row that stood before on the page in the same order, or a paragraph of 14 words."
    certain_when = (
        "the words begin a sentence in another paragraph: parallel items share their ends; or there are twice as many; "
        "not where answers quote each other."
    )
    action = "remove one of the two"
    bad = (
        Example(f"{_TWICE}\n\nTickets are sold on board.\n\n{_TWICE}", "The ferry leaves"),
        Example(f"{_ONCE}\n\nThe new ferry\n\n{_ONCE}", "The ferry of"),
    )
    good = (
        Example(f"{_TWICE}\n\nTickets are sold on board."),
        Example("Read the terms. Read the terms again. Read the terms a third time.", note="phrases may recur"),
    )

    def find(self, context: Context) -> Iterator[Finding]:
        doc = context.doc
        share = share_copied(doc)
        for copy in islice(find_copies(doc), MAX_FINDINGS):
            words = f"{copy.words} words that already stand {_describe_place(context, copy.first)}"
            if share >= MOST:
                words = f"{share:.0%} of the page stands on it twice: {words}"
            apart = "\n" in doc.text[copy.first[1] : copy.span[0]]
            certain = copy.words >= SURELY or (apart and _begins_sentence(doc, copy.span[0]))
            certain = certain and (share >= MOST or context.kind_name != "question-answer")  # where answers quote
            yield self.point(doc, copy.span, words, certain=certain)


def _describe_place(context: Context, span: Span) -> str:
    """Return where the words stood before; a line of extracted text is none that anybody can open."""
    doc = context.doc
    if not context.extracted:
        return f"on line {doc.source.line(doc.source.view_to_file(*span)[0])}"
    before = doc.text[max(0, span[0] - NEAR) : span[0]].split()[-WORDS_BEFORE:]
    return f"after “{' '.join(before)}”" if before else "at the beginning"


def _begins_sentence(doc: Document, at: int) -> bool:
    """Return whether a line or a sentence begins at an offset, but for marks."""
    before = doc.text[max(0, at - BEFORE) : at].rstrip(' "“„«(*_#>-')
    return not before or before[-1] in "\n.!?:…”»"
