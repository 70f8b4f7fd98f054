"""typing_error: a word that stands twice, a common mistake, or a blank or a mark in the wrong place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, pairwise
from typing import NamedTuple

from steelyard.advice.context import Context
from steelyard.advice.finding import Finding
from steelyard.advice.passages import MAX_FINDINGS, find_paragraphs, is_quoted, sentence_at
from steelyard.advice.phrases import find_phrases, find_words
from steelyard.advice.rule import Example, Rule
from steelyard.advice.spelling import find_misspelt
from steelyard.advice.words import load_words
from steelyard.text.document import Document
from steelyard.text.lines import Span

# A sentence that begins right behind the full stop of the last, and goes on with a small letter.
_JOINED = re.compile(r"(?<![\w@.])[a-zà-öø-ÿ]{3,20}[.!?](?=[A-ZÀ-ÖØ-Þ][a-zà-öø-ÿ]{2,20} [a-zà-öø-ÿ])")
_DOUBLE = re.compile(r"[a-zà-öø-ÿ],[.,;](?![.,;0-9])")
_SHOUTED = re.compile(r"[a-zà-öø-ÿ][!?]{2,9}(?![!?])")
_LOST = re.compile(r"(?<![\w./])[a-zà-öø-ÿ]{2,20} [,.](?= [A-Za-zÀ-ÿ]|$)")
_MARKS = (
    (_JOINED, "a blank is missing after", True),
    (_LOST, "a blank stands before the mark in", False),
    (_DOUBLE, "two marks stand together in", True),
    (_SHOUTED, "one mark is enough in", False),
)  # and whether anybody would mind
CASUAL = ("opinion", "question-answer", "other")  # kinds of page whose writers may leave out capitals
_PAIRS = (("“", "”"), ("«", "»"))
_STRAIGHT = '"'
_ARTICLES = ("a", "an")  # a mistake before some words, unless it is a letter, or letters follow: “vitamin A”, “an sms”
SPOKEN = 5  # letters of a word that is read as one
_INCHES = re.compile(r'[0-9]"')
MIN_LETTERS = 2  # of a word that stands twice
MAX_OPENED = 1  # quotations without an end: of more it is how the page sets long speech


class TypingError(Rule):
    topic = "typing"
    about = "typing errors"
    not_for = ("listing",)
    what = "A word stands twice in a row or is a common mistake, or a blank or a bracket is missing."
    why = "Readers take small mistakes for a sign of large ones."
    how = (
        "The same little word twice in a sentence; a list of common mistakes; English words on no list, a letter away "
        "from a frequent one; brackets and quotations that are not closed; marks with a blank too few or too many."
    )
    certain_when = (
        "the word is none that may stand twice; marks only where the text is no HTML, of which they may be lost; small "
        "letters only where people are careful."
    )
    action = "correct it"
    bad = (
        Example("The boats come back to the the harbour when the evening begins.", "The boats"),
        Example("The boats come back at the end of the day, with the mininmum of noise.", "The boats"),
        Example("The boats come back at noon.Then all of them are washed and painted.", "The boats"),
    )
    good = (
        Example("The boats that had had a coat of paint came back from Baden Baden.", note="both may stand twice"),
        Example("Use the node.Js of the harbour. It runs there.", note="names"),
    )

    def find(self, context: Context) -> Iterator[Finding]:
        doc = context.doc
        places = [*_find_mistakes(doc), *_find_small_letters(doc, certain=context.kind_name not in CASUAL)]
        if not context.extracted:
            opened = list(_find_quotations(doc))
            places += [*_find_brackets(doc), *_find_marks(doc), *(opened if len(opened) <= MAX_OPENED else ())]
        for place in islice(sorted(places), MAX_FINDINGS):
            at = place.span[0]
            sentence = sentence_at(doc, at)
            if sentence is not None and "://" not in sentence.text and (place.is_mark or not is_quoted(doc, at)):
                yield self.point(doc, sentence.span, place.why, certain=place.certain)


class _Place(NamedTuple):
    """A typing error: where, what, whether anybody would mind, whether it is a mark that has no partner."""

    span: Span
    why: str
    certain: bool = True
    is_mark: bool = False


def _find_mistakes(doc: Document) -> Iterator[_Place]:
    """Yield words that stand twice, that are listed as mistakes, and that are probably misspelt."""
    for span in _find_doubled(doc):
        yield _Place(span, f"“{doc.text[slice(*span)]}”: a word stands twice")
    for phrase in find_phrases(doc).get("mistake", ()):
        words = doc.text[phrase.start : phrase.end]
        article, *others = words.split()
        if article.lower() not in _ARTICLES or (article != "A" and len(others[-1]) >= SPOKEN and others[-1].islower()):
            yield _Place((phrase.start, phrase.end), f"“{words}” is a mistake")
    for word, meant in find_misspelt(doc):
        yield _Place((word.start, word.end), f"“{word.text}”, perhaps “{meant}”")


def _find_small_letters(doc: Document, *, certain: bool) -> Iterator[_Place]:
    """Yield small letters that have to be capitals."""
    for phrase in find_phrases(doc).get("small_letter", ()):
        words = doc.text[phrase.start : phrase.end]
        if not words.isupper() and _lacks_capital(words):
            yield _Place((phrase.start, phrase.end), f"a small letter in “{words}”", certain)


def _find_marks(doc: Document) -> Iterator[_Place]:
    """Yield marks with a blank too few or too many, or too many marks."""
    for paragraph in find_paragraphs(doc):
        for pattern, why, certain in _MARKS:
            for match in pattern.finditer(doc.text, *paragraph):
                yield _Place(match.span(), f"{why} “{match[0].strip()}”", certain)


def _lacks_capital(words: str) -> bool:
    """Return whether the one-letter word, or the only word, begins with a small letter."""
    parts = words.replace("'", " ").split()
    single = next((part for part in parts if len(part) == 1), parts[0])
    return single[0].islower()


def _find_brackets(doc: Document) -> Iterator[_Place]:
    """Yield the brackets that are opened and never closed, in paragraphs that have no other one."""
    for start, end in find_paragraphs(doc):
        if doc.text.count("(", start, end) == 1 and ")" not in doc.text[start:end] and doc.text[end - 1] in ".!?":
            at = doc.text.index("(", start)
            if doc.text[at - 1 : at] == " " and doc.text[at + 1 : at + 2].isalnum():
                yield _Place((at, at + 1), "a bracket is opened and not closed")


def _find_quotations(doc: Document) -> Iterator[_Place]:
    """Yield the quotation marks that are opened and never closed; a quotation may go on in the next paragraph."""
    paragraphs = find_paragraphs(doc)
    for number, (start, end) in enumerate(paragraphs[:-1]):  # the last may have been cut
        for opening, closing in _PAIRS if "„" not in doc.text else ():
            if doc.text.count(opening, start, end) != doc.text.count(closing, start, end) + 1:
                continue
            at = doc.text.rindex(opening, start, end)
            goes_on = doc.text.startswith((opening, closing), paragraphs[number + 1][0])
            if not goes_on and closing not in doc.text[at:end]:
                yield _Place((at, at + 1), "a quotation is opened and not closed", is_mark=True)
        following = doc.text[paragraphs[number + 1][0] :][:1]
        if (
            doc.text.count(_STRAIGHT, start, end) == 1
            and following != _STRAIGHT
            and not _INCHES.search(doc.text, start, end)
        ):
            at = doc.text.index(_STRAIGHT, start, end)
            yield _Place((at, at + 1), "a quotation mark stands alone", is_mark=True)


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
