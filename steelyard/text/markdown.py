"""Markdown structure: headings, paragraphs, blocks and links, and the reading view without the marks.

Two passes, both linear: one over the lines (`lines`), which finds structure and the marks that make it, and one over
the text (`inline`), which takes inline marks away. Everything is kept as offsets.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from steelyard.text.hidden import hidden_spans
from steelyard.text.inline import CODE_SPAN, UNSEEN, copy_inline, keep, referred
from steelyard.text.lines import Heading, Lines, Link, Span
from steelyard.text.view import View, ViewBuilder

# A text without any of these is its own reading view: first by characters, which costs next to nothing,
# then at the starts of lines.
_MARKS = "`*_[<|~\0\r\\&"
_LINE_MARK = re.compile(
    r"[ \t]*(?: \#{1,6}[ \t] | [-+•][ \t] | [0-9]{1,9}[.)][ \t] | > | =+[ \t]*(?:\n|$) | -[ \t-]*(?:\n|$) )",
    re.VERBOSE,
)
_BLANK = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")


@dataclass(frozen=True, slots=True)
class Structure:
    """The reading view and what it is made of; spans are offsets into the view, links into the source."""

    view: View
    headings: tuple[Heading, ...]
    paragraphs: tuple[Span, ...]
    blocks: tuple[Span, ...]
    links: tuple[Link, ...]
    hidden: tuple[Span, ...]


def parse(text: str, start: int = 0) -> Structure:
    """The structure of `text` from `start` on (what stands before is front matter)."""
    if not _marked_up(text, start):
        return _plain(text, start)
    lines = Lines()
    lines.read(text, start)
    code = _outermost(lines.fences + [m.span() for m in CODE_SPAN.finditer(text, start)])
    hidden = hidden_spans(text, start, code)
    if hidden:  # what is hidden can hold lines that look like structure: read again without it
        lines = Lines()
        lines.read(_masked(text, hidden, []), start)
    masked = _masked(text, hidden + lines.marks, lines.soft)
    builder = ViewBuilder(masked)
    links = referred(masked, start, lines.definitions)
    position = start
    for begin, end in [*lines.fences, (len(text), len(text))]:
        copy_inline(masked, (position, begin), builder, links)
        keep(masked, begin, end, builder)
        position = end
    view = builder.view()
    place = _Placer(view)
    return Structure(
        view=view,
        headings=tuple(Heading(h.level, *place(h.start, h.end)) for h in lines.headings),
        paragraphs=tuple(place(*p) for p in lines.paragraphs),
        blocks=tuple(place(*b) for b in lines.blocks),
        links=tuple(links),
        hidden=tuple(hidden),
    )


def _outermost(spans: list[Span]) -> list[Span]:
    """The spans that lie in no other, sorted; where two overlap, the first."""
    kept: list[Span] = []
    for span in sorted(spans):
        if not kept or span[0] >= kept[-1][1]:
            kept.append(span)
    return kept


def _marked_up(text: str, start: int) -> bool:
    if UNSEEN.search(text, start):
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


def _plain(text: str, start: int) -> Structure:
    """The structure of a text without marks: blocks between blank lines, soft line breaks shown as spaces."""
    body = text[start:] if start else text
    spans: list[Span] = []
    shown: list[str] = []
    position = 0
    for gap in [*_BLANK.finditer(body), None]:
        end = gap.start() if gap else max(position, len(body.rstrip("\n")))
        block = body[position:end]
        if block.strip():
            spans.append((position, end))
        first = len(block) - len(block.lstrip("\n"))  # a line break before the first word is no soft one
        shown += [block[:first], block[first:].replace("\n", " "), gap[0] if gap else body[end:]]
        position = gap.end() if gap else end
    return Structure(View("".join(shown), [0], [start]), (), tuple(spans), tuple(spans), (), ())


def _masked(text: str, drops: list[Span], spaces: list[int]) -> str:
    """The text, of the same length, with `drops` blanked to NUL and `spaces` turned into spaces; line breaks stay."""
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


class _Placer:
    """Turns spans of the source into spans of the view."""

    def __init__(self, view: View) -> None:
        self._view = view

    def __call__(self, start: int, end: int) -> Span:
        return self._view.view_offset(start), self._view.view_offset(end)
