"""Many pages in one table: what flags a page stands in every listing, and only where it was asked for."""

from __future__ import annotations

import csv
import io
from datetime import date
from itertools import product

import pytest

from steelyard.detectors.layered_filter import ManipulationReport, Signal
from steelyard.pages import html, listing
from steelyard.pipeline import PageError, PageResult, score_text
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


def test_the_listing_is_as_wide_as_the_terminal_and_no_wider() -> None:
    sources = [f"{'folder/' * 20}{n}.md" for n in range(2)]
    for columns, detect in product((20, 40, 57, 80, 120, 300), (False, True)):
        pages = [scored(source, *DETECTORS, detect=detect) for source in sources]
        listing_lines = listing.render_listing(listed(pages), [], pages[0].page, detect=detect, columns=columns)
        lines = [text for text, _ in listing_lines]
        assert max(map(len, lines)) <= max(40, columns)
        rows = lines[1:3]
        shown = [row.split()[0].removeprefix("…") for row in rows]
        assert all(source.endswith(name) and len(name) >= 5 for source, name in zip(sources, shown, strict=True))
        assert all(f"{pages[0].score:.1f}" in row for row in rows)
        if columns == 300:
            assert shown == sources


def test_a_pipe_gets_whole_names_whatever_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    sources = [f"{'folder/' * 20}{n}.md" for n in range(2)]
    lines = [text for text, _ in listing.render_listing(listed([scored(source) for source in sources]), [], None)]
    assert [line.split()[0] for line in lines[1:3]] == sources


def test_pages_without_text_are_explained_and_only_a_few_of_them() -> None:
    empty = [PageResult(f"{n}.md", score_text("", as_of=AS_OF), (), extracted=n == 0) for n in range(8)]
    lines = [text for text, _ in listing.render_listing(listed([*empty, scored("full.md", detect=False)]), [], None)]
    assert "0.md: 0 words: no main text found in this HTML; if a script builds the page" in " ".join(lines)
    assert "1.md: 0 words found; text in front matter, comments and hidden elements does not count" in lines
    assert "and 3 other pages with next to no text" in lines
    assert not any(line.startswith("full.md: ") for line in lines)


def test_every_listing_names_the_detectors_that_flag_a_page(pages: list[PageResult]) -> None:
    clean, one, three = listing.list_pages(listed(pages), detect=True).to_terminal()[1:]
    assert not any(name in clean for name in ("hidden", "repetition", "links"))
    assert one.endswith("  hidden text")
    assert three.endswith("  repetition +2")
    errors = [PageError("gone.md", "gone.md: no such file")]
    table = listing.make_spreadsheet(listing.Rows(pages), errors, detect=True).to_csv()
    rows = list(csv.DictReader(io.StringIO(table)))
    assert [row["flagged"] for row in rows] == ["", "hidden_text", "repetition, hidden_text, links", ""]
    assert rows[-1]["error"] == "gone.md: no such file"
    assert rows[0]["as_of"] == "2026-07-01"
    assert "| repetition, hidden\\_text, links |" in listing.render_markdown(
        listed(pages), errors, SCORING, detect=True
    )
    report = html.render_report(pages, [], AS_OF)
    assert "<td>repetition +2</td>" in report
    assert "manipulation: hidden text (1.00, flagged above 0.50)" in report


def test_without_the_detectors_there_is_no_such_column() -> None:
    pages = [scored("a.md", detect=False), scored("b.md", detect=False)]
    shown = [
        *listing.list_pages(listed(pages)).to_terminal(),
        listing.make_spreadsheet(listing.Rows(pages), []).to_csv(),
        listing.render_markdown(listed(pages), [], SCORING),
        html.render_report(pages, [], AS_OF).partition("<body>")[2],
    ]
    assert not any("flagged" in text or "manipulation" in text for text in shown)
