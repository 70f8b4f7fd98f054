"""missing_title: a page without a title."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.advice.context import Context
from steelyard.advice.copies import is_repetitive
from steelyard.advice.finding import Finding
from steelyard.advice.passages import find_paragraphs, locate_page
from steelyard.advice.prose import make_sentences
from steelyard.advice.rule import Example, Rule

SHORT_LINE = 14  # words of a first line that may be the title
MIN_WORDS = 80  # of a page


class MissingTitle(Rule):
    topic = "title"
    about = "pages without a title"
    level = "note"
    what = "The page has no title: none in its data, no heading, and its first line is a sentence."
    why = "A title says what the page is about, in lists of results as on the page."
    how = "No title is known, and the text begins with a long line that ends like a sentence."
    certain_when = "the page is a text that has no heading at all."
    action = "give the page a title that names its subject"
    bad = (
        Example(
            "The ferry leaves the old harbour every morning, and many people walk down to see it. "
            + " ".join(make_sentences(8))
        ),
    )
    good = (Example("# The ferry\n\n" + " ".join(make_sentences(8))),)

    def find(self, context: Context) -> Iterator[Finding]:
        doc, paragraphs = context.doc, find_paragraphs(context.doc)
        if doc.title or doc.sections or not paragraphs or doc.n_words < MIN_WORDS or is_repetitive(doc):
            return
        start, end = paragraphs[0]
        if start > len(doc.text) - len(doc.text.lstrip()) or len(doc.text[start:end].split()) <= SHORT_LINE:
            return
        yield self.make(locate_page(doc), "the page has no title", certain=not context.extracted)
