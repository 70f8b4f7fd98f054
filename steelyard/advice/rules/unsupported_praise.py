"""unsupported_praise: promotional words that nothing on the page supports."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from steelyard.advice.context import Context
from steelyard.advice.finding import Finding
from steelyard.advice.passages import DIGIT, MAX_FINDINGS, Sentence, find_paragraphs, holds_link, is_quoted, sentence_at
from steelyard.advice.phrases import count_phrases, find_phrases, has_phrase
from steelyard.advice.rule import Example, Rule
from steelyard.text.document import Document

MANY = 3  # such words on a page, from which it praises in whatever person
MANY_WEAK = 4  # different words such as “stunning”, of which one alone is no praise of a maker
SELLING = ("product", "listing", "other")  # kinds of page that may praise what they sell
OWN_VOICE = 2  # times that “we” or “our” stands on a page that speaks for itself


class UnsupportedPraise(Rule):
    topic = "praise"
    about = "praise without evidence"
    not_for = ("opinion", "legal", "news", "question-answer")
    what = "A page that speaks for its maker praises itself, and nothing in the sentence shows why."
    why = "Every competitor says the same words. What can be checked convinces."
    how = (
        "“World-class” and the like, or several of “stunning” and the like, in a sentence without a figure or a link, "
        "on a page that says “we” or “our”."
    )
    certain_when = (
        "the sentence says “we” or “our”, or the page certainly sells something, and the words are nobody's quoted "
        "opinion."
    )
    action = "say what shows it, or leave the praise out"
    invents = "a proof, an award or a figure"
    bad = (
        Example(
            "We build boats at the old quay. Our team offers world-class service to our guests, and we love our work.",
            "Our team",
        ),
    )
    good = (
        Example("The critic liked the world-class service of the ship.", note="the page praises somebody else"),
        Example("Ivy is the perfect choice for walls. We grow it. Our guests like it.", note="it praises the plant"),
        Example("We think that our town should build the world's best ship. Our guests do.", note="a wish"),
        Example(
            "Our world-class service won 14 prizes in 2019. We love our work, and our guests do.",
            note="a figure shows it",
        ),
    )

    def find(self, context: Context) -> Iterator[Finding]:
        doc = context.doc
        phrases = find_phrases(doc)
        sells = context.is_certainly("product")
        is_own = count_phrases(doc, "own_voice") >= OWN_VOICE or sells
        found = list(phrases.get("hype", ()))
        if not is_own and len(found) < MANY:
            return
        weak = phrases.get("praise", [])
        if (
            is_own
            and context.kind_name in (None, *SELLING)
            and len({doc.lowered[p.start : p.end] for p in weak}) >= MANY_WEAK
        ):
            found += weak
        seen: set[int] = set()
        for phrase in islice(sorted(found, key=lambda p: p.start), MAX_FINDINGS):
            sentence = sentence_at(doc, phrase.start)
            if sentence is None or sentence.number in seen or _is_said(doc, sentence, phrase.start):
                continue
            if has_phrase(doc, "wish", (sentence.span[0], phrase.start)):
                continue
            seen.add(sentence.number)
            if not DIGIT.search(sentence.text) and not holds_link(doc, sentence.span):
                words = doc.text[phrase.start : phrase.end]
                certain = sells or has_phrase(doc, "own_voice", sentence.span)
                yield self.point(doc, sentence.span, f"nothing here shows “{words}”", certain=certain)


def _is_said(doc: Document, sentence: Sentence, at: int) -> bool:
    """Return whether somebody's words are reported there, with or without quotation marks."""
    return is_quoted(doc, at) or has_phrase(doc, "said", find_paragraphs(doc)[sentence.paragraph])
