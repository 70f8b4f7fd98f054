"""A table of values with one meaning and four looks."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from steelyard.support import escape


@dataclass(frozen=True, slots=True)
class Column:
    """A heading, and how its values are printed for people; CSV gets them unrounded."""

    name: str
    form: str = ""
    right: bool = False
    width: int | None = None
    keep: str = "start"


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under columns; `None` is printed as a dash."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Any]] = field(default_factory=list)

    def texts(self) -> list[list[str]]:
        return [[_text(v, c) for v, c in zip(row, self.columns, strict=True)] for row in self.rows]

    def to_terminal(self) -> list[str]:
        """Lines of fixed columns under a line of headings."""
        cells = [[c.name for c in self.columns], *self.texts()]
        widths = [
            c.width or max(escape.width(escape.visible(row[i])) for row in cells) for i, c in enumerate(self.columns)
        ]
        lines = []
        for row in cells:
            parts = []
            for text, column, columns in zip(row, self.columns, widths, strict=True):
                fitted = escape.fit(text, columns, keep=column.keep)
                parts.append(fitted.rstrip().rjust(columns) if column.right else fitted)
            lines.append("  ".join(parts).rstrip())
        return lines

    def to_markdown(self) -> str:
        head = "| " + " | ".join(escape.markdown(c.name) for c in self.columns) + " |"
        rule = "|" + "|".join(" ---: " if c.right else " --- " for c in self.columns) + "|"
        body = ["| " + " | ".join(escape.markdown(t) for t in row) + " |" for row in self.texts()]
        return "\n".join([head, rule, *body]) + "\n"

    def to_csv(self) -> str:
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow([c.name for c in self.columns])
        writer.writerows([[escape.csv_cell(v) for v in row] for row in self.rows])
        return out.getvalue()

    def to_html(self) -> str:
        head = "".join(f"<th{_side(c)}>{escape.html(c.name)}</th>" for c in self.columns)
        body = "".join(
            "<tr>"
            + "".join(f"<td{_side(c)}>{escape.html(t)}</td>" for t, c in zip(row, self.columns, strict=True))
            + "</tr>\n"
            for row in self.texts()
        )
        return f"<table><thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody></table>\n"


def _side(column: Column) -> str:
    return ' class="n"' if column.right else ""


def _text(value: Any, column: Column) -> str:
    if value is None:
        return "–"
    return format(value, column.form) if isinstance(value, int | float) else str(value)
