"""The dates of real pages against marks by hand, where the pages are; else on the example pages."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest

from steelyard.inputs.page_ref import PageRef
from steelyard.pipeline import read_page
from steelyard.text.dates import PageDates
from tools import dates as measuring

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "html"
OF_EXAMPLES = {
    "grainotheque-de-quartier": PageDates(date(2024, 2, 17), None, "meta"),
    "hard-water-at-home": PageDates(None, date(2024, 6, 30), "visible text"),
    "horloge-comtoise": PageDates(None, date(2023, 12, 5), "visible text"),
    "repair-cafe-ledger": PageDates(date(2025, 3, 8), None, "visible text"),
    "return-of-the-night-train": PageDates(date(2025, 1, 23), date(2025, 2, 2), "meta"),
    "seasoning-cast-iron": PageDates(date(2024, 9, 14), None, "meta"),
}


def test_the_dates_of_the_example_pages_are_read() -> None:
    pytest.importorskip("trafilatura", reason="HTML needs the extra `html`")
    assert sorted(OF_EXAMPLES) == sorted(path.stem for path in EXAMPLES.glob("*.html"))
    for name, dates in OF_EXAMPLES.items():
        path = EXAMPLES / f"{name}.html"
        assert read_page(PageRef(name, path=str(path))).dates == dates, name


def test_marks_hold_at_least_120_pages_half_of_them_with_a_visible_date() -> None:
    marks = list(measuring.read_marks())
    assert len(marks) >= 120
    assert sum(mark.where == "visible" for mark in marks) >= len(marks) / 2
    assert all(mark.is_dated == any((*mark.published, *mark.updated)) for mark in marks)
    assert len({mark.page for mark in marks}) == len(marks)
    assert "texts" not in json.loads(measuring.MARKS.read_text("utf-8"))


@pytest.mark.skipif(not (measuring.DATA / "html_truth").is_dir(), reason="the real pages are not here")
def test_dates_of_real_pages_are_as_marked() -> None:
    pytest.importorskip("trafilatura", reason="HTML needs the extra `html`")
    pages, tally = measuring.load_pages(), measuring.Tally()
    for mark in measuring.read_marks():
        if not measuring.is_kept_apart(mark.page) and (dates := measuring.read_dates(pages[mark.page], peer=False)):
            tally.add(mark, dates)
    assert tally.right >= 0.95 * tally.given, tally.show()
    assert tally.found >= 0.90 * tally.marked, tally.show()
    assert tally.called_undated <= 0.02 * tally.dated, tally.show()
