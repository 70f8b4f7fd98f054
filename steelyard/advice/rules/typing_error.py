"""typing_error: a word that stands twice, a common mistake, or a blank or a mark in the wrong place."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import islice, pairwise
from operator import itemgetter

from steelyard.advice.context import Context
from steelyard.advice.finding import Finding
from steelyard.advice.marks import TypingPlace, find_mark_errors
from steelyard.advice.passages import MAX_FINDINGS, find_paragraphs, holds_code, is_quoted, sentence_at
from steelyard.advice.phrases import Phrase, find_phrases, find_words
from steelyard.advice.rule import Example, Rule
from steelyard.advice.spelling import find_changed_names, find_misspelt
from steelyard.advice.words import load_words
from steelyard.text.document import Document
from steelyard.text.lines import Span

CASUAL = ("opinion", "question-answer", "other")  # kinds of page whose writers may leave out capitals
_ARTICLES = ("a", "an")  # a mistake before some words, unless it is a letter, or letters follow: “vitamin A”, “an sms”
SPOKEN = 5  # letters of a word that is read as one
MIN_LETTERS = 2  # of a word that stands twice
LEAST_OF_TWO = 3  # letters of a word with two capitals too many


class TypingError(Rule):
    topic = "typing"
    about = "typing errors"
    not_for = ("listing",)
    what = "A word stands twice in a row or is a common mistake, or a blank or a bracket is missing."
    why = "Readers take small mistakes for signs of large ones."
    how = (
        "The same little word twice in a sentence; a little word with two capitals; a list of common mistakes; "
        "words on no list, a letter away from a frequent one; brackets and quotations left open; marks with a "
        "blank too few or too many."
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
        Example("“We leave at seven.\n\nNobody waits,” said the captain.", note="the quotation goes on"),
        Example('He said: "We leave at seven.\n\n“Nobody waits.”', note="marks of two forms"),
        Example("The ivy is a harrisi.", note="a Latin name"),
        Example("Use the node.Js of the harbour. It runs there.", note="names"),
        Example("It is `harbour.Scorer holds` in a clone.", note="code"),
        Example("The boats (of oak. Steel rusts.\nIt does) sink.", note="closed later"),
    )

    def find(self, context: Context) -> Iterator[Finding]:
        doc = context.doc
        is_careful = context.kind is None or (context.kind.certain and context.kind_name not in CASUAL)
        places = [*_find_mistakes(doc), *_find_small_letters(doc, certain=is_careful)]
        if not context.extracted:
            places += find_mark_errors(doc, careful=is_careful)
        for place in islice(sorted(places), MAX_FINDINGS):
            at = place.span[0]
            sentence = sentence_at(doc, at)
            if sentence is None or "://" in sentence.text or holds_code(doc, sentence.span):
                continue
            if place.is_mark or not is_quoted(doc, at):
                yield self.point(doc, sentence.span, place.why, certain=place.certain)


def _find_mistakes(doc: Document) -> Iterator[TypingPlace]:
    """Yield words that stand twice, that are listed as mistakes, and that are probably misspelt."""
    for word in find_words(doc):
        if word.text in doc.language.stop and _has_two_capitals(doc.text[word.start : word.end]):
            yield TypingPlace((word.start, word.end), f"two capitals in “{doc.text[word.start : word.end]}”")
    for span in _find_doubled(doc):
        yield TypingPlace(span, f"“{doc.text[slice(*span)]}”: a word stands twice")
    for phrase in find_phrases(doc).get("mistake", ()):
        words = doc.text[phrase.start : phrase.end]
        article, *others = words.split()
        if others and others[-1] == "A":  # a letter that names something: “its A and E horizons”
            continue
        if article.lower() not in _ARTICLES or (article != "A" and len(others[-1]) >= SPOKEN and others[-1].islower()):
            yield TypingPlace((phrase.start, phrase.end), f"“{words}” is a mistake")
    for span, name, elsewhere in find_changed_names(doc):
        yield TypingPlace(span, f"“{name}”, elsewhere “{elsewhere}”")
    for word, meant in find_misspelt(doc):
        yield TypingPlace((word.start, word.end), f"“{word.text}”, perhaps “{meant}”")


def _has_two_capitals(word: str) -> bool:
    return len(word) >= LEAST_OF_TWO and word[:2].isupper() and word[2:].islower()


def _find_small_letters(doc: Document, *, certain: bool) -> Iterator[TypingPlace]:
    """Yield small letters that have to be capitals; a paragraph with two may be somebody's who never writes them."""
    small = [phrase for phrase in find_phrases(doc).get("small_letter", ()) if _lacks_capital(doc.text, phrase)]
    paragraphs = find_paragraphs(doc)
    of = [bisect_right(paragraphs, phrase.start, key=itemgetter(0)) for phrase in small]
    for phrase, paragraph in zip(small, of, strict=True):
        words = doc.text[phrase.start : phrase.end]
        slip = of.count(paragraph) == 1
        yield TypingPlace((phrase.start, phrase.end), f"a small letter in “{words}”", certain and slip)


def _lacks_capital(text: str, phrase: Phrase) -> bool:
    """Return whether the one-letter word, or the only word, begins with a small letter."""
    words = text[phrase.start : phrase.end]
    parts = words.replace("'", " ").split()
    single = next((part for part in parts if len(part) == 1), parts[0])
    return single[0].islower()


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
