"""entity_density: a long paragraph that names nothing."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from steelyard import languages
from steelyard.advice.context import Context
from steelyard.advice.finding import Finding
from steelyard.advice.gains import gain_of_addition
from steelyard.advice.passages import DIGIT, MAX_FINDINGS, count_words, find_paragraphs, holds_link, sentences_in
from steelyard.advice.phrases import count_phrases
from steelyard.advice.rule import Rule
from steelyard.components import BY_NAME
from steelyard.text.lines import Span

LONG_PARAGRAPH = 40  # words
SENSITIVE = 1  # words, from which nobody may be asked for a name


class EntityDensity(Rule):
    topic = "name"
    about = BY_NAME["entity_density"].label
    level = "note"
    component = "entity_density"
    not_for = ("how-to", "opinion", "legal", "question-answer")
    what = "A long paragraph names nobody, nothing and no date."
    why = "It may be a paragraph that could stand on any page."
    how = "No name, date, figure, link or capital inside the sentences of a paragraph of more than 40 words."
    certain_when = "never: many good paragraphs name nothing. Never said on pages about crimes and accidents."
    action = "say who, what or when, or leave the paragraph out"
    invents = "a name, a date or a place"
    counted = "a person, organisation, place or product with its name, or a date"

    def find(self, context: Context) -> Iterator[Finding]:
        doc = context.doc
        if languages.capitalises_nouns(doc.language.code) or count_phrases(doc, "sensitive") >= SENSITIVE:
            return
        gain = gain_of_addition(context.score, "named entity")
        named = [m.start for m in doc.find("entity")]
        bare: list[tuple[int, Span]] = []
        for start, end in find_paragraphs(doc):
            words = count_words(doc, (start, end))
            if words < LONG_PARAGRAPH or bisect_left(named, start) < bisect_left(named, end):
                continue
            inside = sentences_in(doc, (start, end))
            if not holds_link(doc, (start, end)) and not any(s.holds_name or DIGIT.search(s.text) for s in inside):
                bare.append((words, (start, end)))
        for words, span in sorted(bare, key=lambda b: (-b[0], b[1]))[:MAX_FINDINGS]:
            yield self.point(doc, span, f"its {words} words hold no name and no date", gain=gain, certain=False)
