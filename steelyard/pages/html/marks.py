"""Evidence as marks on a page's view: pieces that do not overlap, each with everything that was found there."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

from steelyard.pages.descriptions import pick_suggestions
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
    ("suggestion", "place of a suggestion"),
)
PLACE = len(KINDS) - 1
MAX_SPANS = 5_000  # in an editor
MAX_WORD = 30  # characters by which a mark grows to the end of a word that it cuts
_NUMBERS = {name: number for number, (name, _) in enumerate(KINDS)}
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
        for number, suggestion in enumerate(pick_suggestions(result) if prefix else (), start=1):
            start, end = source.to_view(*suggestion.span)
            if suggestion.quote and start < end:
                shown.append((*_widen(text, start, end), (PLACE, str(number))))
        self._pieces = list(_cut(shown))
        self._starts = [piece.start for piece in self._pieces]
        self._prefix = prefix
        self._placed: set[str] = set()

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
            out += [escape.html(text[position:first]), self._render_mark(piece, words) if words.strip() else words]
            position = last
        return "".join([*out, escape.html(text[position:end])])

    def _render_mark(self, piece: Piece, words: str) -> str:
        # The title is for the mouse; the small text is for a screen reader, once where the evidence begins.
        starting = [label for label in piece.starting if label[0] != PLACE]
        small = f"<small> {_describe(starting)} </small>" if starting else ""
        places = [pattern for kind, pattern in piece.labels if kind == PLACE]
        anchor = ""
        if new := [place for place in places if place not in self._placed]:
            self._placed.update(new)
            anchor = f' id="{self._prefix}-{new[0]}"'
            small = "".join(f'<a id="{self._prefix}-{place}"></a>' for place in new[1:]) + small
        names = f"m{piece.labels[0][0]}" + (" place" if places else "")
        return f'<mark{anchor} class="{names}" title="{_describe(piece.labels)}">{words}{small}</mark>'

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


def _describe(labels: Sequence[Label]) -> str:
    named = (KINDS[number][1] if number == PLACE else f"{KINDS[number][0]}: {text}" for number, text in labels)
    return escape.html(", ".join(dict.fromkeys(named)))


def _widen(text: str, start: int, end: int) -> Span:
    """Return a span that cuts no word: grown to the letters and digits around it, up to a limit."""
    first, last = max(0, start - MAX_WORD), min(len(text), end + MAX_WORD)
    while start > first and text[start].isalnum() and text[start - 1].isalnum():
        start -= 1
    while end < last and text[end - 1].isalnum() and text[end].isalnum():
        end += 1
    return start, end


def render_legend(*, detect: bool, places: bool = True) -> str:
    """Return the legend, with the switch that shows the patterns as words."""
    marks = " ".join(
        f'<mark class="m{number}{" place" if number == PLACE else ""}">{label}</mark>'
        for number, (name, label) in enumerate(KINDS)
        if (detect or name != "manipulation") and (places or name != "suggestion")
    )
    switch = '<label><input type="checkbox" id="patterns"> show component and pattern in the text</label>'
    return f'<p class="legend">Marks in the text: {marks} {switch}</p>'
