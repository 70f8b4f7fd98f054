"""Evidence as marks on a page's view: pieces that do not overlap, each with everything that was found there."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice, pairwise

from steelyard.pages.descriptions import describe_change, pick_suggestions
from steelyard.pipeline import PageResult
from steelyard.support import escape
from steelyard.text.lines import Span
from steelyard.text.source import Source

# What is marked, with its name in the legend and what it means; where spans overlap, the first gives the colour.
KINDS = (
    ("manipulation", "to check", "a detector flags this"),
    ("quotable_density", "quotable", "can be quoted alone: a definition, a list or somebody's words"),
    ("citation_f1", "source", "names or links a source"),
    ("statistic_density", "figure", "a number that a reader can check"),
    ("entity_density", "name, date or amount", "something that can be looked up"),
    ("self_containment", "weak opening", "quoted alone, nobody would know what this opening is about"),
    ("freshness", "sign of freshness", "says how recent the page is"),
    ("semantic_coherence", "link word", "ties a sentence to the one before"),
    ("suggestion", "to change", ""),
)
PLACE = len(KINDS) - 1
# Of some patterns, since their words say nothing of it.
MEANINGS = {"link": "these words are a link to another site", "linked-site": "these words are a link to another site"}
MAX_SPANS = 5_000  # in an editor
OPENING_WORDS = 3  # of a paragraph with a weak opening that are marked
_WORDS = re.compile(r"\S+")
MAX_WORD = 30  # characters by which a mark grows to the end of a word that it cuts
_NUMBERS = {name: number for number, (name, *_) in enumerate(KINDS)}
# Of these components only some evidence speaks about the marked words themselves.
_SHOWN_PATTERNS = {"self_containment": "opener"}
_SHOWN_FAMILIES = {"semantic_coherence": "transition"}

Label = tuple[int, str]  # the number of a kind, and the pattern; of a place the number of its suggestion


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the view with the same evidence from end to end; `starting` is what begins here."""

    start: int
    end: int
    labels: tuple[Label, ...]
    starting: tuple[Label, ...]


class Marks:
    """The marks of one page; `unseen` counts evidence that has no words in the view, such as an address.

    The places of suggestions are marked, too, and the first words of each get an id that begins with `prefix`.
    """

    def __init__(self, result: PageResult, source: Source, prefix: str = "") -> None:
        text = source.structure.view.text
        spans = [(*source.to_view(start, end), label) for start, end, label in _list_evidence(result)]
        shown = [(*_widen(text, start, end), label) for start, end, label in spans if start < end]
        self.unseen = len(spans) - len(shown)
        self._actions: dict[str, str] = {}
        self._reasons: dict[str, str] = {}
        for number, suggestion in enumerate(pick_suggestions(result) if prefix else (), start=1):
            self._actions[str(number)] = describe_change(suggestion)
            self._reasons[str(number)] = suggestion.message
            start, end = source.to_view(*suggestion.span)
            if suggestion.quote and start < end:
                shown.append((*_widen(text, start, end), (PLACE, str(number))))
        self._pieces = list(_cut(shown))
        self._starts = [piece.start for piece in self._pieces]
        self._prefix = prefix
        self._placed: set[str] = set()
        self._counts: Counter[int] = Counter()  # of the pieces of evidence that were rendered, by kind

    def touch(self, span: Span) -> bool:
        """Tell whether there is any evidence in a span of the view."""
        return next(self._between(*span), None) is not None

    def render(self, text: str, span: Span) -> str:
        """Return a span of the view's text as HTML, with its marks."""
        start, end = span
        out: list[str] = []
        position = start
        for places, pieces in groupby(self._between(start, end), _list_places):
            marked: list[str] = []
            for piece in pieces:
                first, last = max(start, piece.start), min(end, piece.end)
                (marked if marked else out).append(escape.html(text[position:first]))
                words = escape.html(text[first:last])
                marked.append(self._render_mark(piece, words) if words.strip() else words)
                position = last
            out.append(self._render_place(places, "".join(marked)) if places else "".join(marked))
        return "".join([*out, escape.html(text[position:end])])

    def _render_place(self, places: Sequence[str], words: str) -> str:
        """Return the marked words of a place as one element, with its id where the place begins."""
        new = [f"{self._prefix}-{place}" for place in places if place not in self._placed]
        self._placed.update(places)
        more = "".join(f'<span id="{place}"></span>' for place in new[1:])
        anchor = f' id="{new[0]}" data-why="{escape.html(self._reasons[places[0]])}"' if new else ""
        return f'<span{anchor} class="place">{more}{words}</span>'

    def _render_mark(self, piece: Piece, words: str) -> str:
        # The title is for the mouse, and for the script that shows it; the small text is for a screen reader, once
        # where the evidence begins.
        starting = [number for number, _ in piece.starting]
        names = ", ".join(KINDS[number][1] for number in dict.fromkeys(starting) if number != PLACE)
        small = f"<small> {names} </small>" if names else ""
        kind = piece.labels[0][0]
        anchor = f' id="{self._prefix}-m{kind}"' if self._prefix and not self._counts[kind] else ""
        self._counts[kind] += kind in starting or not self._counts[kind]
        return f'<mark{anchor} class="m{kind}" title="{self._describe(piece.labels)}">{words}{small}</mark>'

    def _describe(self, labels: Sequence[Label]) -> str:
        """Return what a mark means: each kind in words, and what to do at the place of a suggestion."""
        meanings = [
            f"to change: {self._actions[pattern]}"
            if number == PLACE
            else f"{KINDS[number][1]}: {MEANINGS.get(pattern, KINDS[number][2])}"
            for number, pattern in labels
        ]
        return escape.html("; ".join(dict.fromkeys(meanings)))

    def render_legend(self) -> str:
        """Return the kinds of the marks that were rendered, each with their number and a link to the first."""
        entries = []
        for number, count in sorted(self._counts.items()):
            label = f'<span class="m{number}{" place" if number == PLACE else ""}">{KINDS[number][1]}</span> {count}'
            link = f'<a href="#{self._prefix}-m{number}" data-kind="m{number}">{label}</a>'
            entries.append(link if self._prefix else label)
        listed = "".join(f"<li>{entry}</li>" for entry in entries)
        return f'<ul class="legend" aria-label="Marks in the text">{listed}</ul>' if listed else ""

    def _between(self, start: int, end: int) -> Iterator[Piece]:
        number = max(0, bisect_right(self._starts, start) - 1)
        while number < len(self._pieces) and self._pieces[number].start < end:
            if self._pieces[number].end > start:
                yield self._pieces[number]
            number += 1


def _list_places(piece: Piece) -> list[str]:
    """Return the numbers of the suggestions whose place a piece is part of."""
    return [pattern for number, pattern in piece.labels if number == PLACE]


def _list_evidence(result: PageResult) -> Iterator[tuple[int, int, Label]]:
    """Yield the spans of the file, with what was found there."""
    for name, reading in result.page.readings.items():
        for e in reading.evidence if name in _NUMBERS else ():
            pattern, family = _SHOWN_PATTERNS.get(name), _SHOWN_FAMILIES.get(name)
            if pattern in (None, e.pattern) and family in (None, e.family):
                end = _end_opening(result.text or "", e.start, e.end) if name == "self_containment" else e.end
                yield e.start, end, (_NUMBERS[name], e.pattern)
    for e in result.page.fresh.evidence:
        yield e.start, e.end, (_NUMBERS["freshness"], e.pattern)
    if result.manipulation is not None:
        for sign in result.manipulation.evidence:
            yield sign.start, sign.end, (_NUMBERS["manipulation"], sign.detector)


def _end_opening(text: str, start: int, end: int) -> int:
    """Return the end of the first words of a paragraph, which are its opening."""
    words = list(islice(_WORDS.finditer(text, start, end), OPENING_WORDS))
    return words[-1].end() if words else end


def list_spans(result: PageResult) -> list[tuple[int, int, int]]:
    """Return the first marks as spans of the page as it was written, each with the number of its kind."""
    text = result.text or ""
    spans = [(*_widen(text, start, end), label) for start, end, label in _list_evidence(result)]
    for suggestion in pick_suggestions(result):
        if suggestion.quote:
            spans.append((*_widen(text, *suggestion.span), (PLACE, "")))
    pieces = _cut([span for span in spans if span[0] < span[1]])
    return [(piece.start, piece.end, piece.labels[0][0]) for piece in islice(pieces, MAX_SPANS)]


def _cut(spans: list[tuple[int, int, Label]]) -> Iterator[Piece]:
    """Cut overlapping spans at every edge. What is open is counted by kind and pattern, of which there are few."""
    opening: dict[int, list[Label]] = {}
    closing: dict[int, list[Label]] = {}
    for start, end, label in spans:
        opening.setdefault(start, []).append(label)
        closing.setdefault(end, []).append(label)
    active: Counter[Label] = Counter()
    for start, end in pairwise(sorted({*opening, *closing})):
        for label in closing.get(start, ()):
            active[label] -= 1
            if not active[label]:
                del active[label]
        active.update(opening.get(start, ()))
        if active:
            yield Piece(start, end, tuple(sorted(active)), tuple(sorted(set(opening.get(start, ())))))


def _widen(text: str, start: int, end: int) -> Span:
    """Return a span that cuts no word: grown to the letters and digits around it, up to a limit."""
    first, last = max(0, start - MAX_WORD), min(len(text), end + MAX_WORD)
    while start > first and text[start].isalnum() and text[start - 1].isalnum():
        start -= 1
    while end < last and text[end - 1].isalnum() and text[end].isalnum():
        end += 1
    return start, end
