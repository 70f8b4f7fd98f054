"""What a study hands over: a result for machines, tables and plots for people, and what it comes to in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from steelyard.support.plots.picture import Picture
from steelyard.support.table import Table


@dataclass(frozen=True, slots=True)
class Titled:
    """A table under its heading, with the sentence that says how to read it."""

    title: str
    table: Table
    note: str = ""


@dataclass(frozen=True, slots=True)
class Findings:
    """The outcome of one study; `name` is that of its artifact and of its command."""

    name: str
    result: Mapping[str, Any]
    tables: Sequence[Titled] = ()
    plots: Mapping[str, Picture] = field(default_factory=dict)
    lines: Sequence[str] = ()  # the plain verdict, printed first
    found: bool = False  # whether there is something to complain of: exit 1
