"""The paper's figures, ours, and why they differ."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from importlib import resources
from typing import Any

from steelyard.render.table import Column, Table
from steelyard.report.studies.words import plain, signed

UNDEFINED = "undefined"


def beside_the_paper(result_of: Callable[[str], Any]) -> Table:
    """`result_of` gives a stage's result, or None where there is none."""
    text = resources.files("steelyard.study").joinpath("paper.toml").read_text("utf-8")
    rows = []
    for figure in tomllib.loads(text)["figure"]:
        show = signed if figure.get("signed") else plain
        values = [at(result_of, address) for address in figure["here"]]
        ours = ", ".join(UNDEFINED if v is None else show(v, figure["digits"]) for v in values)
        rows.append([figure["name"], figure["paper"], ours, figure.get("why", "")])
    columns = [Column("figure"), Column("paper", right=True), Column("here", right=True), Column("why they differ")]
    return Table(columns, rows)


def at(result_of: Callable[[str], Any], address: str) -> float | None:
    """The value at `stage#/json/pointer`; None where the study is undefined there."""
    name, _, pointer = address.partition("#/")
    value: Any = result_of(name)
    for part in pointer.split("/"):
        if isinstance(value, list) and part.isdecimal() and int(part) < len(value):
            value = value[int(part)]
        else:
            value = value.get(part) if isinstance(value, dict) else None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
