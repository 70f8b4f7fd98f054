"""The blocks of a page as a reader sees them: headings, paragraphs, lists, tables and code, as spans of its view."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from steelyard.text.lines import LineParser, Span
from steelyard.text.source import Source

MAX_DEPTH = 3  # levels of a list that are indented

_FENCE = re.compile(r"[ \t>]*(?:`{3}|~{3})")
_ITEM = re.compile(r"([ \t]*)(?:[-*+•]|([0-9]{1,9})[.)])[ \t]+")
_QUOTE = re.compile(r"[ \t]{0,3}>")
_PIPE = re.compile(r"\|")
_RULE = frozenset("|:- \t\r")


@dataclass(frozen=True, slots=True)
class Item:
    """An item of a list: its words, its depth, and its number in a numbered list."""

    span: Span
    depth: int = 0
    number: str = ""


@dataclass(slots=True)
class Block:
    """A block: `heading`, `paragraph`, `quote`, `code`, `list` or `table`; the last two have `items` or `rows`."""

    kind: str
    span: Span
    level: int = 0
    items: list[Item] = field(default_factory=list)
    rows: list[list[Span]] = field(default_factory=list)
    has_head: bool = False  # whether the first row of a table is its head
    number: int = 0  # of a heading with words, from 1


def find_blocks(source: Source) -> list[Block]:
    """Return the blocks that hold text, in order. Linear in the length of the source."""
    text, view = source.text, source.structure.view
    lines = LineParser(_blank(text, source.structure.hidden), source.start)
    blocks = [Block("heading", (h.start, h.end), h.level) for h in lines.headings]
    blocks += [Block("code", span) for span in lines.fences if _FENCE.match(text, span[0])]
    blocks += [
        Block("quote" if _QUOTE.match(text, start) else "paragraph", (start, end)) for start, end in lines.paragraphs
    ]
    blocks.sort(key=lambda block: block.span)
    blocks += _find_lists_and_tables(text, lines.blocks, [block.span for block in blocks])
    blocks.sort(key=lambda block: block.span)
    shown = (_to_view(block, source) for block in blocks)
    found = [block for block in shown if view.text[block.span[0] : block.span[1]].strip()]
    for number, block in enumerate((block for block in found if block.kind == "heading"), start=1):
        block.number = number
    return found


def _blank(text: str, hidden: Sequence[Span]) -> str:
    """Replace what no reader sees by spaces; line breaks and the length stay."""
    pieces, position = [], 0
    for start, end in hidden:
        pieces += [text[position:start], re.sub(r"[^\n]", " ", text[start:end])]
        position = end
    return "".join([*pieces, text[position:]])


def _find_lists_and_tables(text: str, blocks: Sequence[Span], others: Sequence[Span]) -> Iterator[Block]:
    """Yield the lists and tables: the lines of a block that no paragraph or code covers."""
    number = 0
    for start, end in blocks:
        position = start
        while number < len(others) and others[number][0] < end:
            if others[number][0] >= start:
                yield from _read_lines(text, position, others[number][0])
                position = max(position, others[number][1])
            number += 1
        yield from _read_lines(text, position, end)


def _read_lines(text: str, start: int, end: int) -> Iterator[Block]:
    current: Block | None = None
    position = start
    while position < end:
        stop = text.find("\n", position, end)
        stop = end if stop < 0 else stop
        line = text[position:stop]
        if line.strip():
            kind, mark = _classify(line, current)
            if current is None or current.kind != kind:
                if current is not None:
                    yield current
                current = Block(kind, (position, stop))
            _add_line(current, line, position, mark)
        position = stop + 1
    if current is not None:
        yield current


def _classify(line: str, current: Block | None) -> tuple[str, re.Match[str] | None]:
    mark = _ITEM.match(line)
    if mark is not None:
        return "list", mark
    if line.lstrip().startswith("|") or (current is not None and current.kind == "table" and "|" in line):
        return "table", None
    if current is not None and current.kind == "list" and line[0] in " \t":
        return "list", None  # a continuation of the item above
    # Without a rule of its own yet, a line with pipes is the head of the table below it.
    return ("table" if "|" in line else "paragraph"), None


def _add_line(block: Block, line: str, start: int, mark: re.Match[str] | None) -> None:
    end = start + len(line)
    block.span = (block.span[0], end)
    if block.kind == "table":
        if _RULE.issuperset(line):
            block.has_head = block.has_head or len(block.rows) == 1
        else:
            block.rows.append(_split_row(line, start))
    elif mark is not None:
        depth = min(MAX_DEPTH, len(mark[1].expandtabs(4)) // 2)
        block.items.append(Item((start + mark.end(), end), depth, mark[2] or ""))
    elif block.items:
        last = block.items[-1]
        block.items[-1] = Item((last.span[0], end), last.depth, last.number)


def _split_row(line: str, start: int) -> list[Span]:
    edges = [-1, *(pipe.start() for pipe in _PIPE.finditer(line)), len(line)]
    cells = [(start + a + 1, start + b) for a, b in pairwise(edges)]
    first = 1 if not line[: edges[1]].strip() else 0
    last = len(cells) - 1 if not line[edges[-2] + 1 :].strip() else len(cells)
    return cells[first:last] or cells


def _to_view(block: Block, source: Source) -> Block:
    """Return the block with spans of the view."""

    items = [Item(source.to_view(*item.span), item.depth, item.number) for item in block.items]
    rows = [[source.to_view(*cell) for cell in row] for row in block.rows]
    return Block(block.kind, source.to_view(*block.span), block.level, items, rows, block.has_head)
