"""Tables of values for terminals, Markdown, CSV and HTML, and bars for terminals."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from steelyard.support import escape

_EIGHTHS = " ▏▎▍▌▋▊▉"


def draw_bar(value: float, columns: int = 20) -> str:
    """Return a value in [0, 100] as a bar of so many characters, filled in eighths, the rest dotted."""
    full, rest = divmod(round(max(0.0, min(100.0, value)) / 100 * columns * 8), 8)
    filled = "█" * full + (_EIGHTHS[rest] if rest else "")
    return filled.ljust(columns, "·")


@dataclass(frozen=True, slots=True)
class Column:
    """A heading, and how its values are printed for people; CSV gets them unrounded.

    `form` is a format specification for numbers. `keep` says which end of a text that is too long stays visible. With
    `code` a value of ours is set as code in Markdown.
    """

    name: str
    form: str = ""
    right: bool = False
    width: int | None = None
    keep: str = "start"
    code: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under columns; `None` is printed as a dash."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Any]] = field(default_factory=list)

    def texts(self) -> list[list[str]]:
        """Return the rows as people see them."""
        return [[_format(v, c) for v, c in zip(row, self.columns, strict=True)] for row in self.rows]

    def to_terminal(self) -> list[str]:
        """Return lines of fixed columns under a line of headings."""
        cells = [[c.name for c in self.columns], *self.texts()]
        widths = [
            column.width or max(escape.width(escape.make_visible(row[i])) for row in cells)
            for i, column in enumerate(self.columns)
        ]
        lines = []
        for row in cells:
            parts = []
            for text, column, width in zip(row, self.columns, widths, strict=True):
                fitted = escape.fit(text, width, keep=column.keep)
                parts.append(fitted.rstrip().rjust(width) if column.right else fitted)
            lines.append("  ".join(parts).rstrip())
        return lines

    def to_markdown(self) -> str:
        heads = [c.name for c in self.columns]
        rule = "|" + "|".join(" ---: " if c.right else " --- " for c in self.columns) + "|"
        cells = [[_to_markdown(text, c) for text, c in zip(row, self.columns, strict=True)] for row in self.texts()]
        lines = ["| " + " | ".join(row) + " |" for row in [list(map(escape.markdown, heads)), *cells]]
        return "\n".join([lines[0], rule, *lines[1:]]) + "\n"

    def to_csv(self) -> str:
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow([c.name for c in self.columns])
        writer.writerows([[escape.csv_cell(v) for v in row] for row in self.rows])
        return out.getvalue()

    def to_html(self) -> str:
        head = self._html_cells("th", [c.name for c in self.columns])
        body = "".join(f"<tr>{self._html_cells('td', row)}</tr>\n" for row in self.texts())
        return f"<table><thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody></table>\n"

    def _html_cells(self, tag: str, texts: Sequence[str]) -> str:
        opening = [f'{tag} class="n"' if column.right else tag for column in self.columns]
        return "".join(f"<{o}>{escape.html(text)}</{tag}>" for o, text in zip(opening, texts, strict=True))


def _to_markdown(text: str, column: Column) -> str:
    return "`" + text.replace("|", "\\|") + "`" if column.code else escape.markdown(text)


def _format(value: Any, column: Column) -> str:
    if value is None:
        return "–"
    return format(value, column.form) if isinstance(value, int | float) else str(value)
