"""empty_paragraph: a paragraph that could stand on any page."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from steelyard import languages
from steelyard.advice.context import Context
from steelyard.advice.finding import Finding
from steelyard.advice.passages import (
    DIGIT,
    MAX_FINDINGS,
    QUOTATION_MARK,
    count_words,
    find_paragraphs,
    holds_link,
    sentences_in,
)
from steelyard.advice.phrases import phrases_in
from steelyard.advice.rule import Example, Rule
from steelyard.text.document import Document
from steelyard.text.lines import Span

LONG = 25  # words of a paragraph that should tell something
VAGUE, SHARE = 3, 0.06  # so many words that fit everywhere, and such a share of all


class EmptyParagraph(Rule):
    topic = "nothing said"
    about = "paragraphs that could stand on any page"
    level = "note"
    not_for = ("opinion", "question-answer", "legal", "listing", "news")
    what = "A paragraph names nothing and is full of words that fit everywhere."
    why = "A reader knows nothing more behind it, and nobody can use or cite it."
    how = (
        "No name, figure, link or quotation in 25 words or more, and three of “a lot of”, “so important” and the like."
    )
    certain_when = "both hold: nothing that can be checked, and many words that say little."
    action = "say what, where, when or how much, as far as you know it, or leave the paragraph out"
    invents = "a place, a date, a name or a figure"
    bad = (
        Example(
            "Boats are so important for all of us. There are plenty of great things that you can do with them, and a "
            "lot of people enjoy them in many different ways every day.",
            "Boats are so important",
        ),
    )
    good = (
        Example(
            "A boat of oak is so important to Port Ellis that 40 people came when it was launched, and a lot of them "
            "brought flowers for the crew and bread for the day.",
            note="it names a place and a figure",
        ),
        Example(
            "Rain that would have gone down the drain waits in the barrel until a dry week, and it is soft and as warm "
            "as the air, which seedlings like better.",
            note="it tells something",
        ),
    )

    def find(self, context: Context) -> Iterator[Finding]:
        doc = context.doc
        for span in islice((s for s in find_paragraphs(doc) if _says_nothing(doc, s)), MAX_FINDINGS):
            words = [doc.text[p.start : p.end] for p in phrases_in(doc, "vague", span)]
            listed = ", ".join(f"“{word}”" for word in dict.fromkeys(words[:3]))
            yield self.point(doc, span, f"nothing here can be checked, and {listed} fit everywhere")


def _says_nothing(doc: Document, span: Span) -> bool:
    text, words = doc.text[span[0] : span[1]], count_words(doc, span)
    if words < LONG or DIGIT.search(text) or QUOTATION_MARK.search(text) or holds_link(doc, span):
        return False
    vague = phrases_in(doc, "vague", span)
    if len(vague) < VAGUE or len(vague) < SHARE * words:
        return False
    if languages.capitalises_nouns(doc.language.code):
        return not any(span[0] <= m.start < span[1] for m in doc.find("entity"))
    return not any(s.holds_name for s in sentences_in(doc, span))
