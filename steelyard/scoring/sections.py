"""The sections of a page: each heading with the text up to the next one, its content and its evidence.

A section's content is that of its text scored as if it were a page. It moves no point of the page's score.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from steelyard.components.base import Reading
from steelyard.scoring.page import PageScore
from steelyard.text.source import Source

MIN_WORDS = 50  # below which too many components keep a constant for the content to say anything
MAX_SCORED = 100  # sections of a page
MAX_PARTS = 20_000  # of a page with sections: with more of them nobody looks at one
TOO_SHORT = f"fewer than {MIN_WORDS} words"
TOO_MANY = f"only the first {MAX_SCORED} sections of {MIN_WORDS} words or more are scored"
# The evidence that is counted in a section, by the component that finds it.
EVIDENCE = {
    "quotation": "quotable_density",
    "statistic": "statistic_density",
    "citation": "citation_f1",
    "entity": "entity_density",
}
_DEFINITION = re.compile(r"^[ \t]{0,3}\[[^\]\[\n]{1,200}\]:[ \t][^\n]{1,2000}$", re.MULTILINE)
MAX_DEFINITIONS = 20_000  # characters of the definitions of links that go with a section


class Section(NamedTuple):
    """A section of a page.

    Attributes:
        heading: The words of its heading; None for the text before the first one.
        line: The line of the heading, or of the text where there is none.
        words: The words of the section, with its heading.
        content: What its text would score for content, from 0 to 100; None where that is not measured.
        evidence: How many pieces of the page's evidence are in it, by kind.
        reason: Why the content is not measured; None where it is.
        self_containment: The value of this component for its text alone; None where it is not measured.
        start, end: Its span in the file; for HTML in the extracted text.
    """

    heading: str | None
    line: int
    words: int
    content: float | None
    evidence: Mapping[str, int]
    reason: str | None
    self_containment: float | None
    start: int
    end: int

    def to_dict(self) -> dict[str, Any]:
        """Return the section as an entry of `sections` in the JSON."""
        return {
            **{key: getattr(self, key) for key in ("heading", "line", "words", "content")},
            "evidence": dict(self.evidence),
            "reason": self.reason,
        }


class Part(NamedTuple):
    """A section before it is measured: its heading, its words, and its span of the measured text."""

    heading: str | None
    words: int
    start: int
    end: int


def find_parts(source: Source) -> list[Part]:
    """Return the parts of a page in order: the text before the first heading, and each heading with its text.

    Without headings, with a single part or with more than `MAX_PARTS`, there is none: the page is its only section.
    """
    headings, shown = source.structure.headings, source.structure.view.text
    if not 0 < len(headings) <= MAX_PARTS:
        return []
    edges = [source.start, *source.heading_lines, len(source.text)]
    names = [None, *(" ".join(shown[h.start : h.end].split()) for h in headings)]
    parts = []
    for name, (start, end) in zip(names, pairwise(edges), strict=True):
        first, last = source.to_view(start, end)
        parts.append(Part(name, len(shown[first:last].split()), start, end))
    parts = [part for part in parts if part.heading is not None or part.words]
    return parts if len(parts) > 1 else []


def select_parts(parts: Sequence[Part]) -> list[int]:
    """Return the numbers of the parts that are long enough to be scored, at most `MAX_SCORED` of them."""
    return [number for number, part in enumerate(parts) if part.words >= MIN_WORDS][:MAX_SCORED]


def read_texts(source: Source, parts: Sequence[Part]) -> Iterator[str]:
    """Yield the text of each part as a page of its own, with the definitions of the links in it."""
    definitions = [match[0] for match in _DEFINITION.finditer(source.text, source.start)] if "]:" in source.text else []
    shared = "\n".join(definitions)[:MAX_DEFINITIONS]
    for part in parts:
        text = source.text[part.start : part.end]
        yield f"{text.rstrip()}\n\n{shared}\n" if shared and "[" in text else text


def build_sections(
    source: Source, parts: Sequence[Part], page: PageScore, scores: Mapping[int, PageScore]
) -> tuple[Section, ...]:
    """Return the sections, given the scores of those parts that were scored."""
    places = {
        kind: sorted(piece.start for piece in page.readings[component].evidence) for kind, component in EVIDENCE.items()
    }
    return tuple(_build(source, part, scores.get(number), places) for number, part in enumerate(parts))


def _build(source: Source, part: Part, score: PageScore | None, places: Mapping[str, Sequence[int]]) -> Section:
    piece = source.text[part.start : part.end]
    start, end = source.to_file(part.start + len(piece) - len(piece.lstrip()), part.end)
    reading: Reading | None = score.readings["self_containment"] if score else None
    return Section(
        heading=part.heading,
        line=source.line(start),
        words=part.words,
        content=score.content if score else None,
        evidence={kind: bisect_left(at, end) - bisect_left(at, start) for kind, at in places.items()},
        reason=None if score else TOO_SHORT if part.words < MIN_WORDS else TOO_MANY,
        self_containment=reading.value if reading and reading.degenerate is None else None,
        start=start,
        end=end,
    )


def list_measured(sections: Sequence[Section]) -> list[Section]:
    """Return the sections with a content, the lowest first; none where there are fewer than two to compare."""
    measured = [section for section in sections if section.content is not None]
    return sorted(measured, key=lambda s: (s.content or 0.0, s.start)) if len(measured) > 1 else []


def find_weakest(sections: Sequence[Section]) -> Section | None:
    """Return the section with the lowest content; None where there are fewer than two to compare."""
    return next(iter(list_measured(sections)), None)


def find_strongest(sections: Sequence[Section]) -> Section | None:
    """Return the section with the highest content; None where there are fewer than two to compare."""
    return next(reversed(list_measured(sections)), None)
