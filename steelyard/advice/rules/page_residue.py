"""page_residue: words of the site's frame among those of the page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice

from steelyard.advice.context import Context
from steelyard.advice.finding import Finding
from steelyard.advice.passages import MAX_FINDINGS, count_words, find_paragraphs
from steelyard.advice.phrases import find_phrases, phrases_in
from steelyard.advice.rule import Example, Rule
from steelyard.text.document import Document
from steelyard.text.lines import Span

MANY = 3  # such places: one may be the offer of a publisher
LINE = 14  # words of a line that is no more than a button or an offer
SHOWN = 8  # words of it
ARROWS = ("→", "»", "›", "…", "...", ">>")


class PageResidue(Rule):
    topic = "residue"
    about = "words of the site's frame"
    level = "note"
    not_for = ("listing", "legal")
    what = "Words of buttons, menus or forms stand among those of the page."
    why = "Whoever reads or quotes the text takes them for a part of it."
    how = "“Read more →”, “Leave a reply”, “Posted in” and the like as a line, or followed by an arrow."
    certain_when = (
        "there are three or more, and the page is a text; of HTML the reader may have taken in what is elsewhere on "
        "the screen."
    )
    action = "remove these words"
    bad = (
        Example(
            "The ferry leaves at seven every morning.\n\nShare this\n\nIt comes back at noon.\n\nLeave a reply\n\n"
            "Back to top",
            "Share this",
        ),
    )
    good = (
        Example("The ferry leaves at seven. Passengers read more on board than at home."),
        Example(
            "The ferry is late\n\nRead more\n\nThe bridge is closed\n\nRead more\n\nThe mill is open\n\nRead more",
            note="a list of articles",
        ),
    )

    def find(self, context: Context) -> Iterator[Finding]:
        doc = context.doc
        phrases = find_phrases(doc)
        places = [
            (span, doc.text[slice(*span)])
            for span in find_paragraphs(doc)
            if (count_words(doc, span) <= LINE and _opens_with(doc, "residue", span)) or _is_label(doc, span)
        ]
        for phrase in phrases.get("residue", ()):
            if (
                doc.text[phrase.end : phrase.end + 4].lstrip(" [").startswith(ARROWS)
                and doc.text[phrase.start].isupper()
            ):
                places.append(((phrase.start, phrase.end), doc.text[phrase.start : phrase.end]))
        places += [((p.start, p.end), doc.text[p.start : p.end]) for p in phrases.get("residue_inline", ())]
        places = _drop_lists(sorted(set(places)))
        for span, words in islice(places, MAX_FINDINGS):
            yield self.point(
                doc,
                span,
                f"“{' '.join(words.split()[:SHOWN])}” belongs to the site's frame",
                certain=not context.extracted and len(places) >= MANY,
            )


def _drop_lists(places: list[tuple[Span, str]]) -> list[tuple[Span, str]]:
    """Drop words that stand below each entry of a list: “Read more” leads to its article."""
    times = Counter(words.casefold() for _, words in places)
    return [(span, words) for span, words in places if times[words.casefold()] < MANY]


def _opens_with(doc: Document, kind: str, span: Span) -> bool:
    return any(phrase.start <= span[0] + 2 for phrase in phrases_in(doc, kind, span))


def _is_label(doc: Document, span: Span) -> bool:
    """Return whether a line is a label of the frame with its list: “Tags: boats, harbours”."""
    labels = phrases_in(doc, "residue_label", span)
    return bool(labels) and labels[0].start == span[0] and doc.text.startswith(":", labels[0].end)
