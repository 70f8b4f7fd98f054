"""Small pieces of markup that every part of the report uses."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.support import escape

# A class for each whole percent, since the policy of the file forbids style attributes.
BAR_RULES = "".join(f".w{n}{{--v:{n}%}}" for n in range(101))


class Cell(str):
    """The HTML of a cell with a number, and how much of the bar behind it is filled."""

    __slots__ = ("percent",)
    percent: float

    def __new__(cls, html: str, percent: float) -> Cell:
        cell = super().__new__(cls, html)
        cell.percent = percent
        return cell


def describe_bar(percent: float) -> str:
    """Return the class of a cell with a bar; the number in the cell says the same."""
    return f"n bar w{round(max(0.0, min(100.0, percent)))}"


def render_table(
    name: str, caption: str, heads: Sequence[str], rows: Sequence[Sequence[str]], numbers: str = ""
) -> str:
    """Return a table of cells that are HTML already.

    Args:
        name: Its class.
        caption: What it shows; empty below a heading that says it.
        heads: The names of its columns.
        rows: The cells.
        numbers: The columns that hold numbers, by index: "234".
    """
    right = {int(n) for n in numbers}
    head = "".join(
        f'<th scope="col"{_describe(h, is_number=i in right)}>{escape.html(h)}</th>' for i, h in enumerate(heads)
    )
    body = "\n".join(
        "<tr>" + "".join(f"<td{_describe(c, is_number=i in right)}>{c}</td>" for i, c in enumerate(row)) + "</tr>"
        for row in rows
    )
    above = f"<caption>{escape.html(caption)}</caption>" if caption else ""
    return f'<table class="{name}">{above}<thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table>'


def render_fold(summary: str, inside: str) -> str:
    """Return HTML that is folded away until its summary, a text, is clicked."""
    return f'<details class="fold"><summary>{escape.html(summary)}</summary>{inside}</details>'


def _describe(cell: str, *, is_number: bool) -> str:
    if isinstance(cell, Cell):
        return f' class="{describe_bar(cell.percent)}"'
    return ' class="n"' if is_number else ""
