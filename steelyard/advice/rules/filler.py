"""filler: words that say nothing, most of all at the beginning of a page."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from steelyard.advice.context import Context
from steelyard.advice.finding import Finding
from steelyard.advice.passages import MAX_FINDINGS, is_quoted, sentence_at
from steelyard.advice.phrases import find_phrases
from steelyard.advice.rule import Example, Rule


class Filler(Rule):
    topic = "filler"
    about = "words that say nothing"
    level = "note"
    what = "A sentence opens with, or consists of, words that could stand on any page."
    why = "A reader skips them, and what the page has to say comes later."
    how = "Phrases such as “in today's world”, “it is important to note that”, “look no further”."
    certain_when = "the phrase adds nothing whatever the page is about."
    action = "leave these words out; begin with what the sentence says"
    bad = (
        Example("In today's fast-paced world, everybody needs a boat. Ours are made of oak.", "In today's fast-paced"),
    )
    good = (Example("A boat of oak lasts sixty years, and one of steel forty."),)

    def find(self, context: Context) -> Iterator[Finding]:
        doc = context.doc
        seen: set[int] = set()
        for phrase in islice(find_phrases(doc).get("filler", ()), MAX_FINDINGS):
            sentence = sentence_at(doc, phrase.start)
            if sentence is None or sentence.number in seen or is_quoted(doc, phrase.start):
                continue
            seen.add(sentence.number)
            words = doc.text[phrase.start : phrase.end]
            where = "the page opens with" if sentence.number == 0 else "these words say nothing:"
            yield self.point(doc, sentence.span, f"{where} “{words}”")
