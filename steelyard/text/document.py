"""A page as the components read it: the reading text with its words, sentences, tokens, sections and matches."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, wraps
from itertools import accumulate, count, pairwise
from typing import Any, NamedTuple, TypeVar

from steelyard.text import sentences
from steelyard.text.characters import LETTERS, lower
from steelyard.text.language import Language
from steelyard.text.lines import Span
from steelyard.text.positions import replace_half_pairs
from steelyard.text.prose import Prose, is_running
from steelyard.text.regex import Subject
from steelyard.text.source import Source
from steelyard.text.triggers import Found

Result = TypeVar("Result")

# By the name that a language's edition has for them: the paper's ASCII tokens, or words of any letters.
_TOKENS = {"ascii": re.compile(r"\b[a-z]+\b", re.ASCII), "unicode": LETTERS}
_SEGMENT = re.compile(r"[^.!?]+")
SENTENCE_LONGER_THAN = 10  # characters
MIN_TOKEN_LENGTH = 3
EVIDENCE = frozenset({"quotation", "definition", "enumeration", "statistic", "citation", "entity"})

# One character for one character, so that offsets hold: patterns then need one space, one apostrophe and one hyphen.
_UNIFIED = [(c, " ") for c in "\t\u00a0\u2002\u2003\u2009\u200a\u202f\u3000"]
_UNIFIED += [("’", "'"), ("ʼ", "'"), ("\u2010", "-"), ("\u2011", "-")]


class Match(NamedTuple):
    """A pattern's match in the reading text."""

    family: str
    pattern: int
    start: int
    end: int


class Tokens(NamedTuple):
    """Tokens as integers: `ids` in text order, `vocabulary` by id, `kept` by id, `bounds` per segment."""

    ids: list[int]
    vocabulary: list[str]
    kept: list[bool]
    bounds: list[int]


class Section(NamedTuple):
    """A heading and the text up to the next one, as spans of the reading text."""

    level: int
    title: Span
    body: Span


def unify_characters(text: str) -> str:
    """Replace spaces, apostrophes and hyphens by one kind of each; the length stays the same."""
    if text.isascii():
        return text.replace("\t", " ")
    for variant, usual in _UNIFIED:  # a dozen replacements are ten times as fast as one str.translate
        text = text.replace(variant, usual)
    return text


class Document:
    """A source read in one language; everything the components count is computed on demand and once."""

    def __init__(self, source: Source, language: Language, title: str | None = None, site: str = "") -> None:
        self.source = source
        self.language = language
        self.title = replace_half_pairs(title) if title else title  # as in the text
        self.site = site  # the page's own host; links to it are no sources; "" where they count like others
        self.structure = source.structure
        self.text = unify_characters(source.structure.view.text)
        self._subject = Subject(self.text)
        self._token = _TOKENS[language.tokens]
        self._matches: dict[str, list[Match]] = {}
        self._triggers = language.triggers
        self.computed: dict[Callable[[Document], Any], Any] = {}  # results of functions marked once_per_page

    # Words, sentences, tokens

    @cached_property
    def n_words(self) -> int:
        """W: the number of whitespace-separated words."""
        return len(self.text.split())

    @cached_property
    def segments(self) -> list[Span]:
        """The stretches between the ends of sentences, stripped; the longer ones are sentences.

        The paper ends one at every run of `.!?`; `careful` knows decimals, abbreviations, initials and addresses.
        """
        if self.language.sentences == "careful":
            spans = sentences.split(
                self.text, self.language.lists["abbreviations"], self.language.lists["after_ordinals"]
            )
        else:
            spans = [match.span() for match in _SEGMENT.finditer(self.text)]
        return [self.trim(span) for span in spans]

    @cached_property
    def sentences(self) -> list[int]:
        """Indices of the segments longer than 10 characters."""
        return [i for i, (a, b) in enumerate(self.segments) if b - a > SENTENCE_LONGER_THAN]

    @cached_property
    def running(self) -> frozenset[int]:
        """Indices of the segments in which evidence counts: those of running text, or all, as the edition says."""
        if self.language.evidence != "prose":
            return frozenset(range(len(self.segments)))
        tokens, nouns = self.tokens, self.language.capitalises_nouns
        little = [token in self.language.stop for token in tokens.vocabulary]
        kinds = [little[i] for i in tokens.ids]
        parts = zip(self.segments, pairwise(tokens.bounds), strict=True)
        return frozenset(
            i
            for i, (span, (first, stop)) in enumerate(parts)
            if is_running(self.text, span, kinds[first:stop], capitalises_nouns=nouns)
        )

    @cached_property
    def prose(self) -> Prose:
        """How much of the page is running text, where the edition tells it from the rest."""
        tokens = self.tokens
        words = sum(len(self.text[a:b].split()) for a, b in (self.segments[i] for i in self.running))
        kept = {token for i in self.running for token in tokens.ids[tokens.bounds[i] : tokens.bounds[i + 1]]}
        return Prose(words, words / self.n_words if words else 0.0, sum(tokens.kept[token] for token in kept))

    @property
    def evidence_words(self) -> int:
        """W of the densities: the words of the page, or those of its running text where evidence counts only there."""
        return self.prose.words if self.language.evidence == "prose" else self.n_words

    @cached_property
    def evidence_sentences(self) -> list[int]:
        """Indices of the sentences in which evidence counts."""
        return [i for i in self.sentences if i in self.running]

    def segment_at(self, offset: int) -> int:
        """Return the index of the segment at `offset`, or of the last one before it; -1 before the first."""
        return bisect_right(self._segment_starts, offset) - 1

    @cached_property
    def _segment_starts(self) -> list[int]:
        return [a for a, _ in self.segments]

    @cached_property
    def sentence_words(self) -> list[int]:
        """The number of whitespace-separated words of each sentence."""
        return [len(self.text[a:b].split()) for a, b in (self.segments[i] for i in self.sentences)]

    @cached_property
    def lowered(self) -> str:
        """The reading text in lower case; the length stays the same."""
        return lower(self.text)

    @cached_property
    def tokens(self) -> Tokens:
        """The tokens of all segments."""
        ids: list[int] = []
        number: defaultdict[str, int] = defaultdict(count().__next__)
        bounds = [0]
        lowered = self.lowered
        for start, end in self.segments:
            ids.extend(map(number.__getitem__, self._token.findall(lowered, start, end)))
            bounds.append(len(ids))
        return Tokens(ids, list(number), [self.keeps(token) for token in number], bounds)

    @cached_property
    def kept_ids(self) -> list[int]:
        """Ids of the tokens that pass the length and stop filters, in text order."""
        kept = self.tokens.kept
        return [i for i in self.tokens.ids if kept[i]]

    @cached_property
    def kept_counts(self) -> dict[int, int]:
        """How often each kept token occurs, in order of first appearance."""
        return dict(Counter(self.kept_ids))

    def sentence_tokens(self) -> list[set[int]]:
        """Return the set of kept tokens of each sentence."""
        tokens = self.tokens
        kept = tokens.kept
        return [{i for i in tokens.ids[tokens.bounds[s] : tokens.bounds[s + 1]] if kept[i]} for s in self.sentences]

    def token_words(self, start: int, end: int) -> list[str]:
        """Return all tokens of a span, lower-cased."""
        return self._token.findall(self.lowered, start, end)

    def keeps(self, token: str) -> bool:
        """Return whether a token passes the length and stop filters."""
        return len(token) >= MIN_TOKEN_LENGTH and token not in self.language.stop

    # Structure

    def trim(self, span: Span) -> Span:
        """Return the span without the white space at its ends."""
        piece = self.text[span[0] : span[1]]
        start = span[0] + len(piece) - len(piece.lstrip())
        return start, start + len(piece.strip())

    def sentences_between(self, start: int, end: int) -> list[int]:
        """Return the indices of the sentences that begin in the span."""
        first, last = bisect_left(self._segment_starts, start), bisect_left(self._segment_starts, end)
        low, high = bisect_left(self.sentences, first), bisect_left(self.sentences, last)
        return self.sentences[low:high]

    def visible_source(self) -> str:
        """Return the source without its front matter and hidden spans."""
        text, position, pieces = self.source.text, self.source.start, []
        for start, end in self.structure.hidden:
            pieces.append(text[position:start])
            position = end
        return "".join([*pieces, text[position:]])

    @cached_property
    def sections(self) -> list[Section]:
        """The headings, each with the text up to the next one."""
        headings = self.structure.headings
        ends = [*(h.start for h in headings[1:]), len(self.text)]
        return [Section(h.level, (h.start, h.end), (h.end, e)) for h, e in zip(headings, ends, strict=False)]

    # Patterns

    def find(self, family: str) -> list[Match]:
        """Return all matches of a family of patterns, by position; searches once."""
        matches = self._matches.get(family)
        if matches is None:
            data = self.language.families[family]
            possible = self._triggers.find_possible(family, self._found_triggers) if self._triggers else None
            matches = [Match(family, *hit) for hit in data.matcher.find_all(self._subject, possible)]
            if data.unless and matches:
                matches = drop_overlapping(matches, self.find(data.unless))
            if data.needs and matches:
                matches = keep_near(matches, self.find(data.needs), data.within, self.text)
            if data.longest:
                matches = keep_longest(matches)
            if self.language.evidence == "prose" and family in EVIDENCE:
                matches = [m for m in matches if self._is_in_prose(m)]
            self._matches[family] = matches
        return matches

    @cached_property
    def _found_triggers(self) -> Found:
        return self._triggers.look(self.text) if self._triggers else Found([])

    def preload_matches(self, matches: Mapping[str, Sequence[tuple[int, int, int]]]) -> None:
        """Take the matches of families, as (pattern, start, end), from a search that was made elsewhere."""
        self._matches.update({family: [Match(family, *hit) for hit in hits] for family, hits in matches.items()})

    def _is_in_prose(self, match: Match) -> bool:
        """Return whether a match is part of running text; a quotation may begin or end with a fragment."""
        first, last = self.segment_at(match.start), self.segment_at(match.end - 1)
        return not self.running.isdisjoint(range(first, last + 1))

    def matches_in(self, family: str, text: str) -> bool:
        """Return whether a family matches anywhere in another text, such as the opening of a paragraph."""
        return bool(self.language.families[family].matcher.find_all(Subject(text)))

    def pattern_id(self, match: Match) -> str:
        """Return the id of the pattern that matched."""
        return self.language.families[match.family].patterns[match.pattern].id

    def attributes(self, match: Match) -> Mapping[str, Any]:
        """Return the language's data about the pattern that matched, besides its regex."""
        return self.language.families[match.family].patterns[match.pattern].attributes

    def family_of(self, match: Match) -> str:
        """Return the kind of evidence a match is: its pattern's own, else that of its family of patterns."""
        return str(self.attributes(match).get("family", match.family))

    def matched_text(self, match: Match) -> str:
        """Return the matched text in lower case with single spaces."""
        return self._normalised(match.start, match.end)

    def segment_text(self, index: int) -> str:
        """Return the text of a segment in lower case with single spaces."""
        return self._normalised(*self.segments[index]) if index >= 0 else ""

    def _normalised(self, start: int, end: int) -> str:
        return " ".join(lower(self.text[start:end]).split())


def keep_longest(matches: Sequence[Match]) -> list[Match]:
    """Return the matches that lie inside no other one; of equal ones the first."""
    kept: list[Match] = []
    for match in sorted(matches, key=lambda m: (m.start, -m.end)):
        if not kept or match.end > kept[-1].end:
            kept.append(match)
    return kept


def drop_overlapping(matches: Sequence[Match], others: Sequence[Match]) -> list[Match]:
    """Return the matches that share no character with one of the others; both are sorted by start."""
    if not others:
        return list(matches)
    starts = [m.start for m in others]
    reach = list(accumulate((m.end for m in others), max))  # the farthest end of those up to each
    kept = []
    for match in matches:
        before = bisect_left(starts, match.end) - 1  # the last that starts before this one ends
        if before < 0 or reach[before] <= match.start:
            kept.append(match)
    return kept


def keep_near(matches: Sequence[Match], others: Sequence[Match], within: int, text: str) -> list[Match]:
    """Return the matches with one of the others close before or after them, in the same paragraph."""
    starts, ends = [m.start for m in others], sorted(m.end for m in others)
    kept = []
    for match in matches:
        after = bisect_left(starts, match.end - 1)
        before = bisect_right(ends, match.start + 1) - 1
        gaps = []
        if after < len(starts) and starts[after] - match.end <= within:
            gaps.append(text[match.end : starts[after]])
        if before >= 0 and match.start - ends[before] <= within:
            gaps.append(text[ends[before] : match.start])
        if any("\n\n" not in gap for gap in gaps):
            kept.append(match)
    return kept


def once_per_page(function: Callable[[Document], Result]) -> Callable[[Document], Result]:
    """Compute a function of a Document once, however many components call it."""

    @wraps(function)
    def compute(doc: Document) -> Result:
        if function not in doc.computed:
            doc.computed[function] = function(doc)
        result: Result = doc.computed[function]
        return result

    return compute
