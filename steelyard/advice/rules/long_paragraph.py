"""long_paragraph: a paragraph that is a wall of text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from steelyard.advice.context import Context
from steelyard.advice.finding import Finding
from steelyard.advice.passages import MAX_FINDINGS, count_words, find_paragraphs, is_one_line, locate_page, sentences_in
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
HEADING = 6  # words of a question that may be a heading
_QUESTION = re.compile(r"(?:^|[.!?…] )([^.!?…]{1,60}\?)(?= )")
_ENDS = (".", "!", "?", "…", ":", "”", '"', "»")


class LongParagraph(Rule):
    topic = "paragraph"
    about = "paragraphs that are a wall of text"
    not_for = ("listing",)
    what = "A paragraph is so long that it fills a screen."
    why = "Readers on a screen skip a wall of text, and nobody can link to or quote a part of it."
    how = (
        "More than 150 words without a break, in at least five sentences; a page of one paragraph may have 250, and "
        "may have lost its line breaks."
    )
    certain_when = (
        "the text was read well, the page is not certainly a legal one, and the paragraph is no list and holds no "
        "short question, perhaps a heading."
    )
    action = "divide it where its subject changes"
    anywhere = "divide it where its subject changes, or give the text with the line breaks that it has"
    bad = (
        Example("The lamp\n\n" + " ".join(make_sentences(20)), "The lamp stands"),
        Example(" ".join(make_sentences(32))),
    )
    good = (
        Example("\n\n".join(make_sentences(32)), note="short paragraphs"),
        Example("# Abstract\n\n" + " ".join(make_sentences(16)), note="an abstract is one paragraph"),
    )

    def find(self, context: Context) -> Iterator[Finding]:
        doc = context.doc
        if not context.is_measurable or context.is_certainly("legal"):
            return
        if is_one_line(doc):
            if doc.n_words > ABSTRACT:
                yield self.make(locate_page(doc), f"all {doc.n_words} words stand in one line")
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
                certain = not _holds_heading(doc.text[slice(*span)])
                yield self.point(doc, span, f"{words} words without a break", certain=certain)


def _holds_heading(paragraph: str) -> bool:
    """Return whether a short question stands in a paragraph, as a heading does where line breaks are lost."""
    return any(len(question.split()) <= HEADING for question in _QUESTION.findall(paragraph))


def _may_be_several(doc: Document, span: Span) -> bool:
    """Return whether a line of wrapped text ends with a mark before the others do, as the last of a paragraph does."""
    lines = [line.strip() for line, _ in doc.structure.view.split_lines(doc.source.text, *span)]
    longest = max(map(len, lines), default=0)
    return any(len(line) < FULL * longest and line.endswith(_ENDS) for line in lines[:-1])
