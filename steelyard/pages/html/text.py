"""The text of a page as a reader sees it, with its evidence marked."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.pages.html.blocks import Block, find_blocks
from steelyard.pages.html.marks import Marks
from steelyard.pages.html.parts import render_fold
from steelyard.pipeline import PageResult
from steelyard.support import escape
from steelyard.support.formatting import format_count
from steelyard.text.lines import Span
from steelyard.text.source import Source

MAX_COLUMNS = 8  # of a table that is shown as one; the cells of a larger one are below each other
MAX_ON_A_PHONE = 3  # the same for a narrow window
LAST_HEADING = 6


def render_text(
    result: PageResult, longest: int, *, only_evidence: bool, prefix: str = "", level: int = 5
) -> tuple[str, str]:
    """Return the legend of a page's marks, and its text.

    Args:
        result: The page, with its text.
        longest: The number of characters shown.
        only_evidence: Whether blocks without evidence are folded, which keeps a report of many pages short.
        prefix: How the ids of places in the text begin; without one suggestions are not marked, and there is no id.
        level: Of the text's own top headings.
    """
    source = Source(result.text or "")
    view = source.structure.view
    marks = Marks(result, source, prefix)
    renderer = _BlockRenderer(view.text, marks, longest, prefix, level)
    parts = list(_select(renderer, find_blocks(source), only_evidence=only_evidence))
    if len(view.text) > longest:
        parts.append(_note(f"the rest of {len(view.text):,} characters is not shown"))
    if marks.unseen:
        about = "in front matter or in the address of a link"
        parts.append(_note(f"{format_count(marks.unseen, 'piece')} of evidence not visible in the text, {about}"))
    return marks.render_legend(), f'<div class="text" lang="{escape.html(result.page.language)}">{"".join(parts)}</div>'


def heading_place(prefix: str, number: int) -> str:
    """Return the id of a heading of the text, of which those with words are counted from 1."""
    return f"{prefix}-h{number}"


def _note(text: str) -> str:
    return f'<p class="note" lang="en">{escape.html(text)}</p>'


def _select(renderer: _BlockRenderer, blocks: list[Block], *, only_evidence: bool) -> Iterator[str]:
    """Yield the blocks up to the limit, and fold what has no evidence."""
    skipped: list[str] = []
    for block in blocks:
        if block.span[0] >= renderer.longest:
            break
        if only_evidence and not renderer.marks.touch(block.span):
            skipped.append(renderer.render(block))
            continue
        yield from _fold(skipped)
        skipped = []
        yield renderer.render(block)
    yield from _fold(skipped)


def _fold(blocks: list[str]) -> Iterator[str]:
    """Yield blocks without evidence, folded away; nothing for none."""
    if blocks:
        yield render_fold(f"{format_count(len(blocks), 'block')} without evidence", "".join(blocks))


class _BlockRenderer:
    """Writes the blocks of one page."""

    def __init__(self, text: str, marks: Marks, longest: int, prefix: str, level: int) -> None:
        self.text = text
        self.marks = marks
        self.longest = longest
        self._prefix = prefix
        self._level = level
        self._top: int | None = None  # the level of the first heading

    def render(self, block: Block) -> str:
        match block.kind:
            case "heading":
                return self._render_heading(block)
            case "code":
                return f"<pre><code>{self._words(block.span)}</code></pre>"
            case "quote":
                return f"<blockquote><p>{self._words(block.span)}</p></blockquote>"
            case "list" if block.items:
                return self._render_list(block)
            case "table" if block.rows:
                return self._render_table(block)
        return f"<p>{self._words(block.span)}</p>"

    def _words(self, span: Span) -> str:
        """Return the HTML of a span without the white space at its ends, up to the limit."""
        start, end = span[0], min(span[1], self.longest)
        piece = self.text[start:end]
        first = start + len(piece) - len(piece.lstrip())
        return self.marks.render(self.text, (first, first + len(piece.strip())))

    def _render_heading(self, block: Block) -> str:
        self._top = block.level if self._top is None else min(self._top, block.level)
        tag = f"h{min(LAST_HEADING, self._level + (block.level != self._top))}"
        place = f' id="{heading_place(self._prefix, block.number)}"' if self._prefix else ""
        return f"<{tag}{place}>{self._words(block.span)}</{tag}>"

    def _render_list(self, block: Block) -> str:
        tag = "ol" if block.items[0].number else "ul"
        items = []
        for item in block.items:
            if item.span[0] >= self.longest:
                break
            number = f' value="{int(item.number)}"' if item.number and tag == "ol" else ""
            names = [f"d{item.depth}"] if item.depth else []
            names += ["bullet"] if tag == "ol" and not item.number else []
            look = f' class="{" ".join(names)}"' if names else ""
            items.append(f"<li{look}{number}>{self._words(item.span)}</li>")
        return f"<{tag}>{''.join(items)}</{tag}>" if items else ""

    def _render_table(self, block: Block) -> str:
        rows = []
        for number, row in enumerate(block.rows):
            if row[0][0] >= self.longest:
                break
            is_head = number == 0 and block.has_head
            rows.append("<tr>" + "".join(_render_cell(self._words(cell), is_head=is_head) for cell in row) + "</tr>")
        columns = max(map(len, block.rows))
        size = "large" if columns > MAX_COLUMNS else "medium" if columns > MAX_ON_A_PHONE else "small"
        return f'<table class="{size}">{"".join(rows)}</table>' if rows else ""


def _render_cell(words: str, *, is_head: bool) -> str:
    # An empty head names no column.
    return f'<th scope="col">{words}</th>' if is_head and words else f"<td>{words}</td>"
