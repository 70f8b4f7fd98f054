"""long_sentence: a sentence that nobody reads at once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from steelyard.advice.context import Context
from steelyard.advice.finding import Finding
from steelyard.advice.passages import MAX_FINDINGS, QUOTATION_MARK, Sentence, find_sentences, is_one_line, is_quoted
from steelyard.advice.phrases import has_phrase
from steelyard.advice.rule import Example, Rule
from steelyard.advice.rules.damaged_text import is_damaged
from steelyard.advice.words import count_long_sentence
from steelyard.text.document import Document

PERSONAL = ("opinion", "question-answer", "other")  # kinds of page that have a voice of their own
OWN_VOICE = 10  # words more, which it may take
MAX_COMMAS = 0.14  # a word: more are in a list
MAX_MARKS = 2  # semicolons, colons, bullets and bars: more are in a list or a table

# Perhaps the end of a sentence: behind an abbreviation, a time or a single letter, before a small letter; or the letter
# of an item.
_INNER_END = re.compile(
    r"[^\W\d_]{2}[.!?] ?[^\W\d_a-z]|[^\W\d_]{4}[.!?] [^\W\d_]|\b(?:or|and|,) [A-Z]\. [A-Z]"
    r"|[a-z]{3}\.[a-z]{2}|\b(?:[ap]\.m|[IVX]{1,4}|[A-Z]\.[A-Z]|[A-Z])\. [A-Z]|(?<![\w.])[b-e][.)] [A-Z]"
)

_RESTS = re.compile(r"[:;](?= )")

_LONG = (
    "The harbour master, who had come to the town as a boy and had never left it again, wrote every evening in a "
    "large book which ships had come in, what they carried, who had paid and who still owed him money, and because "
    "he wrote very slowly and with many words it was often midnight before he went home."
)


class LongSentence(Rule):
    topic = "sentence"
    about = "very long sentences"
    level = "note"
    not_for = ("legal", "listing")
    what = "A sentence has very many words."
    why = "Whoever loses the thread has to begin again, and a part of it cannot be quoted."
    how = (
        "More than 45 words (40 in German) up to the full stop, a colon or a semicolon, without marks of a list or "
        "a warning, outside of quotations; 10 more in a personal voice."
    )
    certain_when = "it is one sentence and no list, the text has line breaks, and no characters of it are damaged."
    action = "make two or three sentences of it"
    bad = (Example(_LONG, "The harbour master, who"),)
    good = (
        Example("The harbour master wrote every evening which ships had come in. It was often midnight."),
        Example("We need: " + "; ".join(["a rope of some length and a good knife"] * 8) + ".", note="a list"),
        Example(
            _LONG.replace(", and because", ": because").replace("a large book which", "a large book; he knew which"),
            note="a reader can rest",
        ),
    )

    def find(self, context: Context) -> Iterator[Finding]:
        doc = context.doc
        if not context.is_measurable or is_damaged(doc):
            return
        found = [(_count_words(s.text), s) for s in find_sentences(doc)]
        most = count_long_sentence(doc.language.code) + (OWN_VOICE if context.kind_name in PERSONAL else 0)
        longest = sorted((f for f in found if f[0] > most), key=lambda f: (-f[0], f[1].number))
        longest = [f for f in longest if _is_one(doc, f[1], f[0])]
        # Of a line that holds the page, a heading may be a part of the sentence; nobody edits the posts of a forum.
        certain = not is_one_line(doc) and not context.is_certainly("question-answer")
        for words, sentence in islice(longest, MAX_FINDINGS):
            yield self.point(doc, sentence.span, f"{words} words in one sentence", certain=certain)


def _count_words(sentence: str) -> int:
    """Return the words of the longest part of a sentence between colons and semicolons, at which a reader can rest."""
    return max(len(part.split()) for part in _RESTS.split(sentence))


def _is_one(doc: Document, sentence: Sentence, words: int) -> bool:
    text = sentence.text
    if text.count(",") > MAX_COMMAS * words or sum(text.count(mark) for mark in ";:•|*–-/→") > MAX_MARKS:
        return False
    if is_quoted(doc, sentence.span[0]) or QUOTATION_MARK.search(text):
        return False
    if "\n" in text or "  " in text or _INNER_END.search(text):
        return False
    return doc.text[sentence.span[1] : sentence.span[1] + 1] in tuple(".!?") and not has_phrase(
        doc, "warning", sentence.span
    )
