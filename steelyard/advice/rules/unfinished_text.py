"""unfinished_text: a page that breaks off in the middle of a sentence."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.advice.context import Context
from steelyard.advice.finding import Finding
from steelyard.advice.passages import count_words, find_paragraphs
from steelyard.advice.rule import Example, Rule
from steelyard.advice.words import load_words

MIN_WORDS = 8  # of the last paragraph
SHOWN = 5  # of its words
ELLIPSES = ("…", "...", "[…]", "[...]", "(…)", "(...)")


class UnfinishedText(Rule):
    topic = "end"
    about = "texts that break off"
    not_for = ("listing",)
    what = "The last paragraph ends in the middle of a sentence."
    why = "Readers look for the rest, and nobody can tell what is missing."
    how = "It ends with a colon, or with a word that never ends a sentence, such as “the” or “of”, and no mark but “…”."
    certain_when = "the text is no HTML, of which the reader may have left out the end."
    action = "finish the sentence, or take it out"
    bad = (
        Example(
            "The ferry leaves at seven.\n\nWhoever misses it takes the bus, which leaves an hour later from the",
            "Whoever",
        ),
        Example(
            "The ferry leaves at seven.\n\nWhoever misses it takes the bus, which leaves an hour later from the...",
            "Whoever",
        ),
        Example("The ferry leaves at seven.\n\nWhoever misses it has three other ways over the water:", "Whoever"),
    )
    good = (
        Example("The ferry leaves at seven.\n\nWhoever misses it takes the bus they are used to", note="it may end"),
        Example("The ferry leaves at seven.\n\nPictures of the old harbour by Ann Smith and Joe Brown", note="a name"),
    )

    def find(self, context: Context) -> Iterator[Finding]:
        doc, paragraphs = context.doc, find_paragraphs(context.doc)
        if context.extracted or not paragraphs or count_words(doc, paragraphs[-1]) < MIN_WORDS:
            return
        start, end = paragraphs[-1]
        text = doc.text[start:end]
        for mark in ELLIPSES:
            text = text.removesuffix(mark).rstrip()
        if sum(doc.text[s:e].endswith(ELLIPSES) for s, e in paragraphs) > 1:
            return  # teasers
        last = text.rpartition(" ")[2]
        breaks_off = last.endswith(":") or last in load_words(doc.language.code)["never_last"]
        if breaks_off and not doc.text[end:].strip():
            words = " ".join(text.split()[-SHOWN:])
            yield self.point(doc, (start, end), f"the text breaks off after “{words}”")
