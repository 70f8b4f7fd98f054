"""The paper's figures next to ours: every address exists, every reason quotes a computation, nothing is left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from steelyard.lab.study import paper_comparison as comparison
from steelyard.lab.study.findings import format_value
from steelyard.lab.study.paper_comparison import compare_headlines, list_tables, look_up, paper, split_form
from steelyard.lab.study.registry import BY_NAME
from tests.lab.study.presentation import COMMITTED, committed_result

NOT_KNOWN = "not known"
RESULTS = {path.stem: committed_result(path.stem) for path in COMMITTED.glob("*.json")}
RANKED = [name for name in sorted(RESULTS) if name.startswith("ranking-")]
GRIDS = [table for table in paper()["table"] if "rows" in table]
LISTS = [table for table in paper()["table"] if "figures" in table]
FIGURES = [figure for table in LISTS for figure in table["figures"]]


def exists(address: str) -> bool:
    """Return whether the committed study has a value there, which may be undefined, or lacks a study of that name."""
    address, _ = split_form(address)
    section = address.partition("#")[0]
    if section in BY_NAME and section not in RESULTS:
        return True  # a new study, which the next run of the whole study adds
    parent, _, key = address.partition("|")[0].rpartition("/")
    place = look_up(RESULTS.get, parent) if "*" not in address else None
    return key in place if isinstance(place, dict) else look_up(RESULTS.get, address) is not None


def list_choices() -> Iterator[tuple[str, list[str]]]:
    """Yield every cell with the addresses of which the study must have one at least."""
    for table in GRIDS:
        for row in (row for row in table["rows"] if "row" in row):
            columns = table["columns"][len(table["columns"]) - len(row["paper"]) :]
            for column in (c for c in columns if "here" in c):
                yield f"{table['title']}: {row['name']}", [column["here"].replace("{row}", row["row"])]
    for table in LISTS:
        sets = comparison.list_sets(table, RANKED)
        for figure in table["figures"]:
            found = [comparison.list_addresses(figure, table, words) for words in sets]
            yield from ((f"{table['title']}: {figure['name']}", list(of)) for of in zip(*found, strict=True))
            for cause in list_causes(figure):
                yield from ((f"reason: {figure['name']}", [address]) for address in cause.get("support", ()))


def list_causes(figure: comparison.Fields) -> list[comparison.Fields]:
    return list(figure.get("causes", [figure]))


def test_every_address_is_found_in_the_committed_study() -> None:
    missing = [f"{name}: {a}" for name, a in list_choices() if not any(map(exists, a))]
    assert not missing, "\n".join(missing)


def test_a_reason_quotes_a_computation_or_is_not_known() -> None:
    for figure in [f for f in FIGURES if "why" in f or "causes" in f]:
        for cause in list_causes(figure):
            why, support = cause["why"], cause.get("support", [])
            assert why == NOT_KNOWN or support, "a reason that nobody computed"
            assert why.count("{}") == len(support)
            assert not re.search(r"(?<![A-Za-z_])[0-9]", why), "a typed number"
        assert comparison.NONE not in comparison.explain(figure, RESULTS.get).split()
        assert comparison.explain(figure, RESULTS.get)


def test_every_table_and_figure_of_the_paper_is_named() -> None:
    named = " ".join(table["title"] + str(table.get("lines", "")) for table in paper()["table"])
    tables = "featanchor ab ident gaming gaming2 transfer features featcat rationale degenerate ltr leak importance"
    figures = ("fig:profiles", "fig:gaming", "fig:signal", "fig:loeo")
    for label in (*(f"tab:{name}" for name in f"{tables} dist corr".split()), *figures):
        assert re.search(rf"{label}\b", named), label


def test_every_table_has_a_note_and_every_row_its_cells() -> None:
    assert all(table["note"] for table in paper()["table"])
    assert all(len(line) >= 2 and all(line) for table in paper()["table"] for line in table.get("lines", ()))
    for table in GRIDS:
        upper = "corr" in table["title"]
        for number, row in enumerate(table["rows"]):
            assert len(row["paper"]) == len(table["columns"]) - (number if upper else 0), row["name"]


def test_without_a_study_everything_is_a_dash_and_nothing_is_explained() -> None:
    nothing = dict[str, None]().get
    assert all(row[2:] == [comparison.NONE, ""] for row in compare_headlines(nothing).table.rows)
    tables = [table for table in paper()["table"] if "headlines" not in table]
    for table, titled in zip(tables, list_tables(nothing, ["ranking"]), strict=True):
        for row in titled.table.rows if "rows" in table else ():
            cells = zip(row[1:], table["columns"], strict=True)
            assert all(not cell or cell.startswith(comparison.NONE) for cell, column in cells if "here" in column)


def test_without_a_ranker_its_tables_are_left_out() -> None:
    titles = {titled.title for titled in list_tables(RESULTS.get, [])}
    missing = {table["title"] for table in paper()["table"] if "headlines" not in table} - titles
    assert missing == {table["title"] for table in LISTS if table.get("sets") == "rankers"}


def test_a_cell_holds_ours_and_in_brackets_the_papers() -> None:
    gaming = {"attacks": {"duplication": {"change": {"shipped": -1.26}}}}
    tables = list_tables({"gaming": gaming}.get, [])
    cells = [row[1] for titled in tables for row in titled.table.rows if row[0] == "duplication"]
    assert "−1.3 (−2.9)" in cells


def test_a_missing_figure_takes_its_reason_with_it() -> None:
    figure = {"why": "with {} of {}", "support": ["a#/x|+.1f", "a#/y"]}
    assert comparison.explain(figure, {"a": {"x": 1.25, "y": 7}}.get) == "with +1.2 of 7"
    assert comparison.explain(figure, {"a": {"x": 1.25}}.get) == ""


def test_a_figure_that_agrees_needs_no_reason() -> None:
    def result(pearson: float) -> dict[str, Any]:
        return {"strategies": {"sqrt": {"test": {"pearson": pearson}}}}

    for pearson, why in ((0.9494, ""), (0.9484, NOT_KNOWN)):
        assert compare_headlines({"compare": result(pearson)}.get).table.rows[0][3] == why


# Addresses of values, and how values are printed

RESULT = {
    "gains": [{"edit": "quotation", "dose": 1, "mean": 6.4}, {"edit": "quotation", "dose": 8, "mean": 2.7}],
    "engines": {"a": {"rho": 0.1}, "b": {"rho": 0.3}, "c": {"rho": None}},
    "empty": [],
}


def test_an_address_leads_to_its_value_or_to_none() -> None:
    for pointer, value in {
        "gains/1/mean": 2.7,
        "gains/edit=quotation&dose=8/mean": 2.7,
        "gains/edit=statistics&dose=8/mean": None,
        "gains/7/mean": None,
        "gains/*/mean|max": 6.4,
        "engines/*/rho|span": [0.1, 0.3],
        "engines/*/rho|mean": 0.2,
        "engines/d/rho": None,
        "engines|len": 3,
        "empty|len": None,
        "nothing/*/rho|min": None,
    }.items():
        found = look_up({"study": RESULT}.get, f"study#/{pointer}")
        assert found == (pytest.approx(value) if value else value), pointer
        assert look_up(dict[str, Any]().get, f"study#/{pointer}") is None, pointer


def test_a_format_at_the_end_is_no_step() -> None:
    assert split_form("a#/b/*|span|+.1f") == ("a#/b/*|span", "+.1f")
    assert split_form("a#/b/*|span") == ("a#/b/*|span", "")
    assert split_form("a#/b") == ("a#/b", "")


def test_a_value_is_printed_as_people_read_it() -> None:
    cases: tuple[tuple[Any, str, str], ...] = (
        (-0.26, "+.1f", "−0.3"),
        (0.26, "+.1f", "+0.3"),
        (-0.01, "+.1f", "0.0"),
        (0.047, ".1%", "4.7%"),
        (1100, ".3f", "1,100"),
        (0.0004, "p", "< 0.001"),
        ([-0.02, 0.117], ".2f", "−0.02 to 0.12"),
        ([50.0, 30.0, 30.0], ".0f", "50, 30, 30"),
        (["a", "b"], ".3f", "a, b"),
        ([None, 1.0], ".3f", "–"),
        ([], ".3f", "–"),
        (True, ".3f", "yes"),
        ("sqrt", ".3f", "sqrt"),
        (None, ".3f", "–"),
        ({"mean": 1.0}, ".3f", "–"),
    )
    for value, form, text in cases:
        assert format_value(value, form) == text
