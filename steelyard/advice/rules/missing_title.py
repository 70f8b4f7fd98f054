"""missing_title: a page without a title."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from steelyard.advice.context import Context
from steelyard.advice.copies import is_repetitive
from steelyard.advice.finding import Finding
from steelyard.advice.passages import find_paragraphs, is_bare, is_one_line, locate_page
from steelyard.advice.prose import make_sentences
from steelyard.advice.rule import Example, Rule
from steelyard.text.document import Document
from steelyard.text.lines import Span

SHORT_LINE = 14  # words of a first line that may be the title
LITTLE = 3  # letters of words that titles write small
MIN_CAPITALS = 4  # long words of a line that are all capitalised, as in a title of a page
LABEL = 3  # words of a line that is no more than a button
SUMMARY = 40  # the same of a line that ends like no sentence
MIN_WORDS = 80  # of a page
MAX_ABOVE = 4  # lines with a date and the like above the text
BEGINNING = 30  # words of a text in one line, among which its title may be
REPEATED = 4  # words in a row that stand there twice, as title and in the text
_ENDS = (".", "!", "?", "…", "”", '"', "»", ")", ":", "]")  # of a line that is no title
_SENTENCE_ENDS = (".", "!", "?", "…", ":", ";", ",")
_REFERENCE = re.compile(r"\b(?:ISSN|ISBN|doi|DOI|pp\.|[Vv]ol\.)")
_WORD = re.compile(r"[^\W\d_]+|[0-9]+")
_BREAK = re.compile(r" [-–—:|»/] |[0-9][/:][0-9]{2}\b")  # between a title and what follows in the same line


class MissingTitle(Rule):
    topic = "title"
    about = "pages without a title"
    level = "note"
    what = "The page has no title: none in its data, no heading."
    why = "A title says what the page is about, in lists of results as on the page."
    how = "No title is known, and the text begins with a long line that ends like a sentence."
    certain_when = (
        "the page is written in Markdown or has links, so that its title is not kept elsewhere, has line breaks, and "
        "neither of its first lines looks like a heading."
    )
    action = "give the page a title that names its subject"
    bad = (
        Example(
            "The ferry leaves the *old* **harbour** every morning, and many people walk down to see it.\n\n"
            + " ".join(make_sentences(8))
        ),
    )
    good = (
        Example("# The ferry\n\n" + " ".join(make_sentences(8))),
        Example("The Ferry and Its Harbour\n" + " ".join(make_sentences(8)), note="the first line may be one"),
        Example(" ".join(["The old ferry What it costs", *make_sentences(20)]), note="line breaks are lost"),
    )

    def find(self, context: Context) -> Iterator[Finding]:
        doc, paragraphs = context.doc, find_paragraphs(context.doc)
        if doc.title or doc.sections or not paragraphs or doc.n_words < MIN_WORDS or is_repetitive(doc):
            return
        if paragraphs[0][0] > len(doc.text) - len(doc.text.lstrip()):
            return
        lines = [_take_first_line(doc, span) for span in paragraphs[:MAX_ABOVE]]
        opening = next((line for line in lines if not _is_date(doc, line)), "")
        longest_title = SHORT_LINE if opening.endswith(_ENDS) else SUMMARY
        if len(opening.split()) <= longest_title or (len(paragraphs) == 1 and _may_begin_with_title(opening)):
            return
        if len(lines) > 1 and lines[1].startswith(opening):
            return
        # Where line breaks are lost, the title may be the first words of the line; of a bare text, it may be elsewhere.
        may_have = context.extracted or is_one_line(doc) or is_bare(doc) or any(map(_may_be_title, lines[1:2]))
        may_have = may_have or _REFERENCE.search(opening) is not None  # which has the title of a publication
        certain = not (may_have or _has_title_below(doc, paragraphs))
        yield self.make(locate_page(doc), "the page has no title", certain=certain)


def _take_first_line(doc: Document, paragraph: Span) -> str:
    """Return the first line where it may be a title of its own, otherwise all of the paragraph."""
    first, *others = (line.strip() for line, _ in doc.structure.view.split_lines(doc.source.text, *paragraph))
    if others and len(first.split()) <= SHORT_LINE and not first.endswith(_ENDS) and others[0][:1].isupper():
        return first
    return doc.text[slice(*paragraph)]


def _may_be_title(line: str) -> bool:
    """Return whether the line below the first is as long as a title, and ends like no sentence."""
    return LABEL < len(line.split()) <= SHORT_LINE and not line.endswith(_SENTENCE_ENDS)


def _has_title_below(doc: Document, paragraphs: Sequence[Span]) -> bool:
    """Return whether a line farther below looks like a title in capitals: it may stand in the wrong place."""
    for start, end in paragraphs[1:]:
        words = doc.text[start:end].split(maxsplit=SHORT_LINE)
        if MIN_CAPITALS <= len(words) <= SHORT_LINE and not words[-1].endswith(_ENDS):
            long = [word for word in words if len(word) > LITTLE]
            if len(long) >= MIN_CAPITALS and all(word[0].isupper() for word in long):
                return True
    return False


def _is_date(doc: Document, line: str) -> bool:
    """Return whether a short line is no more than a date or a notice of copyright."""
    words = _WORD.findall(line.lower())
    days = sum(word.isdecimal() or word in doc.language.months for word in words)
    return len(words) <= SHORT_LINE and (line.startswith("©") or 2 * days >= len(words))


def _may_begin_with_title(line: str) -> bool:
    """Return whether a text in one line may begin with its title: something divides it, or repeats it."""
    words = line.split(maxsplit=BEGINNING)[:BEGINNING]
    if _BREAK.search(" ".join(words)):
        return True
    first, rest = words[:REPEATED], words[1:]
    return any(rest[at : at + REPEATED] == first for at in range(len(rest)))
