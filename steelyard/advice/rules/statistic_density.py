"""statistic_density: something that somebody has counted or measured, without the figure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from steelyard.advice.context import Context
from steelyard.advice.finding import Finding
from steelyard.advice.gains import gain_of_addition
from steelyard.advice.passages import DIGIT, MAX_FINDINGS, Sentence, find_sentences, is_quoted, sentence_at
from steelyard.advice.phrases import Phrase, find_phrases, find_words, has_phrase
from steelyard.advice.rule import Example, Rule
from steelyard.advice.words import is_one_of
from steelyard.components import BY_NAME
from steelyard.text.document import Document

NEAR = 2  # words before the phrase, of which one may deny it
_SHARE = re.compile(r"[0-9] ?%")
AFTER = 4  # sentences, this one included, of which one may give the figure


class StatisticDensity(Rule):
    topic = "figure"
    about = BY_NAME["statistic_density"].label
    component = "statistic_density"
    not_for = ("opinion", "how-to", "legal", "listing")
    what = "A sentence says that something rose, fell or was counted, and not by how much."
    why = "Whoever can say “sharply” has seen the figure; a reader can compare and cite it."
    how = "“Rose sharply”, “a record number of” and the like without a digit or a number in words nearby."
    certain_when = "the words say that somebody has measured or counted. “Many years” does not."
    action = "give the figure with its year"
    invents = "a figure"
    counted = "a number with its unit or what it counts, and a year beside it"
    bad = (
        Example(
            "The port has new cranes. The traffic of containers has increased dramatically since then.", "The traffic"
        ),
    )
    good = (
        Example(
            "The traffic of containers has increased dramatically, by 40% in two years.", note="the figure is there"
        ),
        Example(
            "The traffic has increased dramatically. People ask for more. In 1999 it was 40 containers a day.",
            note="the figure follows",
        ),
        Example(
            "Of all captains 62% came by train. They paid in cash. They ate. They stayed a day. They "
            "left. The majority of respondents liked the new port.",
            note="the share stands elsewhere",
        ),
        Example("For many years the port had many string literals in its code.", note="nothing was measured"),
        Example("The new crane brought no dramatic increase in traffic.", note="there was none"),
        Example("A second crane could mean a dramatic increase in traffic.", note="nobody knows yet"),
    )

    def find(self, context: Context) -> Iterator[Finding]:
        doc = context.doc
        gain = gain_of_addition(context.score, "dated statistic")
        for phrase in islice(_find_vague(doc), MAX_FINDINGS):
            sentence = sentence_at(doc, phrase.start)
            if (
                sentence is None
                or is_quoted(doc, phrase.start)
                or _is_denied(doc, phrase)
                or _may_hold_figure(doc, sentence)
            ):
                continue
            words = doc.text[phrase.start : phrase.end]
            yield self.point(doc, sentence.span, f"“{words}” without a figure", gain=gain)


def _find_vague(doc: Document) -> Sequence[Phrase]:
    """Return amounts and changes in words, and shares of people where no share is given anywhere on the page."""
    phrases = find_phrases(doc)
    shares = () if _SHARE.search(doc.text) or "percent" in phrases else phrases.get("vague_share", ())
    return sorted([*phrases.get("vague_amount", ()), *shares], key=lambda phrase: phrase.start)


def _is_denied(doc: Document, phrase: Phrase) -> bool:
    """Return whether one of the words before says that there is no such thing: “not a significant increase”."""
    before = find_words(doc)[max(0, phrase.word - NEAR) : phrase.word]
    return is_one_of(doc, (word.text for word in before), "negations")


def _may_hold_figure(doc: Document, sentence: Sentence) -> bool:
    """Return whether a figure may stand in the sentence or near it, or the sentence is no statement of a fact."""
    if has_phrase(doc, "possible", sentence.span) or doc.text.startswith("?", sentence.span[1]):
        return True
    near = find_sentences(doc)[max(0, sentence.number - 1) : sentence.number + AFTER]
    return any(DIGIT.search(s.text) or is_one_of(doc, s.words, "numbers") for s in near)
