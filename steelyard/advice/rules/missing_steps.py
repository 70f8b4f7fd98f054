"""missing_steps: instructions that stand in running text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from steelyard.advice.context import Context
from steelyard.advice.finding import Finding
from steelyard.advice.passages import count_words, find_paragraphs, locate_page
from steelyard.advice.phrases import count_phrases
from steelyard.advice.prose import make_sentences
from steelyard.advice.rule import Example, Rule

LONG = 250  # words of instructions that need steps
ORDERED = 3  # words such as “then”, from which something is done in an order
_LIST = re.compile(r"(?m)^[ \t]*(?:[-*+•]|[0-9]{1,2}[.)])[ \t]")


class MissingSteps(Rule):
    topic = "steps"
    about = "instructions without a list of steps"
    level = "note"
    only_for = ("how-to",)
    what = "Instructions stand in running text, without a list of steps."
    why = "Whoever follows them has to find the place again after every step."
    how = "More than 250 words of instructions with “then”, “next” and the like, and no list, table or numbered line."
    certain_when = "the page is certainly a how-to and was read well."
    action = "put the steps into a numbered list"
    bad = (
        Example("First sand the wood. Then paint it. Finally oil it. " + " ".join(make_sentences(25)), kind="how-to"),
    )
    good = (
        Example(
            "1. First sand the wood.\n2. Then paint it.\n3. Finally oil it.\n\n" + " ".join(make_sentences(25)),
            kind="how-to",
        ),
    )

    def find(self, context: Context) -> Iterator[Finding]:
        doc = context.doc
        words = sum(count_words(doc, span) for span in find_paragraphs(doc))
        if words <= LONG or count_phrases(doc, "order") < ORDERED or _LIST.search(doc.source.text) or "|" in doc.text:
            return
        if len(doc.sections) <= 2 and context.is_measurable:
            yield self.make(locate_page(doc), "the steps stand in running text", certain=context.is_certainly("how-to"))
