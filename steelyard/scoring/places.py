"""Where evidence is missing, as far as the page's own words make that certain.

Patterns miss evidence. So a place is named only where nothing looks like the evidence either: no quotation mark for a
quotation, no digit and no number in words for a figure, no name, link or note for a source.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from steelyard import languages
from steelyard.components.quotable_density import find_quotable
from steelyard.components.self_containment import find_paragraphs
from steelyard.text.document import Document, Match, once_per_page
from steelyard.text.lines import Span

QUOTED_WORDS = 24  # of the sentence or paragraph that a suggestion is about
LONGEST_QUOTE = 160  # characters
FEWEST_WORDS = 6  # of a sentence worth a suggestion
MOST_LINES = 10  # of further places
LONG_PARAGRAPH = 25  # words, from which a paragraph should name something
OPENING_WORDS = 3
AMBIGUOUS = ("vague", "reporting")  # kinds of words that are something else after some others
EDGE = 300  # characters at the beginning and the end of a page, where its date would stand

_QUOTATION_MARK = re.compile('["“”„«»]')
_DIGIT = re.compile(r"[0-9]")
_YEAR = re.compile(r"\b(?:19|20)[0-9]{2}\b")
_WORD = re.compile(r"[^\W\d_]+")


class Place(NamedTuple):
    """Where a suggestion applies: the line of the source, the words there, why, and the lines of similar places.

    Without words it is the whole page.
    """

    line: int
    quote: str = ""
    why: str = ""
    more: tuple[int, ...] = ()


class Sentence(NamedTuple):
    """A sentence of the page: its number, its span and its words."""

    number: int
    span: Span
    text: str

    @property
    def words(self) -> list[str]:
        return _WORD.findall(self.text)

    @property
    def holds_capital(self) -> bool:
        """Whether a word after the first begins with a capital; "I" does not count."""
        return any(word[0].isupper() and word != "I" for word in self.words[1:])


@cache
def load_words(language: str) -> dict[str, frozenset[str]]:
    """Load the words that show where evidence is missing."""
    data = languages.read_toml(language, "suggestions.toml")
    return {name: frozenset(words.split()) for name, words in data.items()}


def find_unquoted(doc: Document) -> Place | None:
    """Return where somebody's words are reported on a page that quotes nothing, else the page."""
    if _QUOTATION_MARK.search(doc.text) or any(doc.family_of(m) == "quotation" for m in find_quotable(doc)):
        return None
    named = find_named_sentences(doc)
    found = [(s, verb) for s in _sentences(doc) if (verb := _first_of(doc, s, "reporting")) and s.number in named]
    place = _first_place(doc, found, "“{}” reports words, and the page quotes none")
    return place or _whole_page(doc, "nothing on the page stands in quotation marks")


def find_vague(doc: Document) -> Place | None:
    """Return where a statement names an amount without a figure, or the page if it has no digit."""
    found = [
        (s, amount)
        for s in _sentences(doc)
        if (amount := _first_of(doc, s, "vague"))
        and not _DIGIT.search(s.text)
        and not _first_of(doc, s, "numbers")
        and not _QUOTATION_MARK.search(s.text)
        and not doc.text.startswith("?", s.span[1])
    ]
    place = _first_place(doc, found, "“{}” without a figure")
    if place or _DIGIT.search(doc.text) or any(_first_of(doc, s, "numbers") for s in _sentences(doc)):
        return place
    return _whole_page(doc, "the page has no figure")


def find_unsourced(doc: Document) -> Place | None:
    """Return where a claim or a share has no source, name, link or note in its own and the neighbouring sentences.

    Without any of these it is the page.
    """
    linked = sorted(link.start for link in doc.structure.links)
    shares = [m for m in doc.find("statistic") if _is_share(doc, m)]
    sourced = {doc.segment_at(m.start) for m in doc.find("citation")} | find_named_sentences(doc)
    for s in (_sentence(doc, number) for number in range(len(doc.segments))):
        first, last = (bisect_left(linked, offset) for offset in doc.structure.view.source_span(*s.span))
        if first < last or "[" in s.text or "(" in s.text or _first_of(doc, s, "reporting"):
            sourced.add(s.number)
    claimed: dict[int, Match] = {}
    for match in sorted([*doc.find("factual_claim"), *shares], key=lambda m: m.start):
        claimed.setdefault(doc.segment_at(match.start), match)
    found = [
        (s, doc.text[m.start : m.end])
        for s in _sentences(doc)
        if (m := claimed.get(s.number)) and sourced.isdisjoint(range(s.number - 1, s.number + 2))
    ]
    place = _first_place(doc, found, "“{}” without a source")
    return place if place or sourced or linked else _whole_page(doc, "the page names no source")


def find_nameless(doc: Document) -> Place | None:
    """Return the longest paragraph that names nobody, nothing and no date; none where every noun has a capital."""
    if languages.capitalises_nouns(doc.language.code):
        return None
    named = [m.start for m in doc.find("entity")]
    bare: list[tuple[int, Span]] = []
    for start, end in find_paragraphs(doc):
        words = len(doc.text[start:end].split())
        if words < LONG_PARAGRAPH or bisect_left(named, start) < bisect_left(named, end):
            continue
        inside = [_sentence(doc, number) for number in doc.sentences_between(start, end)]
        if not any(s.holds_capital or _DIGIT.search(s.text) for s in inside):
            bare.append((words, (start, end)))
    if not bare:
        return None
    words, span = max(bare, key=lambda b: (b[0], -b[1][0]))
    more = tuple(_line(doc, other[0]) for _, other in bare if other != span)
    return make_place(doc, span, f"its {words} words hold no name and no date", more)


def find_opening(doc: Document, kinds: Sequence[str]) -> Place | None:
    """Return the first paragraph that opens with a word for something said before, and not with quoted speech."""
    spans = [
        span
        for span, kind in zip(find_paragraphs(doc), kinds, strict=True)
        if kind == "opener" and not _QUOTATION_MARK.match(doc.text, span[0])
    ]
    if not spans:
        return None
    opening = " ".join(doc.text[spans[0][0] : spans[0][1]].split(maxsplit=OPENING_WORDS)[:OPENING_WORDS])
    more = [_line(doc, start) for start, _ in spans[1:]]
    return make_place(doc, spans[0], f"“{opening}” refers to what stands before it", more)


def find_undated(doc: Document) -> Place | None:
    """Return the top of a page that has no year where its date would stand."""
    edges = doc.text[:EDGE] + " " + doc.text[-EDGE:]
    return None if _YEAR.search(edges) else _whole_page(doc, "the page has no date")


def make_place(doc: Document, span: Span, why: str = "", more: Sequence[int] = ()) -> Place:
    """Describe a span of the reading text as the place of a suggestion."""
    words = doc.text[span[0] : span[1]].split(maxsplit=QUOTED_WORDS)
    quote = " ".join(words[:QUOTED_WORDS])
    cut = len(words) > QUOTED_WORDS or len(quote) > LONGEST_QUOTE
    line = _line(doc, span[0])
    return Place(line, quote[:LONGEST_QUOTE] + "…" * cut, why, tuple(n for n in more if n != line)[:MOST_LINES])


def _line(doc: Document, offset: int) -> int:
    return doc.line_at(doc.structure.view.source_offset(offset))


@once_per_page
def find_named_sentences(doc: Document) -> frozenset[int]:
    """Return the numbers of the sentences with a name: a match, or a capital where not every noun has one."""
    matched = {doc.segment_at(m.start) for m in doc.find("entity")}
    if not languages.capitalises_nouns(doc.language.code):
        matched |= {n for n in range(len(doc.segments)) if _sentence(doc, n).holds_capital}
    return frozenset(matched)


def _sentences(doc: Document) -> Iterator[Sentence]:
    """Yield the sentences of paragraphs that are long enough for a suggestion."""
    numbers = (number for span in find_paragraphs(doc) for number in doc.sentences_between(*span))
    return (s for s in (_sentence(doc, number) for number in numbers) if len(s.words) >= FEWEST_WORDS)


def _sentence(doc: Document, number: int) -> Sentence:
    start, end = doc.segments[number]
    return Sentence(number, (start, end), doc.text[start:end])


def _first_of(doc: Document, sentence: Sentence, kind: str) -> str:
    """Return the first word of a kind in a sentence, as it stands there."""
    lists = load_words(doc.language.code)
    before = ["", *sentence.words]
    pairs = zip(before, sentence.words, strict=False)
    wanted, not_after = lists[kind], lists["not_after"] if kind in AMBIGUOUS else ()
    return next((word for last, word in pairs if word.lower() in wanted and last.lower() not in not_after), "")


def _is_share(doc: Document, match: Match) -> bool:
    text = doc.text[match.start : match.end]
    return "%" in text or not load_words(doc.language.code)["shares"].isdisjoint(_WORD.findall(text.lower()))


def _whole_page(doc: Document, why: str) -> Place | None:
    return Place(doc.line_at(doc.source.start), why=why) if find_paragraphs(doc) else None


def _first_place(doc: Document, found: Sequence[tuple[Sentence, str]], why: str) -> Place | None:
    if not found:
        return None
    first, words = found[0]
    more = dict.fromkeys(_line(doc, s.span[0]) for s, _ in found[1:])
    return make_place(doc, first.span, why.format(" ".join(words.split())), tuple(more))
