"""How many cells the extractor makes of a page's tables: it adds some for spans and pads short rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.html import HtmlElement

# trafilatura takes a larger colspan or rowspan, and a wider table, for this.
_MAX_SPAN = 100


def count_cells(tree: HtmlElement) -> int:
    """Return how many cells the page's tables have, at most, when spans are expanded and rows filled."""
    cells = 0
    rows: dict[HtmlElement | None, int] = {}
    widths: dict[HtmlElement | None, int] = {}
    for row in tree.iter("tr", "caption"):
        table = next(row.iterancestors("table"), None)
        width = sum(_read_span(cell, "colspan") for cell in row.iterchildren("td", "th"))
        cells += max(0, width - _MAX_SPAN)  # a row is filled up to that width, and never cut
        rows[table] = rows.get(table, 0) + 1
        widths[table] = max(widths.get(table, 0), min(width, _MAX_SPAN))
    for cell in tree.iter("td", "th"):
        rows_below = _read_span(cell, "rowspan") - (cell.getparent().tag == "tr")
        cells += max(0, rows_below) * _read_span(cell, "colspan")
    return cells + sum(count * widths[table] for table, count in rows.items())


def _read_span(cell: HtmlElement, name: str) -> int:
    value = cell.get(name, "1")
    if not value.isdecimal():
        return 1
    return _MAX_SPAN if len(value) > 4 else min(int(value), _MAX_SPAN)
