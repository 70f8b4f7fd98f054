"""Evidence as marks on a page's view: pieces that do not overlap, each with everything that was found there."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from steelyard.pipeline import PageResult
from steelyard.support import escape
from steelyard.text.lines import Span
from steelyard.text.source import Source

# What is marked, with its name in the legend; where spans overlap, the first of these gives the colour.
KINDS = (
    ("manipulation", "flagged by a detector"),
    ("quotable_density", "quotable"),
    ("citation_f1", "source"),
    ("statistic_density", "figure"),
    ("entity_density", "name, date or amount"),
    ("self_containment", "weak opening"),
    ("freshness", "sign of freshness"),
    ("semantic_coherence", "link word"),
)
_NUMBERS = {name: number for number, (name, _) in enumerate(KINDS)}
# Of these components only some evidence speaks about the marked words themselves.
_SHOWN_PATTERNS = {"self_containment": "opener"}
_SHOWN_FAMILIES = {"semantic_coherence": "transition"}

Label = tuple[int, str]  # the number of a kind, and the pattern


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the view with the same evidence from end to end; `starting` is what begins here."""

    start: int
    end: int
    labels: tuple[Label, ...]
    starting: tuple[Label, ...]


class Marks:
    """The marks of one page; `unseen` counts evidence that has no words in the view, such as an address."""

    def __init__(self, result: PageResult, source: Source) -> None:
        spans = [(*source.to_view(start, end), label) for start, end, label in _list_evidence(result)]
        shown = [(start, end, label) for start, end, label in spans if start < end]
        self.unseen = len(spans) - len(shown)
        self._pieces = list(_cut(shown))
        self._starts = [piece.start for piece in self._pieces]

    def touch(self, span: Span) -> bool:
        """Tell whether there is any evidence in a span of the view."""
        return next(self._between(*span), None) is not None

    def render(self, text: str, span: Span) -> str:
        """Return a span of the view's text as HTML, with its marks."""
        start, end = span
        out, position = [], start
        for piece in self._between(start, end):
            first, last = max(start, piece.start), min(end, piece.end)
            words = escape.html(text[first:last])
            out += [escape.html(text[position:first]), _render_mark(piece, words) if words.strip() else words]
            position = last
        return "".join([*out, escape.html(text[position:end])])

    def _between(self, start: int, end: int) -> Iterator[Piece]:
        number = max(0, bisect_right(self._starts, start) - 1)
        while number < len(self._pieces) and self._pieces[number].start < end:
            if self._pieces[number].end > start:
                yield self._pieces[number]
            number += 1


def _list_evidence(result: PageResult) -> Iterator[tuple[int, int, Label]]:
    """Yield the spans of the file, with what was found there."""
    for name, reading in result.page.readings.items():
        for e in reading.evidence if name in _NUMBERS else ():
            pattern, family = _SHOWN_PATTERNS.get(name), _SHOWN_FAMILIES.get(name)
            if pattern in (None, e.pattern) and family in (None, e.family):
                yield e.start, e.end, (_NUMBERS[name], e.pattern)
    for e in result.page.fresh.evidence:
        yield e.start, e.end, (_NUMBERS["freshness"], e.pattern)
    if result.manipulation is not None:
        for sign in result.manipulation.evidence:
            yield sign.start, sign.end, (_NUMBERS["manipulation"], sign.detector)


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


def _render_mark(piece: Piece, words: str) -> str:
    # The title is for the mouse; the small text is for a screen reader, once where the evidence begins.
    small = f"<small> {_describe(piece.starting)} </small>" if piece.starting else ""
    return f'<mark class="m{piece.labels[0][0]}" title="{_describe(piece.labels)}">{words}{small}</mark>'


def _describe(labels: tuple[Label, ...]) -> str:
    return escape.html(", ".join(f"{KINDS[number][0]}: {pattern}" for number, pattern in labels))


def render_legend(*, detect: bool) -> str:
    """Return the legend, with the switch that shows the patterns as words."""
    marks = " ".join(
        f'<mark class="m{number}">{label}</mark>'
        for number, (name, label) in enumerate(KINDS)
        if detect or name != "manipulation"
    )
    switch = '<label><input type="checkbox" id="patterns"> show component and pattern in the text</label>'
    return f'<p class="legend">Marks in the text: {marks} {switch}</p>'
