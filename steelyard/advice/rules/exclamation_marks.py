"""exclamation_marks: a page that shouts."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.advice.context import Context
from steelyard.advice.finding import Finding
from steelyard.advice.passages import find_sentences, is_quoted, locate_page
from steelyard.advice.rule import Example, Rule

MANY = 6  # exclamations
SHARE = 0.25  # of the sentences
PLAIN = ("article", "how-to", "news", "product", "reference")  # kinds of page that are nobody's own voice


class ExclamationMarks(Rule):
    topic = "shouting"
    about = "pages that shout"
    level = "note"
    not_for = ("opinion", "question-answer", "listing")
    what = "A quarter of the sentences or more end with an exclamation mark."
    why = "Where everything is shouted nothing is heard, and readers trust it less."
    how = "At least six exclamation marks after sentences outside of quotations, and one for four sentences."
    certain_when = "the page is certainly of a kind that is nobody's own voice."
    action = "keep one or two of them"
    bad = (
        Example(
            "We build boats of oak at the old quay! " * 4 + "Come and see all of them this summer! " * 4, kind="product"
        ),
    )
    good = (Example("We build boats of oak! " + "They last for sixty years in salt water. " * 5),)

    def find(self, context: Context) -> Iterator[Finding]:
        doc = context.doc
        sentences = find_sentences(doc)
        count = sum(doc.text.startswith("!", s.span[1]) and not is_quoted(doc, s.span[0]) for s in sentences)
        if count >= MANY and count >= SHARE * len(sentences):
            why = f"{count} of {len(sentences)} sentences end with an exclamation mark"
            yield self.make(locate_page(doc), why, certain=context.is_certainly(*PLAIN))
