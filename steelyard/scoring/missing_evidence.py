"""Where evidence is missing, as far as the page's own words make that certain.

Patterns miss evidence. So a finding is made only where nothing looks like the evidence either: no quotation mark for a
quotation, no digit and no number in words for a figure, no name, link or note for a source.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import islice
from typing import NamedTuple

from steelyard import languages
from steelyard.components.quotable_density import find_quotable
from steelyard.components.self_containment import find_paragraphs
from steelyard.scoring.finding import Finding, make_finding
from steelyard.text.document import Document, Match, once_per_page
from steelyard.text.lines import Span
from steelyard.text.positions import Location

QUOTED_WORDS = 24  # of the sentence or paragraph that a suggestion is about
MAX_QUOTE = 160  # characters
MIN_WORDS = 6  # of a sentence worth a suggestion
MAX_FINDINGS = 1_000  # of one rule on a page
LONG_PARAGRAPH = 25  # words, from which a paragraph should name something
OPENING_WORDS = 3
AMBIGUOUS = ("vague", "reporting")  # kinds of words that are something else after some others
EDGE = 300  # characters at the beginning and the end of a page, where its date would be

_QUOTATION_MARK = re.compile('["“”„«»]')
_DIGIT = re.compile(r"[0-9]")
_YEAR = re.compile(r"\b(?:19|20)[0-9]{2}\b")
_WORD = re.compile(r"[^\W\d_]+")


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


def find_unquoted(doc: Document) -> list[Finding]:
    """Return where somebody's words are reported on a page that quotes nothing, else the page."""
    if _QUOTATION_MARK.search(doc.text) or any(doc.family_of(m) == "quotation" for m in find_quotable(doc)):
        return []
    named = find_named_sentences(doc)
    reported = [(s, verb) for s in _sentences(doc) if (verb := _first_of(doc, s, "reporting")) and s.number in named]
    findings = _make_findings(doc, "quotable_density", reported, "“{}” reports words, and the page quotes none")
    return findings or _find_page(doc, "quotable_density", "nothing on the page stands in quotation marks")


def find_vague(doc: Document) -> list[Finding]:
    """Return where a statement names an amount without a figure, or the page if it has no digit."""
    amounts = [
        (s, amount)
        for s in _sentences(doc)
        if (amount := _first_of(doc, s, "vague"))
        and not _DIGIT.search(s.text)
        and not _first_of(doc, s, "numbers")
        and not _QUOTATION_MARK.search(s.text)
        and not doc.text.startswith("?", s.span[1])
    ]
    findings = _make_findings(doc, "statistic_density", amounts, "“{}” without a figure")
    if findings or _DIGIT.search(doc.text) or any(_first_of(doc, s, "numbers") for s in _sentences(doc)):
        return findings
    return _find_page(doc, "statistic_density", "the page has no figure")


def find_unsourced(doc: Document) -> list[Finding]:
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
    claims = [
        (s, doc.text[m.start : m.end])
        for s in _sentences(doc)
        if (m := claimed.get(s.number)) and sourced.isdisjoint(range(s.number - 1, s.number + 2))
    ]
    findings = _make_findings(doc, "citation_f1", claims, "“{}” without a source")
    return findings if findings or sourced or linked else _find_page(doc, "citation_f1", "the page names no source")


def find_nameless(doc: Document) -> list[Finding]:
    """Return the paragraphs without a name or a date, the longest first; none where every noun has a capital."""
    if languages.capitalises_nouns(doc.language.code):
        return []
    named = [m.start for m in doc.find("entity")]
    bare: list[tuple[int, Span]] = []
    for start, end in find_paragraphs(doc):
        words = len(doc.text[start:end].split())
        if words < LONG_PARAGRAPH or bisect_left(named, start) < bisect_left(named, end):
            continue
        inside = [_sentence(doc, number) for number in doc.sentences_between(start, end)]
        if not any(s.holds_capital or _DIGIT.search(s.text) for s in inside):
            bare.append((words, (start, end)))
    longest = sorted(bare, key=lambda b: (-b[0], b[1]))[:1]
    ordered = [*longest, *(b for b in bare if b not in longest)][:MAX_FINDINGS]
    return [
        _find_passage(doc, "entity_density", span, f"its {words} words hold no name and no date")
        for words, span in ordered
    ]


def find_openings(doc: Document, kinds: Sequence[str]) -> list[Finding]:
    """Return the paragraphs that open with a word for something said before, and not with quoted speech."""
    spans = (
        span
        for span, kind in zip(find_paragraphs(doc), kinds, strict=True)
        if kind == "opener" and not _QUOTATION_MARK.match(doc.text, span[0])
    )
    findings = []
    for start, end in islice(spans, MAX_FINDINGS):
        opening = " ".join(doc.text[start:end].split(maxsplit=OPENING_WORDS)[:OPENING_WORDS])
        why = f"“{opening}” refers to what stands before it"
        findings.append(_find_passage(doc, "self_containment", (start, end), why))
    return findings


def find_undated(doc: Document) -> list[Finding]:
    """Return the top of a page that has no year where its date would be."""
    edges = doc.text[:EDGE] + " " + doc.text[-EDGE:]
    return [] if _YEAR.search(edges) else _find_page(doc, "freshness", "the page has no date")


def _find_page(doc: Document, rule: str, why: str) -> list[Finding]:
    """Return a finding about the whole page, unless it has no paragraph to change."""
    return [make_finding(rule, locate_page(doc), why)] if find_paragraphs(doc) else []


def locate_page(doc: Document) -> Location:
    """Return where the whole page is shown: at its first line of text."""
    source = doc.source
    start = len(source.text) - len(source.text[source.start :].lstrip())
    end = source.text.find("\n", start)
    end = start + len(source.text[start : len(source.text) if end < 0 else end].rstrip())
    return source.locate(*source.to_file(start, end))


def _find_passage(doc: Document, rule: str, span: Span, why: str) -> Finding:
    """Return a finding about a span of the reading text, with its words."""
    words = doc.text[span[0] : span[1]].split(maxsplit=QUOTED_WORDS)
    quote = " ".join(words[:QUOTED_WORDS])
    cut = len(words) > QUOTED_WORDS or len(quote) > MAX_QUOTE
    location = doc.source.locate(*doc.source.view_to_file(*doc.trim(span)))
    return make_finding(rule, location, why, quote=quote[:MAX_QUOTE] + "…" * cut)


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
    return (s for s in (_sentence(doc, number) for number in numbers) if len(s.words) >= MIN_WORDS)


def _sentence(doc: Document, number: int) -> Sentence:
    start, end = doc.segments[number]
    return Sentence(number, (start, end), doc.text[start:end])


def _first_of(doc: Document, sentence: Sentence, kind: str) -> str:
    """Return the first word of a kind in a sentence, as it is written there."""
    lists = load_words(doc.language.code)
    before = ["", *sentence.words]
    pairs = zip(before, sentence.words, strict=False)
    wanted, not_after = lists[kind], lists["not_after"] if kind in AMBIGUOUS else ()
    return next((word for last, word in pairs if word.lower() in wanted and last.lower() not in not_after), "")


def _is_share(doc: Document, match: Match) -> bool:
    text = doc.text[match.start : match.end]
    return "%" in text or not load_words(doc.language.code)["shares"].isdisjoint(_WORD.findall(text.lower()))


def _make_findings(doc: Document, rule: str, places: Iterable[tuple[Sentence, str]], why: str) -> list[Finding]:
    return [
        _find_passage(doc, rule, sentence.span, why.format(" ".join(words.split())))
        for sentence, words in islice(places, MAX_FINDINGS)
    ]
