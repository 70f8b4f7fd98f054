"""Many pages in one table: what flags a page stands in every listing, and only where it was asked for."""

from __future__ import annotations

import csv
import io
from datetime import date

import pytest

from steelyard.detectors.layered_filter import ManipulationReport, Signal
from steelyard.pipeline import PageError, PageResult, score_text
from steelyard.report import html, listing
from tests.conftest import SENTENCE

AS_OF = date(2026, 7, 1)
SCORING = {"edition": "paper", "weights": "shipped", "as_of": "2026-07-01"}
DETECTORS = ("repetition", "hidden_text", "links")


def scored(source: str, *flagged: str, detect: bool = True) -> PageResult:
    """A page on which these detectors passed their threshold."""
    signals = {n: Signal(n, 0.6 if n in flagged else 0.1, 1.0, 0.5, n in flagged, {}) for n in DETECTORS}
    found = ManipulationReport(0.6, 0.5, bool(flagged), signals, (), 0.03, ())
    page = score_text(SENTENCE * 20, as_of=AS_OF)
    return PageResult(source, page, (), extracted=False, text=SENTENCE, manipulation=found if detect else None)


def listed(pages: list[PageResult]) -> list[listing.ListedPage]:
    return [listing.list_page(page) for page in pages]


@pytest.fixture(scope="module")
def pages() -> list[PageResult]:
    return [scored("clean.md"), scored("one.md", "hidden_text"), scored("three.md", *DETECTORS)]


def test_the_terminal_names_the_first_detector_and_counts_the_others(pages: list[PageResult]) -> None:
    head, clean, one, three = listing.list_pages(listed(pages), detect=True).to_terminal()
    assert head.endswith("  flagged")
    assert not any(name in clean for name in ("hidden", "repetition", "links", "+2"))
    assert one.endswith("  hidden text")
    assert three.endswith("  repetition +2")


def test_the_listing_with_a_long_name_and_a_flag_fits_80_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    pages = [scored(f"{'folder/' * 20}{n}.md", *DETECTORS) for n in range(2)]
    assert max(map(len, listing.list_pages(listed(pages), detect=True).to_terminal())) == 80


def test_a_spreadsheet_and_a_report_name_every_detector(pages: list[PageResult]) -> None:
    errors = [PageError("gone.md", "gone.md: no such file")]
    rows = list(
        csv.DictReader(io.StringIO(listing.make_spreadsheet(listing.Rows(pages), errors, detect=True).to_csv()))
    )
    assert [row["flagged"] for row in rows] == ["", "hidden_text", "repetition, hidden_text, links", ""]
    assert rows[-1]["error"] == "gone.md: no such file"
    assert rows[0]["as_of"] == "2026-07-01"
    text = listing.render_markdown(listed(pages), errors, SCORING, detect=True)
    assert "| best change | flagged |" in text
    assert "| repetition, hidden\\_text, links |" in text


def test_the_html_report_names_them_in_its_index_and_its_notes(pages: list[PageResult]) -> None:
    text = html.render_report(pages, [], AS_OF)
    assert "<th>flagged</th>" in text
    assert "<td>repetition +2</td>" in text
    assert "manipulation: hidden text (1.00, flagged above 0.50)" in text


def test_without_the_detectors_there_is_no_such_column() -> None:
    pages = [scored("a.md", detect=False), scored("b.md", detect=False)]
    shown = [
        *listing.list_pages(listed(pages)).to_terminal(),
        listing.make_spreadsheet(listing.Rows(pages), []).to_csv(),
    ]
    shown += [listing.render_markdown(listed(pages), [], SCORING), html.render_report(pages, [], AS_OF)]
    assert not any("flagged" in text or "manipulation" in text for text in shown)
