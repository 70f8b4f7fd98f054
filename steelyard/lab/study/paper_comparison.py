"""The paper's figures next to ours: every table that both studies have, and what is known about the differences.

Ours are named by address, `section#/json/pointer|step`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import resources
from statistics import fmean
from typing import Any

from steelyard.lab.study.findings import Titled, format_value, make_table
from steelyard.support.formatting import MINUS

FORM = ".3f"  # how a figure is printed where nothing else is said
WHY = "what this study computed about the difference"
RANKERS = "rankers"  # in place of a table's data sets: the sections of rankers, whichever the study has
LABELS = {"ranking": "embedded reference"}  # of the rankers' sections whose names do not say it
NONE = "–"
Fields = Mapping[str, Any]
HERE: Fields = {"name": "here"}
ResultOf = Callable[[str], Any]  # a section's result, or None where there is none
STEPS: Mapping[str, Callable[[Sequence[Any]], Any]] = {
    "len": len,
    "min": min,
    "max": max,
    "mean": fmean,
    "span": lambda values: [min(values), max(values)],
}


@cache
def paper() -> dict[str, Any]:
    """Return what the paper prints, with the addresses of ours."""
    return tomllib.loads(resources.files("steelyard.lab.study").joinpath("paper.toml").read_text("utf-8"))


def read_grid(label: str) -> dict[str, dict[str, float | None]]:
    """Return what the paper prints in one of its tables that has rows and columns of ours, by row and column.

    Args:
        label: The paper's name of the table, such as `tab:dist`; None stands for a cell without a number.
    """
    table = next(table for table in paper()["table"] if f"({label}" in table["title"])
    names = [column["name"] for column in table["columns"]]
    return {
        row["row"]: dict(zip(names[-len(row["paper"]) :], map(_read_figure, row["paper"]), strict=True))
        for row in table["rows"]
        if "row" in row
    }


def _read_figure(cell: str) -> float | None:
    if cell.isdigit():
        return int(cell)
    try:
        return float(cell.replace(MINUS, "-")) + 0.0  # without the sign of zero
    except ValueError:
        return None


def list_tables(result_of: ResultOf, ranked: Sequence[str]) -> list[Titled]:
    """Return every table of the comparison but the main claims; `ranked` are the sections of rankers."""
    tables = [table for table in paper()["table"] if "headlines" not in table]
    return [
        replace(titled, is_main=not table.get("appendix"))
        for table in tables
        if (titled := _compare(table, result_of, ranked))
    ]


def list_sections(title: str, ranked: Sequence[str]) -> list[str]:
    """Return the sections whose figures a table of the comparison quotes, in the order of their first figure."""
    table = next(table for table in paper()["table"] if table["title"] == title)
    addresses = [column.get("here", "") for column in table.get("columns", ()) if isinstance(column, dict)]
    for words in list_sets(table, ranked):
        for figure in table.get("figures", ()):
            addresses += list_addresses(figure, table, words)
    return list(dict.fromkeys(address.partition("#")[0] for address in addresses if "#" in address))


def compare_headlines(result_of: ResultOf) -> Titled:
    """Compare the paper's main claims, in words for those who have not read it."""
    return _list_figures(next(table for table in paper()["table"] if table.get("headlines")), [HERE], result_of)


def _compare(table: Fields, result_of: ResultOf, ranked: Sequence[str]) -> Titled | None:
    if "lines" in table:
        return make_table(table["title"], table["columns"], table["lines"], table["note"])
    if "figures" not in table:
        return _fill_grid(table, result_of)
    sets = list_sets(table, ranked)
    return _list_figures(table, sets, result_of) if sets else None


def list_sets(table: Fields, ranked: Sequence[str]) -> Sequence[Fields]:
    """Return the data sets that have a column: their names, and what stands for each word in braces."""
    if table.get("sets") == RANKERS:
        kept = [s for s in ranked if s not in table.get("leave_out", ())]
        return [{"name": LABELS.get(s, s.removeprefix("ranking-")), "set": f"{s}#"} for s in kept]
    sets: Sequence[Fields] = table.get("sets", [HERE])
    return sets


def _fill_grid(table: Fields, result_of: ResultOf) -> Titled:
    """Make a table with a row and a column for each of the paper's: ours, and in brackets the paper's."""
    columns = table["columns"]
    rows = []
    for row in table["rows"]:
        # A row with fewer cells than columns fills the last ones, as in the upper half of a matrix.
        left_out = len(columns) - len(row["paper"])
        cells = [""] * left_out
        for column, printed in zip(columns[left_out:], row["paper"], strict=True):
            form = column.get("form", table.get("form", FORM))
            cells.append(_cell(column, row, printed, form, result_of))
        rows.append([row["name"], *cells])
    return make_table(table["title"], [table["head"], *(f"{c['name']} >" for c in columns)], rows, table["note"])


def _cell(column: Fields, row: Fields, printed: str, form: str, result_of: ResultOf) -> str:
    if "here" not in column:
        return printed or NONE
    ours = print_values([column["here"].replace("{row}", row["row"])], form, result_of) if "row" in row else NONE
    return f"{ours} ({printed})" if printed else ours


def _list_figures(table: Fields, sets: Sequence[Fields], result_of: ResultOf) -> Titled:
    """Make a table with a row for each figure: the paper's, and ours on each data set."""
    explained = any("why" in f or "causes" in f for f in table["figures"])
    rows = []
    for f in table["figures"]:
        form = f.get("form", table.get("form", FORM))
        ours = [print_values(list_addresses(f, table, words), form, result_of) for words in sets]
        differs = NONE not in ours and f["paper"] not in ours
        why = [explain(f, result_of) if differs else ""] if explained else []
        rows.append([f["name"], f["paper"], *ours, *why])
    heads = ["figure", "paper >", *(f"{words['name']} >" for words in sets), *([WHY] if explained else [])]
    return make_table(table["title"], heads, rows, table["note"])


def list_addresses(figure: Fields, table: Fields, words: Fields) -> list[str]:
    """Return the addresses of a figure, its own or its table's, with the words of a data set in place."""
    here = figure.get("here", table.get("here", []) if "row" in figure else [])
    addresses = [here] if isinstance(here, str) else list(here)
    for key, word in {**words, "row": figure.get("row", "")}.items():
        addresses = [address.replace(f"{{{key}}}", word) for address in addresses]
    return addresses


def explain(figure: Fields, result_of: ResultOf) -> str:
    """Return the reason for a difference with its figures in place; empty where one of them was not computed.

    Of several `causes` it is the first whose figures were all computed.
    """
    for cause in figure.get("causes", [figure]):
        support = [print_values([address], FORM, result_of) for address in cause.get("support", ())]
        if NONE not in support:
            return str(cause.get("why", "").format(*support))
    return ""


def print_values(addresses: Sequence[str], form: str, result_of: ResultOf) -> str:
    """Return the values at some addresses, separated by strokes; a dash for each that there is not."""
    shown = []
    for with_form in addresses:
        address, own = split_form(with_form)
        shown.append(format_value(look_up(result_of, address), own or form))
    return " / ".join(shown) if set(shown) - {NONE} else NONE


def split_form(address: str) -> tuple[str, str]:
    """Return an address without the format specification at its end, and that; `section#/pointer|max|+.1f`."""
    rest, stroke, last = address.rpartition("|")
    return (rest, last) if stroke and last not in STEPS else (address, "")


def look_up(result_of: ResultOf, address: str) -> Any:
    """Return the value at an address; None where the study has none.

    In a list `edit=quotation&dose=8` is the item with these values, and `*` stands for all of them; after a stroke a
    step makes one value of a list.
    """
    path, *steps = address.split("|")
    section, _, pointer = path.partition("#/")
    value = _follow(result_of(section), pointer.split("/"))
    for step in steps:
        value = STEPS[step](value) if value else None
    return value


def _follow(value: Any, parts: Sequence[str]) -> Any:
    for i, part in enumerate(parts):
        if part == "*":
            items = value.values() if isinstance(value, dict) else value or ()
            return [picked for item in items if (picked := _follow(item, parts[i + 1 :])) is not None]
        value = _pick(value, part)
    return value


def _pick(value: Any, part: str) -> Any:
    if isinstance(value, dict):
        return value.get(part)
    if not isinstance(value, list):
        return None
    if part.isdecimal():
        return value[int(part)] if int(part) < len(value) else None
    conditions = [pair.partition("=") for pair in part.split("&")]
    return next((item for item in value if all(str(item.get(key)) == word for key, _, word in conditions)), None)
