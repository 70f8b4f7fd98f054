"""typing_error: a word that stands twice, a common mistake, or a blank or a mark in the wrong place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, pairwise

from steelyard.advice.context import Context
from steelyard.advice.finding import Finding
from steelyard.advice.passages import MAX_FINDINGS, find_paragraphs, is_quoted, sentence_at
from steelyard.advice.phrases import find_phrases, find_words
from steelyard.advice.rule import Example, Rule
from steelyard.advice.words import load_words
from steelyard.text.document import Document
from steelyard.text.lines import Span

# A sentence that begins right behind the full stop of the last, and goes on with a small letter.
_JOINED = re.compile(r"(?<![\w@.])[a-zà-öø-ÿ]{3,20}[.!?](?=[A-ZÀ-ÖØ-Þ][a-zà-öø-ÿ]{2,20} [a-zà-öø-ÿ])")
_DOUBLE = re.compile(r"[a-zà-öø-ÿ],[.,;](?![.,;0-9])")
_SHOUTED = re.compile(r"[a-zà-öø-ÿ][!?]{2,9}(?![!?])")
_LOST = re.compile(r"(?<![\w./])[a-zà-öø-ÿ]{2,20} [,.](?= [A-Za-zÀ-ÿ]|$)")
_MARKS = (
    (_JOINED, "a blank is missing after"),
    (_LOST, "a blank stands before the mark in"),
    (_DOUBLE, "two marks stand together in"),
    (_SHOUTED, "one mark is enough in"),
)
MIN_LETTERS = 2  # of a word that stands twice


class TypingError(Rule):
    topic = "typing"
    about = "typing errors"
    not_for = ("listing",)
    what = "A word stands twice in a row or is a common mistake, or a blank or a bracket is missing."
    why = "Readers take small mistakes for a sign of large ones."
    how = "The same little word twice in a sentence; a list of common mistakes; marks with a blank too few or too many."
    certain_when = (
        "the word is none that may stand twice; blanks only where the text is no HTML, of which they may be lost."
    )
    action = "correct it"
    bad = (
        Example("The boats come back to the the harbour when the evening begins.", "The boats"),
        Example("The boats come back at noon.Then all of them are washed and painted.", "The boats"),
    )
    good = (
        Example("The boats that had had a coat of paint came back from Baden Baden.", note="both may stand twice"),
        Example("Use the node.Js of the harbour. It runs there.", note="names"),
    )

    def find(self, context: Context) -> Iterator[Finding]:
        doc = context.doc
        places = [(span, f"“{doc.text[slice(*span)]}”: a word stands twice") for span in _find_doubled(doc)]
        for phrase in find_phrases(doc).get("mistake", ()):
            words = doc.text[phrase.start : phrase.end]
            if "A" not in words.split():  # “vitamin A intake” is none
                places.append(((phrase.start, phrase.end), f"“{words}” is a mistake"))
        for phrase in find_phrases(doc).get("small_letter", ()):
            words = doc.text[phrase.start : phrase.end]
            if not words.isupper() and _lacks_capital(words):
                places.append(((phrase.start, phrase.end), f"a small letter in “{words}”"))
        if not context.extracted:
            places += [(span, "a bracket is opened and not closed") for span in _find_brackets(doc)]
            places += [
                (match.span(), f"{why} “{match[0].strip()}”")
                for paragraph in find_paragraphs(doc)
                for pattern, why in _MARKS
                for match in pattern.finditer(doc.text, *paragraph)
            ]
        for span, why in islice(sorted(places), MAX_FINDINGS):
            sentence = sentence_at(doc, span[0])
            if sentence is not None and not (is_quoted(doc, span[0]) or "://" in sentence.text):
                yield self.point(doc, sentence.span, why)


def _lacks_capital(words: str) -> bool:
    """Return whether the one-letter word, or the only word, begins with a small letter."""
    parts = words.replace("'", " ").split()
    single = next((part for part in parts if len(part) == 1), parts[0])
    return single[0].islower()


def _find_brackets(doc: Document) -> Iterator[Span]:
    """Yield the brackets that are opened and never closed, in paragraphs that have no other one."""
    for start, end in find_paragraphs(doc):
        if doc.text.count("(", start, end) == 1 and ")" not in doc.text[start:end] and doc.text[end - 1] in ".!?":
            at = doc.text.index("(", start)
            if doc.text[at - 1 : at] == " " and doc.text[at + 1 : at + 2].isalnum():
                yield at, at + 1


def _find_doubled(doc: Document) -> Iterator[Span]:
    """Yield the little words that stand twice with nothing but a blank between them; others may be sounds or names."""
    may = load_words(doc.language.code)["doubled"]
    text = doc.text
    for a, b in pairwise(find_words(doc)):
        if a.text == b.text and len(a.text) >= MIN_LETTERS and a.text in doc.language.stop and a.text not in may:
            once, again = text[a.start : a.end], text[b.start : b.end]
            if text[a.end : b.start] != " " or not (again.islower() and once[1:].islower()):
                continue
            if not _goes_on(text, b.end, a.text):
                yield a.start, b.end


def _goes_on(text: str, end: int, word: str) -> bool:
    """Return whether the word stands a third time, as nobody types by mistake."""
    return text[end : end + len(word) + 1].strip().lower().startswith(word)
