"""A page as the components see it: one reading text, flat arrays, integers for tokens."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import count
from typing import Any, NamedTuple, Protocol, TypeVar

from steelyard.text import frontmatter, markdown
from steelyard.text.lines import Span
from steelyard.text.markdown import Structure
from steelyard.text.regex import PatternSet, Subject

Made = TypeVar("Made")

_TOKEN = re.compile(r"\b[a-z]+\b", re.ASCII)
_SEGMENT = re.compile(r"[^.!?]+")
_UNICODE_WORD = re.compile(r"[^\W\d_]+")
_ASCII_WORD = re.compile(r"[a-z]+")  # the same words in an ASCII text, in half the time
_SURROGATE = re.compile("[\ud800-\udfff]")
SENTENCE_LONGER_THAN = 10  # characters
SHORTEST_TOKEN = 3

# Letters for letters, so that offsets hold: the packs then need one space, one apostrophe and one hyphen.
_PLAIN = [(c, " ") for c in "\t\u00a0\u2002\u2003\u2009\u200a\u202f\u3000"]
_PLAIN += [("’", "'"), ("ʼ", "'"), ("\u2010", "-"), ("\u2011", "-")]


class Pattern(Protocol):
    """One pattern of a pack."""

    @property
    def id(self) -> str: ...
    @property
    def attributes(self) -> Mapping[str, Any]: ...


class Family(Protocol):
    """A family of patterns, as the packs build it."""

    @property
    def name(self) -> str: ...
    @property
    def patterns(self) -> Sequence[Pattern]: ...
    @property
    def matcher(self) -> PatternSet: ...


class Language(Protocol):
    """What a Document needs to know of its language."""

    @property
    def code(self) -> str: ...
    @property
    def families(self) -> Mapping[str, Family]: ...
    @property
    def lists(self) -> Mapping[str, frozenset[str]]: ...
    @property
    def months(self) -> Mapping[str, int]: ...
    @property
    def reads_with(self) -> Sequence[str]: ...
    @property
    def stop(self) -> frozenset[str]: ...


class Match(NamedTuple):
    """A pattern's match in the reading text."""

    family: str
    pattern: int
    start: int
    end: int


class Tokens(NamedTuple):
    """ASCII tokens as integers: `ids` in text order, `vocabulary` by id, `kept` by id, `bounds` per segment."""

    ids: list[int]
    vocabulary: list[str]
    kept: list[bool]
    bounds: list[int]


class Section(NamedTuple):
    """A heading and the text up to the next one, as spans of the reading text."""

    level: int
    title: Span
    body: Span


def plain(text: str) -> str:
    """The text with one kind of space, apostrophe and hyphen; of the same length."""
    if text.isascii():
        return text.replace("\t", " ")
    for fancy, usual in _PLAIN:  # a dozen replacements are ten times as fast as one str.translate
        text = text.replace(fancy, usual)
    return text


class Source:
    """A decoded file: its text, front matter and structure, before a language is chosen."""

    def __init__(self, text: str) -> None:
        if not isinstance(text, str):
            raise TypeError(f"a page is a string, not {type(text).__name__}; decode bytes first")
        # A lone surrogate cannot be encoded; one replacement character keeps every offset.
        self.text = _SURROGATE.sub("\ufffd", text) if not text.isascii() else text
        self.matter, self.start = frontmatter.read(self.text)

    @cached_property
    def structure(self) -> Structure:
        return markdown.parse(self.text, self.start)

    @cached_property
    def word_counts(self) -> Counter[str]:
        """Words of letters of any script, lower-cased: what the language and the guards are judged by."""
        text = self.structure.view.text.lower()
        return Counter((_ASCII_WORD if text.isascii() else _UNICODE_WORD).findall(text))

    def first_heading(self) -> str | None:
        """The words of the first heading of the highest level present."""
        headings = self.structure.headings
        if not headings:
            return None
        best = min(headings, key=lambda h: (h.level, h.start))
        return " ".join(self.structure.view.text[best.start : best.end].split()) or None


class Document:
    """The source read in one language, with everything the components count over, made once and on demand."""

    def __init__(self, source: Source, language: Language, title: str | None = None) -> None:
        self.source = source
        self.language = language
        self.title = title
        self.structure = source.structure
        view = source.structure.view.text
        self.text = plain(view)
        self._subject = Subject(self.text)
        self._found: dict[str, list[Match]] = {}
        self._shared: dict[str, Any] = {}

    # Words, sentences, tokens

    @cached_property
    def n_words(self) -> int:
        """W: whitespace words of the reading text."""
        return len(self.text.split())

    @cached_property
    def segments(self) -> list[Span]:
        """What stands between runs of `.!?`, stripped; sentences are the longer ones."""
        spans = []
        for match in _SEGMENT.finditer(self.text):
            raw = match[0]
            left = len(raw) - len(raw.lstrip())
            start = match.start() + left
            spans.append((start, start + len(raw.strip())))
        return spans

    @cached_property
    def sentences(self) -> list[int]:
        """Indices of the segments longer than 10 characters."""
        return [i for i, (a, b) in enumerate(self.segments) if b - a > SENTENCE_LONGER_THAN]

    def segment_at(self, offset: int) -> int:
        """The index of the segment that holds `offset`, or the last one before it."""
        return bisect_right(self._segment_starts, offset) - 1

    @cached_property
    def _segment_starts(self) -> list[int]:
        return [a for a, _ in self.segments]

    @cached_property
    def sentence_words(self) -> list[int]:
        """Whitespace words of each sentence."""
        return [len(self.text[a:b].split()) for a, b in (self.segments[i] for i in self.sentences)]

    @cached_property
    def lowered(self) -> str:
        """The reading text in lower case, of the same length."""
        lower = self.text.lower()
        if len(lower) == len(self.text):
            return lower
        return "".join(c if len(c.lower()) != 1 else c.lower() for c in self.text)

    @cached_property
    def tokens(self) -> Tokens:
        ids: list[int] = []
        number: defaultdict[str, int] = defaultdict(count().__next__)
        bounds = [0]
        lowered = self.lowered
        for start, end in self.segments:
            ids.extend(map(number.__getitem__, _TOKEN.findall(lowered, start, end)))
            bounds.append(len(ids))
        stop = self.language.stop
        kept = [len(t) >= SHORTEST_TOKEN and t not in stop for t in number]
        return Tokens(ids, list(number), kept, bounds)

    @cached_property
    def kept_ids(self) -> list[int]:
        """Ids of the tokens that pass the length and stop filters, in text order."""
        kept = self.tokens.kept
        return [i for i in self.tokens.ids if kept[i]]

    @cached_property
    def kept_counts(self) -> dict[int, int]:
        """How often each kept token occurs, in order of first appearance."""
        counts: dict[int, int] = {}
        for i in self.kept_ids:
            counts[i] = counts.get(i, 0) + 1
        return counts

    def sentence_tokens(self) -> list[set[int]]:
        """The kept tokens of each sentence."""
        tokens = self.tokens
        kept = tokens.kept
        return [{i for i in tokens.ids[tokens.bounds[s] : tokens.bounds[s + 1]] if kept[i]} for s in self.sentences]

    def token_words(self, start: int, end: int) -> list[str]:
        """All ASCII tokens of a span, lower-cased."""
        return _TOKEN.findall(self.lowered, start, end)

    def keeps(self, token: str) -> bool:
        """Whether a token passes the length and stop filters."""
        return len(token) >= SHORTEST_TOKEN and token not in self.language.stop

    # Structure

    def trimmed(self, span: Span) -> Span:
        """The span without the white space at its ends."""
        piece = self.text[span[0] : span[1]]
        start = span[0] + len(piece) - len(piece.lstrip())
        return start, start + len(piece.strip())

    def sentences_between(self, start: int, end: int) -> list[int]:
        """Indices of the sentences that begin in the span."""
        first, last = bisect_left(self._segment_starts, start), bisect_left(self._segment_starts, end)
        low, high = bisect_left(self.sentences, first), bisect_left(self.sentences, last)
        return self.sentences[low:high]

    def shown_source(self) -> str:
        """The source as it was given, less its front matter and what no reader sees."""
        text, position, pieces = self.source.text, self.source.start, []
        for start, end in self.structure.hidden:
            pieces.append(text[position:start])
            position = end
        return "".join([*pieces, text[position:]])

    @cached_property
    def sections(self) -> list[Section]:
        heads = self.structure.headings
        if not heads:
            return []
        ends = [h.start for h in heads[1:]] + [len(self.text)]
        return [Section(h.level, (h.start, h.end), (h.end, e)) for h, e in zip(heads, ends, strict=True)]

    # Patterns

    def find(self, family: str) -> list[Match]:
        """All matches of a family of patterns, by position; searched once."""
        found = self._found.get(family)
        if found is None:
            hits = self.language.families[family].matcher.find_all(self._subject)
            found = self._found[family] = [Match(family, *hit) for hit in hits]
        return found

    def find_in(self, family: str, text: str) -> bool:
        """Whether a family matches anywhere in another text (a paragraph's opening, say)."""
        return bool(self.language.families[family].matcher.find_all(Subject(text)))

    def pattern_id(self, match: Match) -> str:
        """The id of the pattern that made a match."""
        return self.language.families[match.family].patterns[match.pattern].id

    def attributes(self, match: Match) -> Mapping[str, Any]:
        """What the pack says of the pattern besides its regex."""
        return self.language.families[match.family].patterns[match.pattern].attributes

    def line_at(self, offset: int) -> int:
        """The line, from 1, of an offset of the source."""
        return bisect_right(self._line_starts, offset)

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0] + [m.end() for m in re.finditer("\n", self.source.text)]

    def memo(self, key: str, make: Callable[[], Made]) -> Made:
        """What several components share, made once per page."""
        if key not in self._shared:
            self._shared[key] = make()
        made: Made = self._shared[key]
        return made

    def words_of(self, match: Match) -> str:
        """The matched text in one form: lower case, single spaces."""
        return " ".join(self.text[match.start : match.end].lower().split())
