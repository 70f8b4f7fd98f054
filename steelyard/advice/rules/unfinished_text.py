"""unfinished_text: a page that breaks off in the middle of a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from steelyard.advice.context import Context
from steelyard.advice.finding import Finding
from steelyard.advice.passages import count_words, find_paragraphs, is_bare
from steelyard.advice.rule import Example, Rule
from steelyard.advice.words import load_words
from steelyard.text.document import Document
from steelyard.text.lines import Span

MIN_WORDS = 8  # of the last paragraph
MIN_OPEN = 2  # the same of one in which a quotation or a bracket is open
BEGUN = 8  # the same of a sentence that has only begun: a longer one may lack no more than its full stop
SHOWN = 5  # of its words
LONG = 15  # words of a paragraph that is one of prose
OTHERS = 4  # such paragraphs, all with an end
TEASERS = 3  # marks of something left out: a list of what is elsewhere
_ELLIPSIS = re.compile(r"…|\.{3}")
_SENTENCE = re.compile(r"[^\W\d_]{3}[.!?] [^\W\d_a-z]")
_SENTENCE_END = re.compile(r"[.!?] ")
ELLIPSES = ("…", "...", "[…]", "[...]", "(…)", "(...)")


class UnfinishedText(Rule):
    topic = "end"
    about = "texts that break off"
    not_for = ("listing",)
    what = "The last paragraph ends in the middle of a sentence."
    why = "Readers look for the rest, and nobody can tell what is missing."
    how = (
        "It ends with a colon, with a word that never ends a sentence, such as “the” or “of”, and no mark but “…”; or "
        "with no mark, in an open quotation or bracket, or a few words or “in” after a whole sentence, where all other "
        "long paragraphs end with one."
    )
    certain_when = (
        "the text is no HTML, of which the reader may have left out the end, nor bare text without a link or "
        "mark of Markdown, which may be a cut-out."
    )
    action = "finish the sentence, or take it out"
    invents = "what the author meant to write"
    bad = (
        Example(
            "The **ferry** leaves at seven.\n\nWhoever misses it takes the bus, which leaves an hour later from the",
            "Whoever",
        ),
        Example(
            "The **ferry** leaves at seven.\n\nWhoever misses it takes the bus, which leaves an hour later from the...",
            "Whoever",
        ),
        Example("The **ferry** leaves at seven.\n\nWhoever misses it has three other ways over the water:", "Whoever"),
        Example("The **ferry** leaves at seven.\n\nThe last one comes back at night (not in winter", "The last one"),
    )
    good = (
        Example("The ferry leaves at seven.\n\nWhoever misses it takes the bus they are used to", note="it may end"),
        Example("The ferry leaves at seven.\n\nPictures of the old harbour by Ann Smith and Joe Brown", note="a name"),
    )

    def find(self, context: Context) -> Iterator[Finding]:
        doc, paragraphs = context.doc, find_paragraphs(context.doc)
        if context.extracted or not paragraphs:
            return
        start, end = paragraphs[-1]
        text = doc.text[start:end]
        is_open = _stays_open(text)
        if count_words(doc, paragraphs[-1]) < (MIN_OPEN if is_open else MIN_WORDS):
            return
        for mark in ELLIPSES:
            text = text.removesuffix(mark).rstrip()
        if len(_ELLIPSIS.findall(doc.text)) >= TEASERS or doc.text[end:].strip():
            return
        last = text.rpartition(" ")[2]
        never_last = last.endswith(":") or last in load_words(doc.language.code)["never_last"]
        if never_last or is_open or _lacks_end(doc, paragraphs):
            words = " ".join(text.split()[-SHOWN:])
            yield self.point(doc, (start, end), f"the text breaks off after “{words}”", certain=not is_bare(doc))


def _stays_open(text: str) -> bool:
    """Return whether the last quotation or bracket is not closed, and the text ends with a letter or a figure."""
    if not text[-1:].isalnum():
        return False
    return any(text.rfind(opening) > text.rfind(closing) for opening, closing in ("()", "“”", "«»"))


def _lacks_end(doc: Document, paragraphs: Sequence[Span]) -> bool:
    """Return whether the last paragraph goes on after a sentence and ends with a letter, as no other long one does."""
    *others, last = (doc.text[slice(*span)].rstrip() for span in paragraphs)
    if len(last.split()) < LONG or not last.rpartition(" ")[2].isalpha() or not _SENTENCE.search(last):
        return False
    begun = _SENTENCE_END.split(last)[-1].lower().split()
    if len(begun) > BEGUN and begun[-1] not in doc.language.stop:
        return False
    ends = [other[-1:].isalpha() for other in others if len(other.split()) >= LONG]
    return len(ends) >= OTHERS and not any(ends)
