"""What a study presents: the verdict in words, tables and plots, made from its result alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from steelyard.support import escape, formatting
from steelyard.support.formatting import MINUS
from steelyard.support.plots.plot import Plot, Series
from steelyard.support.table import Column, Table

# The short names by which studies print their figures.
plain, signed, format_interval = formatting.format_number, formatting.format_signed, formatting.format_interval


def format_p(p: float | None) -> str:
    """Return a p-value; one that would be printed as zero is printed as less than the last digit."""
    return "< 0.001" if p is not None and p < 0.001 else plain(p, 3)


def state_p(p: float) -> str:
    """Return `p = 0.020` or `p < 0.001`."""
    return f"p {format_p(p)}" if p < 0.001 else f"p = {format_p(p)}"


def format_percent(share: float | None) -> str:
    """Return a share in per cent with one decimal, without the sign."""
    return plain(None if share is None else 100 * share, 1)


def in_words(key: str) -> str:
    """Return the name of an edit or a component without underscores."""
    return key.replace("_", " ")


def format_value(value: Any, form: str) -> str:
    """Return a value of a result as people read it: numbers by a format specification, or `p` for a p-value.

    Two numbers are an interval, `a to b`; other lists are separated by commas, and what there is not is a dash.
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return f"{value:,}".replace("-", MINUS)
    if isinstance(value, float):
        text = format_p(value) if form == "p" else f"{value:{form}}".replace("-", MINUS)
        return text if any(c in "123456789" for c in text) else text.lstrip(f"+{MINUS}")
    if not isinstance(value, list) or not value or None in value:
        return "–"
    is_interval = len(value) == 2 and not isinstance(value[0], str)
    return (" to " if is_interval else ", ").join(format_value(v, form) for v in value)


# What the halves of the pages mean, wherever a figure of the test half is given.
HELD_OUT = (
    "Held out from the fit of the weights, and from nothing else: patterns, limits and the quotation block were made "
    "with all pages in view."
)

# How the values of a column are printed, at the end of its heading.
_FORMAT = re.compile(r" (?:(?P<kind>>|p|\+|to|)(?:\.(?P<digits>[0-9]))?|<(?P<width>[0-9]+))$")
_PRINTED: Mapping[str, Callable[..., str]] = {"": plain, "+": signed, "to": format_interval}


@dataclass(frozen=True, slots=True)
class Titled:
    """A table under its heading, with the sentence that says how to read it.

    A main table is printed in the report itself, every other one only in the appendix of its study. `sample` says what
    its figures were measured on and what its intervals resample.
    """

    title: str
    table: Table
    note: str = ""
    is_main: bool = False
    sample: str = ""

    def to_markdown(self) -> str:
        """Return the table with its heading, its note and its sample."""
        note = f"\n{self.note}\n" if self.note else ""
        sample = f"\nSample: {escape.prose(self.sample)}.\n" if self.sample else ""
        return f"**{self.title}**\n\n{self.table.to_markdown()}{note}{sample}"


def make_table(
    title: str,
    columns: str | Sequence[str],
    rows: Sequence[Sequence[Any]],
    note: str = "",
    *,
    is_main: bool = False,
) -> Titled:
    """Make a table from headings, each of which may end in the format of its values.

    `Pearson .3` prints three decimals, `gain +.1` also a plus sign, `interval to.2` an interval, `p p` a p-value, and
    `n >` aligns values to the right as they are. `engine <20` shows only the end of a name that is longer than 20
    columns of a terminal. A value that is a string already is printed as it is.

    Args:
        columns: The headings; as one string they are separated by ` | `.
    """
    heads, formats = [], []
    for head in columns.split(" | ") if isinstance(columns, str) else columns:
        format_ = _FORMAT.search(head)
        width = int(format_["width"]) if format_ and format_["width"] else None
        name = head[: format_.start()] if format_ else head
        heads.append(Column(name, right=format_ is not None and width is None, width=width, keep="end"))
        formats.append(format_)
    cells = [[_print(value, f) for value, f in zip(row, formats, strict=True)] for row in rows]
    return Titled(title, Table(heads, cells), note, is_main)


def _print(value: Any, format_: re.Match[str] | None) -> Any:
    if format_ is None or format_["kind"] in (None, ">") or isinstance(value, str):
        return value
    return format_p(value) if format_["kind"] == "p" else _PRINTED[format_["kind"]](value, int(format_["digits"]))


@dataclass(frozen=True, slots=True)
class Findings:
    """The findings of one study."""

    lines: Sequence[str]  # the verdict in plain words, printed first
    tables: Sequence[Titled] = ()
    plots: Mapping[str, Plot] = field(default_factory=dict)
    main_lines: Sequence[str] | None = None  # those that the report prints beside the appendix; None: all

    def list_main_lines(self) -> Sequence[str]:
        """Return the sentences that the report itself prints."""
        return self.lines if self.main_lines is None else self.main_lines

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


def make_bars(
    name: str,
    labels: Sequence[str],
    estimates: Sequence[Mapping[str, Any]],
    *,
    figure: str = "mean",
    filled: Sequence[bool] | None = None,
    open_label: str = "",
) -> Series:
    """Make bars with their intervals, one for each estimate; what an estimate lacks is not drawn.

    Args:
        figure: The key of the estimates' value; their interval is under `interval`.
    """
    ends = [estimate.get("interval") or (None, None) for estimate in estimates]
    low, high = ([end[i] for end in ends] for i in (0, 1))
    values = [estimate.get(figure) for estimate in estimates]
    return Series(name, values, labels, low, high, filled, style="bars", open_label=open_label)
