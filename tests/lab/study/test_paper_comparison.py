"""The paper's figures beside ours: every address is a real one, and what is undefined is said."""

from __future__ import annotations

import json
from typing import Any

from steelyard.lab.study import paper_comparison as beside
from tests.conftest import ROOT

STUDY = ROOT / "docs" / "study" / "artifacts"


def result_of(name: str) -> Any:
    path = STUDY / f"{name}.json"
    return json.loads(path.read_text("utf-8"))["result"] if path.is_file() else None


def test_every_figure_of_the_paper_is_found_in_the_committed_study():
    for row in beside.beside_the_paper(result_of).rows:
        assert beside.UNDEFINED not in row[2], row[0]


def test_every_cell_with_an_address_is_found_in_the_committed_study():
    for table in beside.paper()["table"]:
        for row in table["row"]:
            assert len(row["here"]) == len(row["paper"]) == len(table["columns"])
            for address in filter(None, row["here"]):
                assert beside.at(result_of, address) is not None, address


def test_every_figure_of_the_ranker_is_found_in_one_study_or_another():
    names = [path.stem for path in STUDY.glob("ranking-*.json")]
    for table in beside.paper()["ranker"]:
        for row in table["row"]:
            assert any(beside.at(result_of, f"{name}#{row['at']}") is not None for name in names), row["name"]


def nothing(name: str) -> None:
    """No stage was run."""


def test_without_a_study_everything_is_undefined_and_nothing_fails():
    assert all(set(row[2].split(", ")) == {beside.UNDEFINED} for row in beside.beside_the_paper(nothing).rows)
    for titled in beside.tables(nothing, ["ranking"]):
        assert all(str(cell).startswith("–") for row in titled.table.rows for cell in row[2:])


def test_a_cell_holds_ours_and_in_brackets_the_papers():
    result = {"attacks": {"duplication": {"change": {"shipped": -1.26}}}}
    first = beside.tables(lambda name: result if name == "gaming" else None, [])[0]
    assert next(row for row in first.table.rows if row[0] == "duplication")[1] == "−1.3 (−2.9)"
