"""quotable_density: named people's words are reported on a page that quotes nobody."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from steelyard.advice.context import Context
from steelyard.advice.finding import Finding
from steelyard.advice.gains import gain_of_addition
from steelyard.advice.passages import MAX_FINDINGS, QUOTATION_MARK, Sentence, sentence_at
from steelyard.advice.phrases import count_phrases, find_phrases
from steelyard.advice.rule import Example, Rule
from steelyard.components import BY_NAME
from steelyard.components.quotable_density import find_quotable

REPORTED = 3  # times that somebody's words are reported
SENSITIVE = 2  # words, from which nobody may be asked for names or words of those concerned
_SINGLE = re.compile(r"''|‘|(?<!\w)'[^'\n]{12,300}'(?!\w)")  # marks that some use for quotations


class QuotableDensity(Rule):
    topic = "quote"
    about = BY_NAME["quotable_density"].label
    level = "note"
    component = "quotable_density"
    only_for = ("news", "article")
    what = "A report says several times what named people said, and quotes none of them."
    why = "The author has heard them; readers trust the words themselves, and others can cite them."
    how = "“Said that”, “according to” and the like beside a name, three times or more, and no quotation mark."
    certain_when = "the page is certainly news, and none of a crime or an accident, where names and words can hurt."
    action = "quote the words that you have, where they say it better"
    invents = "a quotation or its speaker"
    counted = "words in quotation marks with their speaker"
    bad = (
        Example(
            "The harbour closes. Mayor Anna Weir said that the crane is not safe. Jo Lee warned that it could "
            "fall. Kim Roe insisted that it stands.",
            "Mayor Anna",
            kind="news",
        ),
    )
    good = (
        Example(
            "The harbour closes. Mayor Anna Weir said that “the crane” is not safe. Jo Lee warned that it could fall.",
            note="it quotes",
            kind="news",
        ),
        Example("Anna Weir said that oak lasts. Jo Lee said that steel lasts longer.", kind="reference"),
        Example(
            "Two people were killed at the quay. Sergeant Jo Lee said that a man was arrested. Anna Weir said that she "
            "knew one of the victims.",
            note="names and words can hurt",
            kind="news",
        ),
    )

    def find(self, context: Context) -> Iterator[Finding]:
        doc = context.doc
        if QUOTATION_MARK.search(doc.text) or _SINGLE.search(doc.text) or count_phrases(doc, "sensitive") >= SENSITIVE:
            return
        if any(doc.family_of(m) == "quotation" for m in find_quotable(doc)):
            return
        gain = gain_of_addition(context.score, "quotation")
        reported: list[tuple[Sentence, str]] = []
        for phrase in islice(find_phrases(doc).get("reporting", ()), MAX_FINDINGS):
            sentence = sentence_at(doc, phrase.start)
            if sentence is not None and sentence.holds_name and sentence not in [s for s, _ in reported]:
                reported.append((sentence, doc.text[phrase.start : phrase.end]))
        for sentence, words in reported if len(reported) >= REPORTED else ():
            why = f"“{words}” reports words, and the page quotes none"
            yield self.point(doc, sentence.span, why, gain=gain, certain=context.is_certainly("news"))
