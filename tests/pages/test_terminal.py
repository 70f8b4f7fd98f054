"""One page on a terminal of any width, and in a pipe."""

from __future__ import annotations

import dataclasses
from datetime import date
from pathlib import Path

from steelyard.components import NAMES
from steelyard.inputs.page_ref import PageRef
from steelyard.pages import terminal
from steelyard.pipeline import PageResult, analyse
from steelyard.settings import Settings
from tests.conftest import ROOT

SITE = ROOT / "examples" / "site"
SETTINGS = Settings.resolve(as_of=date(2026, 7, 1), detect=True)
LONG = f"{'folder/' * 20}page.md"


def analyse_file(path: Path, source: str = "") -> PageResult:
    return analyse(PageRef(source or path.name, path=str(path)), SETTINGS)


def render(result: PageResult, columns: int | None) -> list[str]:
    return [text for text, _ in terminal.render_page(result, columns)]


def test_a_page_is_as_wide_as_the_terminal_within_bounds() -> None:
    for path in sorted((SITE / "science").glob("*.md")):
        for source in (path.name, LONG):
            result = analyse_file(path, source)
            for columns in (1, 40, 53, 54, 79, 80, 100, 120, 400):
                lines = render(result, columns)
                assert max(map(len, lines)) <= max(40, min(120, columns)), (source, columns)
                assert all(sum(line.startswith(name) for line in lines) == 1 for name in NAMES), (source, columns)
                assert "not a forecast of citations" in " ".join(" ".join(lines[:4]).split()), (source, columns)


def test_a_wider_terminal_shows_longer_names_quotes_and_bars() -> None:
    result = analyse_file(SITE / "health" / "sleep-better.md", LONG)
    narrow, wide = render(result, 80), render(result, 120)
    for start in ("…", "        nothing here ", "quotable_density"):
        one, other = (next(line for line in lines if line.startswith(start)) for lines in (narrow, wide))
        assert len(other) > len(one)
    assert any("what it measures" in line for line in narrow)
    assert not any("what it measures" in line for line in render(result, 60))
    assert not any(result.page.scoring.hash in " ".join(lines) for lines in (narrow, wide))


def test_a_pipe_wraps_at_80_columns_and_cuts_no_path() -> None:
    lines = render(analyse_file(SITE / "places" / "canal-town.md", LONG), None)
    assert lines[0] == LONG
    assert any(line.strip().startswith(f"{LONG}:") for line in lines)
    assert max(len(line) for line in lines if LONG not in line) <= 80
    short = analyse_file(SITE / "health" / "sleep-better.md", "sleep.md")
    assert max(map(len, render(short, None))) <= 80
    assert render(short, None)[0].startswith("sleep.md  ")


def test_a_page_without_text_is_explained_in_words() -> None:
    result = analyse(PageRef("x", text="<!-- nothing -->"), SETTINGS)
    for extracted, words in ((False, "0 words found; text in front matter, comments"), (True, "0 words: no main text")):
        lines = render(dataclasses.replace(result, extracted=extracted), 80)
        assert words in " ".join(" ".join(lines).split())
    assert "hidden elements" not in " ".join(render(analyse_file(SITE / "index.md"), 80))
