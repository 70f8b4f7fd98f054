"""The paper's figures next to ours: every address exists, and what is undefined is said."""

from __future__ import annotations

from steelyard.lab.study import paper_comparison
from steelyard.lab.study.paper_comparison import compare_figures, list_tables, look_up, paper
from tests.lab.study.presentation import COMMITTED, committed_result


def test_every_figure_of_the_paper_is_found_in_the_committed_study() -> None:
    for row in compare_figures(committed_result).table.rows:
        assert paper_comparison.UNDEFINED not in row[2], row[0]


def test_every_cell_with_an_address_is_found_in_the_committed_study() -> None:
    for table in paper()["table"]:
        for row in table["row"]:
            assert len(row["here"]) == len(row["paper"]) == len(table["columns"])
            for address in filter(None, row["here"]):
                assert look_up(committed_result, address) is not None, address


def test_every_figure_of_the_ranker_is_found_in_one_section_or_another() -> None:
    results = {path.stem: committed_result(path.stem) for path in COMMITTED.glob("ranking-*.json")}
    for table in paper()["ranker"]:
        for row in table["row"]:
            assert any(look_up(results.get, f"{name}#{row['at']}") is not None for name in results), row["name"]


def test_without_a_study_everything_is_undefined_and_nothing_fails() -> None:
    nothing = dict[str, None]().get
    rows = compare_figures(nothing).table.rows
    assert all(set(row[2].split(", ")) == {paper_comparison.UNDEFINED} for row in rows)
    assert all(not row[3] for row in rows), "no reason for a difference that was not measured"
    for titled in list_tables(nothing, ["ranking"])[1:]:
        assert all(str(cell).startswith("–") for row in titled.table.rows for cell in row[2:])


def test_a_cell_holds_ours_and_in_brackets_the_papers() -> None:
    gaming = {"attacks": {"duplication": {"change": {"shipped": -1.26}}}}
    tables = list_tables({"gaming": gaming}.get, [])
    cells = [row[1] for titled in tables for row in titled.table.rows if row[0] == "duplication"]
    assert "−1.3 (−2.9)" in cells
