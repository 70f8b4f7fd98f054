"""long_paragraph: a paragraph that is a wall of text."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from steelyard.advice.context import Context
from steelyard.advice.finding import Finding
from steelyard.advice.passages import MAX_FINDINGS, count_words, find_paragraphs, sentences_in
from steelyard.advice.phrases import has_phrase
from steelyard.advice.prose import make_sentences
from steelyard.advice.rule import Example, Rule
from steelyard.text.document import Document
from steelyard.text.lines import Span

LONG = 150  # words of a paragraph that fills a screen
ABSTRACT = 250  # words of a page that may be one paragraph, as abstracts are
SENTENCES = 5  # that it can be divided between
ONE = 0.8  # share of the words, from which a page is one paragraph
MAX_MARKS = 6  # semicolons: more are in a list
MAX_COMMAS = 0.15  # a word: more are in a list
BEGINNING = 20  # characters of a paragraph, among which “Abstract” says what it is
FULL = 0.8  # of the longest line of wrapped text: a shorter one with a mark at its end may end a paragraph
_ENDS = (".", "!", "?", "…", ":", "”", '"', "»")


class LongParagraph(Rule):
    topic = "paragraph"
    about = "paragraphs that are a wall of text"
    not_for = ("listing",)
    what = "A paragraph is so long that it fills a screen."
    why = "Readers on a screen skip a wall of text, and nobody can link to or quote a part of it."
    how = "More than 150 words without a break, in at least five sentences; a page of one paragraph may have 250."
    certain_when = (
        "the text was read well, the page is not certainly a legal one, and the paragraph is one, and no list."
    )
    action = "divide it where its subject changes"
    bad = (Example(" ".join(make_sentences(32)), "The lamp stands"),)
    good = (
        Example("\n\n".join(make_sentences(32)), note="short paragraphs"),
        Example("# Abstract\n\n" + " ".join(make_sentences(16)), note="an abstract is one paragraph"),
    )

    def find(self, context: Context) -> Iterator[Finding]:
        doc = context.doc
        if not context.is_measurable or context.is_certainly("legal"):
            return
        counted = [(count_words(doc, span), span) for span in find_paragraphs(doc)]
        every = sum(words for words, _ in counted)
        found = [(words, span) for words, span in counted if words > LONG and (words < ONE * every or every > ABSTRACT)]
        for words, span in islice(sorted(found, key=lambda f: (-f[0], f[1])), MAX_FINDINGS):
            commas = doc.text.count(",", *span)
            if (
                len(sentences_in(doc, span)) >= SENTENCES
                and commas < MAX_COMMAS * words
                and doc.text.count(";", *span) < MAX_MARKS
                and not _may_be_several(doc, span)
                and not has_phrase(doc, "abstract", (span[0], span[0] + BEGINNING))
            ):
                yield self.point(doc, span, f"{words} words without a break")


def _may_be_several(doc: Document, span: Span) -> bool:
    """Return whether a line of wrapped text ends with a mark before the others do, as the last of a paragraph does."""
    lines = [line.strip() for line, _ in doc.structure.view.split_lines(doc.source.text, *span)]
    longest = max(map(len, lines), default=0)
    return any(len(line) < FULL * longest and line.endswith(_ENDS) for line in lines[:-1])
