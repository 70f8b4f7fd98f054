"""The paper's figures next to ours, with the reason why they differ."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

from steelyard.lab.study.findings import Titled, make_table
from steelyard.lab.study.formatting import plain, signed

UNDEFINED = "undefined"
WHY = "why they differ on our web pages"  # reasons are ours, and for the study in docs/study
LABELS = {"ranking": "embedded reference"}  # of the rankers' sections whose names do not say it
_FORMAT = {"digits": 3, "signed": False, "scale": 1}  # how a figure is printed, unless its table says otherwise
ResultOf = Callable[[str], Any]  # a section's result, or None where there is none


@cache
def paper() -> dict[str, Any]:
    """Return what the paper prints, with the addresses of ours."""
    return tomllib.loads(resources.files("steelyard.lab.study").joinpath("paper.toml").read_text("utf-8"))


def compare_figures(result_of: ResultOf) -> Titled:
    """Compare single figures, one a row, with the reason for a difference."""
    return _figures("Single figures", [(figure["name"], figure) for figure in paper()["figure"]], result_of)


def compare_headlines(result_of: ResultOf) -> Titled:
    """Compare the most telling figures, in words for those who have not read the paper."""
    return _figures(
        "The paper and this study", [(f["headline"], f) for f in paper()["figure"] if "headline" in f], result_of
    )


def _figures(title: str, named: Sequence[tuple[str, Mapping[str, Any]]], result_of: ResultOf) -> Titled:
    rows = []
    for name, f in named:
        values = [look_up(result_of, address) for address in f["here"]]
        why = "" if None in values else f.get("why", "")
        rows.append([name, f["paper"], ", ".join(_ours(v, f) for v in values), why])
    return make_table(title, ["figure", "paper >", "here >", WHY], rows)


def list_tables(result_of: ResultOf, ranked: Sequence[str]) -> list[Titled]:
    """Compare figures and tables cell by cell, the paper's in brackets; `ranked` are the sections of rankers."""
    found = [compare_figures(result_of)]
    for table in paper()["table"]:
        styles = [
            {
                key: value[i] if isinstance(value := table.get(key, usual), list) else value
                for key, usual in _FORMAT.items()
            }
            for i in range(len(table["columns"]))
        ]
        rows = [
            [row["name"], *(_cell(result_of, *cell) for cell in zip(row["here"], row["paper"], styles, strict=True))]
            for row in table["row"]
        ]
        columns = [table["head"], *(f"{c} >" for c in table["columns"])]
        found.append(make_table(table["title"], columns, rows, table["note"]))
    return [*found, *compare_rankers(result_of, ranked)]


def compare_rankers(result_of: ResultOf, names: Sequence[str]) -> list[Titled]:
    """Compare the paper's tables of the ranker, with a column for each data set of ours."""
    found = []
    for table in paper()["ranker"] if names else ():
        rows = [
            [row["name"], row["paper"], *(_ours(look_up(result_of, f"{name}#{row['at']}"), row, "–") for name in names)]
            for row in table["row"]
        ]
        columns = ["figure", "paper >", *(f"{LABELS.get(name, name.removeprefix('ranking-'))} >" for name in names)]
        found.append(make_table(table["title"], columns, rows, table["note"]))
    return found


def _cell(result_of: ResultOf, address: str, said: str, style: Mapping[str, Any]) -> str:
    """Return ours, and the paper's in brackets; a dash where either has none."""
    ours = _ours(look_up(result_of, address), style, "–") if address else "–"
    return f"{ours} ({said})" if said else ours


def _ours(value: float | None, style: Mapping[str, Any], none: str = UNDEFINED) -> str:
    style = _FORMAT | dict(style)
    show = signed if style["signed"] else plain
    if value is None:
        return none
    return show(value if style["scale"] == 1 else value * style["scale"], style["digits"])


def look_up(result_of: ResultOf, address: str) -> float | None:
    """Return the value at `section#/json/pointer`; None where the study is undefined there."""
    name, _, pointer = address.partition("#/")
    value: Any = result_of(name)
    for part in pointer.split("/"):
        if isinstance(value, list) and part.isdecimal() and int(part) < len(value):
            value = value[int(part)]
        else:
            value = value.get(part) if isinstance(value, dict) else None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
