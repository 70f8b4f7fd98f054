"""What a study presents: the verdict in words, tables and plots, made from its result alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from steelyard.lab.study.formatting import format_interval, format_p, plain, signed
from steelyard.support import escape
from steelyard.support.plots.plot import Plot
from steelyard.support.table import Column, Table

# How the values of a column are printed, at the end of its heading.
_FORMAT = re.compile(r" (?:(?P<kind>>|p|\+|to|)(?:\.(?P<digits>[0-9]))?|<(?P<width>[0-9]+))$")
_PRINTED: Mapping[str, Callable[..., str]] = {"": plain, "+": signed, "to": format_interval}


@dataclass(frozen=True, slots=True)
class Titled:
    """A table under its heading, with the sentence that says how to read it."""

    title: str
    table: Table
    note: str = ""

    def to_markdown(self) -> str:
        """Return the table with its heading and its note."""
        note = f"\n{self.note}\n" if self.note else ""
        return f"**{self.title}**\n\n{self.table.to_markdown()}{note}"


def make_table(title: str, columns: str | Sequence[str], rows: Sequence[Sequence[Any]], note: str = "") -> Titled:
    """Make a table from headings, each of which may end in the format of its values.

    `Pearson .3` prints three decimals, `gain +.1` also a plus sign, `interval to.2` an interval, `p p` a p-value, and
    `n >` aligns values to the right as they are. `engine <20` shows only the end of a name that is longer than 20
    columns of a terminal. A value that is a string already is printed as it is.

    Args:
        columns: The headings; as one string they are separated by ` | `.
    """
    heads, formats = [], []
    for head in columns.split(" | ") if isinstance(columns, str) else columns:
        found = _FORMAT.search(head)
        width = int(found["width"]) if found and found["width"] else None
        name = head[: found.start()] if found else head
        heads.append(Column(name, right=found is not None and width is None, width=width, keep="end"))
        formats.append(found)
    cells = [[_print(value, f) for value, f in zip(row, formats, strict=True)] for row in rows]
    return Titled(title, Table(heads, cells), note)


def _print(value: Any, found: re.Match[str] | None) -> Any:
    if found is None or found["kind"] in (None, ">") or isinstance(value, str):
        return value
    return format_p(value) if found["kind"] == "p" else _PRINTED[found["kind"]](value, int(found["digits"]))


@dataclass(frozen=True, slots=True)
class Findings:
    """The findings of one study; `complaint` makes its command exit 1."""

    lines: Sequence[str]  # the verdict in plain words, printed first
    tables: Sequence[Titled] = ()
    plots: Mapping[str, Plot] = field(default_factory=dict)
    complaint: bool = False

    def to_terminal(self) -> str:
        """Return the verdict, then the tables."""
        lines = [escape.make_visible(line) for line in self.lines]
        for titled in self.tables:
            lines += ["", titled.title, *titled.table.to_terminal(), *([titled.note] if titled.note else [])]
        return "\n".join(lines) + "\n"

    def to_markdown(self) -> str:
        """Return the verdict as a list, then the tables."""
        verdict = ["\n".join(f"- {escape.prose(line)}" for line in self.lines)] if self.lines else []
        return "\n\n".join([*verdict, *(titled.to_markdown().rstrip() for titled in self.tables)]) + "\n"
