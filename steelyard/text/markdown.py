"""Markdown structure: headings, paragraphs, blocks and links, and the reading view without the marks.

Two passes, both linear: one over the lines (`lines`), which finds structure and the marks that make it, and one over
the text (`inline`), which removes inline marks. Every result is a span of offsets.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from steelyard.text.inline import CODE_SPAN, INVISIBLE, copy_inline, copy_visible, find_used
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
_LINE_END = re.compile(r"\n+")
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
    """Parse `text` from `start` on; front matter is before it. With `by_lines` every line of text is a paragraph."""
    if not _has_marks(text, start):
        return _parse_plain(text, start, _LINE_END if by_lines else _BLANK)
    lines = LineParser(text, start, by_lines=by_lines)
    code = _drop_overlaps(lines.fences + [m.span() for m in CODE_SPAN.finditer(text, start)])
    hidden = find_hidden(text, start, code)
    if hidden:  # what is hidden can hold lines that look like structure: read again without it
        lines = LineParser(_mask(text, hidden, []), start, by_lines=by_lines)
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


def _parse_plain(text: str, start: int, gap_between: re.Pattern[str]) -> Structure:
    """Parse a text without marks: blocks between gaps, line breaks inside of them shown as spaces."""
    body = text[start:] if start else text
    spans: list[Span] = []
    shown: list[str] = []
    position = 0
    for gap in [*gap_between.finditer(body), None]:
        end = gap.start() if gap else max(position, len(body.rstrip("\n")))
        block = body[position:end]
        if block.strip():
            spans.append((position, end))
        first = len(block) - len(block.lstrip("\n"))  # a line break before the first word is kept
        shown += [block[:first], block[first:].replace("\n", " "), gap[0] if gap else body[end:]]
        position = gap.end() if gap else end
    return Structure(View("".join(shown), [0], [start]), (), tuple(spans), tuple(spans), (), ())


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
