"""The count of table cells: never fewer than the extractor makes of a page."""

from __future__ import annotations

import random

import pytest

from steelyard.errors import ExtractionFailed
from steelyard.text.html import HtmlLimits
from steelyard.text.html.extraction import extract_here
from steelyard.text.html.tree import count_cells

lxml = pytest.importorskip("lxml.html", reason="needs the html extra")


def count(rows: str) -> int:
    return count_cells(lxml.document_fromstring(f"<html><body><table>{rows}</table>"))


def test_cells_are_counted_as_they_are_expanded() -> None:
    for rows, cells in {
        "": 0,
        "<tr><td>a<td>b<tr><td>c<td>d": 4,
        "<tr><td colspan=3>a<tr><td>b": 6,
        "<tr><td colspan=999>a": 100,
        "<tr><td colspan=99999999999999999999>a": 100,
        "<tr><td colspan=x>a<td colspan=-3>b": 2,
        "<tr><td rowspan=4>a": 4,
        "<tr><td rowspan=4 colspan=2>a": 8,
        "<caption>a</caption><tr><td>a<td>b": 4,
        "<tr>" + "<td>a" * 250: 250,
        "<tr>" + "<td>a" * 250 + "<tr><td>b": 350,
        "<tr><td colspan=50>a</table><table>" + "<tr><td>a" * 20: 70,  # each table has its own width
        "<tr><td>" + "<table><tr><td>a<td>b</table>" + "<tr><td>a": 4,
    }.items():
        assert count(rows) == cells, rows[:80]


def test_the_extractor_makes_no_more_cells_than_were_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    extractor = pytest.importorskip("trafilatura.main_extractor", reason="needs the html extra")
    make_cell = extractor.define_cell_type
    made = 0

    def make_and_count(*arguments: object) -> object:
        nonlocal made
        made += 1
        return make_cell(*arguments)

    monkeypatch.setattr(extractor, "define_cell_type", make_and_count)
    rng = random.Random(19)
    most = 0
    for _ in range(20):
        rows = "".join(
            "<tr>" + "".join(
                f"<td colspan={rng.choice((1, 1, 2, 30, 999))} rowspan={rng.choice((1, 1, 3, 40))}>a word</td>"
                for _ in range(rng.randrange(5))
            ) + "</tr>"
            for _ in range(rng.randrange(30))
        )  # fmt: skip
        made = 0
        extract_here(f"<html><body><article><p>Some words before it.</p><table>{rows}</table></article></body></html>")
        assert made <= 3 * count(rows)  # the extractor reads the table up to three times
        most = max(most, made)
    assert most > 500


@pytest.mark.parametrize(
    "rows",
    ["<tr><td colspan=999>a</td></tr>" * 14_000, "<tr><td rowspan=999>a</td></tr>" * 14_000,
     "<tr><td colspan=100>a</td></tr>" + "<tr><td>a</td></tr>" * 14_000],
    ids=["colspan", "rowspan", "one wide row"],
)  # fmt: skip
def test_a_table_with_very_many_cells_is_refused(rows: str) -> None:
    with pytest.raises(ExtractionFailed, match=r"table cells, over the limit of 100,000 \(--limit cells=N"):
        extract_here(f"<html><body><table>{rows}</table></body></html>")


def test_more_cells_can_be_allowed() -> None:
    html = "<html><body><article><table>" + "<tr><td>a<td>b</tr>" * 20 + "</table></article></body></html>"
    assert extract_here(html, HtmlLimits(cells=40)).markdown
    with pytest.raises(ExtractionFailed, match="40 table cells"):
        extract_here(html, HtmlLimits(cells=39))
