"""The comparison of several pages as a table: order, mean, and what strangers' file names can do to it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from steelyard.components import NAMES
from steelyard.pages.compare import QueryRank, QueryView, SiteComparison
from steelyard.pages.compare_listing import describe_counts, render_markdown, render_terminal
from steelyard.pages.page_change import PageChange, PageVersion
from steelyard.pipeline import PageError

SCORING = {"edition": "paper", "weights": "shipped", "as_of": "2026-07-01"}
COMMENT = 65_536  # characters that GitHub takes


def scored(score: float, guard: str | None = None, **points: float) -> PageVersion:
    return PageVersion(score, score, 50.0, 500, None, guard, "en", {**dict.fromkeys(NAMES, 1.0), **points})


def compare(*pages: PageChange, unchanged: int = 0, errors: tuple[PageError, ...] = ()) -> SiteComparison:
    return SiteComparison("old", "new", SCORING, pages, unchanged, errors)


def render(page: PageChange) -> str:
    return "\n".join(line for line, _ in render_terminal(compare(page)))


def test_what_changed_the_score_most_is_named() -> None:
    page = PageChange("a.md", "changed", scored(50, mmr_score=3), scored(49, mmr_score=1, citation_f1=2))
    assert page.find_most_moved() == "mmr_score"
    assert page.point_changes["mmr_score"] == -2
    assert "mmr_score −2.00" in render(page)
    assert PageChange("a.md", "changed", scored(50), scored(50)).find_most_moved() is None
    # No component explains a guard.
    assert "near-empty applies" in render(PageChange("a.md", "changed", scored(50), scored(5, "near-empty")))
    back = PageChange("a.md", "changed", scored(5, "near-empty"), scored(50))
    assert "near-empty no longer applies" in render(back)


def test_the_mean_is_over_all_pages_in_both_versions() -> None:
    pages = [
        PageChange("up.md", "changed", scored(50), scored(54)),
        PageChange("down.md", "renamed", scored(50), scored(40), "was.md"),
        PageChange("new.md", "added", None, scored(90)),
        PageChange("gone.md", "removed", scored(10), None),
    ]
    found = compare(*pages, unchanged=4)
    assert found.mean_change == pytest.approx(-1.0)
    assert describe_counts(found) == (
        "1 changed, 1 renamed, 1 added, 1 removed, 4 unchanged; mean change −1.00 over 6 pages"
    )
    assert [page.source for page in found.rows] == ["down.md", "up.md", "new.md", "gone.md"]
    assert [page.source for page in found.find_drops(9.5)] == ["down.md"]
    assert found.find_drops(10) == []
    assert describe_counts(compare(pages[2])) == "1 added"
    assert describe_counts(compare(unchanged=3)) == "3 unchanged; mean change 0.00 over 3 pages"


def test_names_cannot_break_the_table() -> None:
    name = "a|b\n<img src=x onerror=alert(1)>[x](javascript:1)\x1b[31m\u202e.md"
    page = PageChange(name, "changed", scored(50), scored(40))
    found = compare(page, errors=(PageError(name, f"{name}: broken"),))
    text = render_markdown(replace(found, old=name, view=QueryView(name, "scope", [QueryRank(name, 1, 1, 0, 0)])))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "<img" not in text.replace("\\<img", "")
    (row,) = [line for line in text.splitlines() if "| changed |" in line]
    assert row.replace("\\|", "").count("|") == 7
    for line, _ in render_terminal(found):
        assert line.isprintable()


def test_a_comment_is_never_too_long_for_github() -> None:
    names = [f"{n}|" + "*́\u200b" * 400 for n in range(300)]
    pages = [PageChange(name, "renamed", scored(50), scored(40), name) for name in names]
    errors = tuple(PageError(name, name * 2) for name in names)
    view = QueryView("*" * 5000, "scope", [QueryRank(name, 1, 1, 0.0, 0.0) for name in names])
    text = render_markdown(replace(compare(*pages, errors=errors), view=view))
    assert len(text) < COMMENT
    assert "and 220 more, which `--format json` lists" in text


def test_the_name_takes_what_the_terminal_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    page = PageChange("x" * 150 + ".md", "changed", scored(50, mmr_score=9), scored(40))
    for columns in (80, 120):
        monkeypatch.setenv("COLUMNS", str(columns))
        rows = [line for line, _ in render_terminal(compare(page)) if "changed  " in line]
        assert len(rows[0]) == columns
