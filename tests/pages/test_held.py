"""A page that its cap holds says so in one sentence, wherever its score is shown."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

import steelyard
from steelyard.pages.explain import render_explanation
from steelyard.pages.html import render_report
from steelyard.pages.terminal import render_page
from steelyard.pipeline import PageResult
from steelyard.scoring.caps import describe_hold, describe_lift
from steelyard.text.prose import Prose
from tests.conftest import run_here

AS_OF = date(2026, 7, 1)
SENTENCE = "The survey of Port Ellis counted 1,204 arrivals in May 2025, said Anna Weir of the harbour office. "


@pytest.fixture
def short(tmp_path: Path) -> Path:
    path = tmp_path / "short.md"
    path.write_text(f"# Arrivals in Port Ellis\n\n{SENTENCE * 2}\n\nA ferry waits for the tide.\n", "utf-8")
    return path


def score(path: Path, edition: str = "paper") -> PageResult:
    return steelyard.score_file(path, as_of=AS_OF, edition=edition, language="en")


def test_the_sentence_has_both_numbers_and_the_cause() -> None:
    few, lists = Prose(words=80, share=0.9, content_words=40), Prose(words=80, share=0.1, content_words=40)
    assert describe_hold(87.64, 50.0, None) == "87.6, held at 50 by its length"
    assert describe_hold(87.64, 61.25, few) == "87.6, held at 61.2 by having few different words in running text"
    assert describe_hold(87.64, 31.25, lists) == "87.6, held at 31.2 by 10% running text"
    for cap in (None, 87.64, 100.0):
        assert describe_hold(87.64, cap, None) == ""


def test_every_output_of_a_held_page_says_it(short: Path) -> None:
    for edition, cause in (("paper", "by its length"), ("2026", "by having few different words in running text")):
        result = score(short, edition)
        held = result.page.held
        assert held.startswith(f"{result.page.blended:.1f}, held at ")
        assert held.endswith(cause)
        assert result.to_dict()["held"] == held
        for columns in (None, 40, 80, 120):
            lines = " ".join(line.strip() for line, _ in render_page(result, columns))
            assert held in lines, columns
        assert held in render_report([result], [], AS_OF)
        assert held in render_explanation(result)[0]


def test_a_comparison_says_it_of_the_version_that_is_held(short: Path, tmp_path: Path) -> None:
    longer = tmp_path / "longer.md"
    longer.write_text(short.read_text("utf-8") + "\n\n".join(SENTENCE * 4 for _ in range(8)), "utf-8")
    held = score(short).page.held
    shown = run_here("compare", str(short), str(longer)).stdout
    assert f"held       {held} → none" in shown
    document = json.loads(run_here("compare", str(short), str(longer), "--format", "json").stdout)
    assert document["held"] == {"old": held, "new": None}
    assert "held " not in run_here("compare", str(longer), str(longer)).stdout
    assert score(longer).to_dict()["held"] is None


def test_a_page_that_a_guard_stops_is_not_held(tmp_path: Path) -> None:
    path = tmp_path / "empty.md"
    path.write_text("# Tides\n", "utf-8")
    result = score(path)
    assert result.page.guard
    assert result.page.held == ""


def test_what_would_lift_a_cap_is_said_with_its_steps() -> None:
    prose = Prose(words=80, share=0.9, content_words=40)
    assert (
        describe_lift(76.0, 65.0, 214, None)
        == "86 more words of text would lift the cap (from 300 words there is none)"
    )
    assert describe_lift(45.0, 35.0, 60, None) == "40 more words of text would lift the cap (from 100 words it is 50)"
    assert describe_lift(60.0, 45.6, 80, prose) == "23 more different content words in running text would lift the cap"
    assert (
        describe_lift(60.0, 31.2, 80, prose._replace(share=0.1)) == "a larger share of running text would lift the cap"
    )
    assert not describe_lift(64.0, 65.0, 214, None) + describe_lift(64.0, None, 400, None)


def test_a_held_page_without_suggestions_says_what_holds_it(short: Path) -> None:
    result = replace(score(short), findings=())
    told = "would lift the cap"
    screen = " ".join(" ".join(text for text, _ in render_page(result)).split())
    assert (
        told
        in screen.partition("nothing certain to change first, but the score is held at 35")[2].partition("--uncertain")[
            0
        ]
    )
    assert (
        told
        in render_report([result], [], AS_OF)
        .partition("Nothing certain to change")[2]
        .partition("Most of the other")[0]
    )
    failing = run_here("check", short, "--min-score", "60", "--no-cache", "--as-of", str(AS_OF)).stdout
    assert "begin with" in failing
    assert "line 1 cap" in failing or told in failing


def test_score_names_the_place_that_check_names(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    words = f"<p>{SENTENCE}</p>\n<p>The baker needs a opening hour, flour and water, and some hours of rest.</p>"
    text = f"<html><head><title>Bread</title></head>\n<body><main>\n<h1>Bread</h1>\n{words}\n</main></body></html>"
    page.write_text(text, "utf-8")
    check = run_here("check", page, "--no-cache", "--as-of", str(AS_OF)).stdout
    place = next(line for line in check.splitlines() if "typing_error" in line).partition(": ")[0]
    assert place == f"{page}:5:4"
    assert f"{place} [typing_error]" in run_here("score", page, "--as-of", str(AS_OF)).stdout
