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

LONG = 150  # words of a paragraph on a screen
SENTENCES = 5  # that it can be divided between
MAX_MARKS = 6  # semicolons: more are in a list
MAX_COMMAS = 0.15  # a word: more are in a list


class LongParagraph(Rule):
    topic = "paragraph"
    about = "paragraphs that are a wall of text"
    not_for = ("legal", "listing")
    what = "A paragraph is so long that it fills a screen."
    why = "Readers on a screen skip a wall of text, and nobody can link to or quote a part of it."
    how = "More than 150 words without a break, in at least five sentences."
    certain_when = "the text was read well, and the paragraph is no list."
    action = "divide it where its subject changes"
    bad = (Example(" ".join(make_sentences(13)), "The lamp stands"),)
    good = (Example("\n\n".join(make_sentences(13)), note="short paragraphs"),)

    def find(self, context: Context) -> Iterator[Finding]:
        doc = context.doc
        if not context.is_measurable:
            return
        long = ((count_words(doc, span), span) for span in find_paragraphs(doc))
        found = [(words, span) for words, span in long if words > LONG]
        for words, span in islice(sorted(found, key=lambda f: (-f[0], f[1])), MAX_FINDINGS):
            commas = doc.text.count(",", *span)
            if (
                len(sentences_in(doc, span)) >= SENTENCES
                and commas < MAX_COMMAS * words
                and doc.text.count(";", *span) < MAX_MARKS
            ):
                certain = not has_phrase(doc, "warning", span)
                yield self.point(doc, span, f"{words} words without a break", certain=certain)
