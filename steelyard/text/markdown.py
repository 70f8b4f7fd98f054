"""Markdown structure: headings, paragraphs, blocks and links, and the reading view without the marks.

Two passes, both linear: one over the lines (`lines`), which finds structure and the marks that make it, and one over
the text (`inline`), which removes inline marks. Every result is a span of offsets.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from steelyard.text.inline import CODE_SPAN, INVISIBLE, copy_inline, copy_visible, find_used
from steelyard.text.line_ends import LineEnd, continues, find_width, read_end
from steelyard.text.lines import Heading, LineParser, Link, Span
from steelyard.text.tags import find_hidden
from steelyard.text.view import View, ViewBuilder

# A text without any of these is its own reading view: first by characters, which costs next to nothing,
# then at the starts of lines.
_MARKS = "`*_[<|~\0\r\\&"
_LINE_MARK = re.compile(
    r"[ \t]*(?: \#{1,6}[ \t] | [-+•][ \t] | [0-9]{1,9}[.)][ \t] | > | =+[ \t]*(?:\n|$) | -[ \t-]*(?:\n|$) )",
    re.VERBOSE,
)
_GAP = re.compile(r"(?:\n[ \t]*)+")
_BLANK = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")


@dataclass(frozen=True, slots=True)
class Structure:
    """The reading view and its parts; `hidden` and links are spans of the source, the others of the view."""

    view: View
    headings: tuple[Heading, ...]
    paragraphs: tuple[Span, ...]
    blocks: tuple[Span, ...]
    links: tuple[Link, ...]
    hidden: tuple[Span, ...]

    def place_links(self) -> list[tuple[Span, str]]:
        """Return the links as spans of the view, each with its address, in order."""
        place = self.view.view_offset
        return sorted(((place(link.start), place(link.end)), link.url) for link in self.links)


def parse(text: str, start: int = 0, *, by_lines: bool = False) -> Structure:
    """Parse `text` from `start` on; front matter is before it.

    Paragraphs end at blank lines; with `by_lines` also at any line end behind which the paragraph does not go on.
    """
    if not _has_marks(text, start):
        return _parse_plain(text, start, by_lines=by_lines)
    lines = _read_lines(text, start, by_lines=by_lines)
    code = _drop_overlaps(lines.fences + [m.span() for m in CODE_SPAN.finditer(text, start)])
    hidden = find_hidden(text, start, code)
    if hidden:  # what is hidden can hold lines that look like structure: read again without it
        lines = _read_lines(_mask(text, hidden, []), start, by_lines=by_lines)
    masked = _mask(text, hidden + lines.marks, lines.soft_breaks)
    lines.marks.clear()  # of a page of headings they take more memory than the rest
    builder = ViewBuilder(masked)
    links = find_used(masked, start, lines.definitions)
    position = start
    for begin, end in [*lines.fences, (len(text), len(text))]:
        copy_inline(masked, (position, begin), builder, links)
        copy_visible(masked, begin, end, builder)
        position = end
    view = builder.build()

    def place(start: int, end: int) -> Span:
        return view.view_offset(start), view.view_offset(end)

    return Structure(
        view=view,
        headings=tuple(Heading(h.level, *place(h.start, h.end)) for h in lines.headings),
        paragraphs=tuple(place(*p) for p in lines.paragraphs),
        blocks=tuple(place(*b) for b in lines.blocks),
        links=tuple(links),
        hidden=tuple(hidden),
    )


def _read_lines(text: str, start: int, *, by_lines: bool) -> LineParser:
    """Read the lines, and again with their width if the page is wrapped."""
    lines = LineParser(text, start, by_lines=by_lines)
    width = find_width(lines.ends)
    return LineParser(text, start, by_lines=by_lines, width=width) if width else lines


def _drop_overlaps(spans: list[Span]) -> list[Span]:
    """Return the spans, sorted, without those that overlap an earlier one."""
    kept: list[Span] = []
    for span in sorted(spans):
        if not kept or span[0] >= kept[-1][1]:
            kept.append(span)
    return kept


def _has_marks(text: str, start: int) -> bool:
    if INVISIBLE.search(text, start):
        return True
    if any(text.find(mark, start) >= 0 for mark in _MARKS):
        return True
    position = start
    while position < len(text):
        if _LINE_MARK.match(text, position):
            return True
        newline = text.find("\n", position)
        if newline < 0:
            return False
        position = newline + 1
    return False


def _parse_plain(text: str, start: int, *, by_lines: bool) -> Structure:
    """Parse a text without marks: blocks between gaps, line breaks inside of them shown as spaces."""
    body = text[start:] if start else text
    spans: list[Span] = []
    shown: list[str] = []
    position = 0
    gaps = _find_gaps(body) if by_lines else [gap.span() for gap in _BLANK.finditer(body)]
    for gap in [*gaps, None]:
        end = gap[0] if gap else max(position, len(body.rstrip("\n")))
        block = body[position:end]
        if block.strip():
            spans.append((position, end))
        first = len(block) - len(block.lstrip("\n"))  # a line break before the first word is kept
        shown += [block[:first], block[first:].replace("\n", " "), body[slice(*gap)] if gap else body[end:]]
        position = gap[1] if gap else end
    return Structure(View("".join(shown), [0], [start]), (), tuple(spans), tuple(spans), (), ())


def _find_gaps(body: str) -> list[Span]:
    """Return the line ends of a text without marks behind which a paragraph does not go on, with blank lines."""
    gaps = [gap.span() for gap in _GAP.finditer(body)]
    ends: list[LineEnd | None] = []
    position = 0
    for (first, last), (following, _) in pairwise([*gaps, (len(body), len(body))]):
        is_single = body.find("\n", first + 1, last) < 0
        ends.append(read_end(body[position:first], body[last:following]) if is_single else None)
        position = last
    width = find_width([end for end in ends if end])
    return [gap for gap, end in zip(gaps, ends, strict=True) if not (end and continues(end, width))]


def _mask(text: str, drops: list[Span], spaces: list[int]) -> str:
    """Replace `drops` by NUL and the characters at `spaces` by a space; line breaks and the length stay."""
    if not drops and not spaces:
        return text
    pieces: list[str] = []
    position = 0
    for begin, end in sorted(drops + [(s, s + 1) for s in spaces]):
        if end <= position:
            continue
        pieces.append(text[position : max(begin, position)])
        gone = text[max(begin, position) : end]
        if gone == "\n":
            pieces.append(" ")
        else:
            pieces.append("\n".join("\0" * len(part) for part in gone.split("\n")))
        position = end
    pieces.append(text[position:])
    return "".join(pieces)
