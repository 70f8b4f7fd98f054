"""Comments that silence findings."""

from __future__ import annotations

from datetime import date

import pytest

from steelyard import score_html
from steelyard.check.run import Checker
from steelyard.check.silence import find_silences
from steelyard.inputs.page_ref import PageRef
from steelyard.native.core import load_module
from steelyard.pipeline import analyse
from steelyard.scoring import editions
from steelyard.settings import Settings
from tests.check.shared import OPENER, VAGUE, WEAK


def silenced(text: str) -> list[tuple[str, int]]:
    page = Checker({"uncertain": True}, use_baseline=False).check_text(text, "page.md")
    return [(f.rule, f.line) for f in page.findings if f.is_silenced]


def test_a_comment_silences_its_block_or_to_the_end_of_the_file_or_to_the_next() -> None:
    text = WEAK.replace("# Boats\n", "# Boats\n\n<!-- steelyard: off statistic_density, self_containment -->\n")
    assert silenced(text) == [("statistic_density", 5), ("self_containment", 7)]
    text = WEAK.replace("The lamps", "<!-- steelyard: off -->\nThe lamps")
    assert silenced(text) == [("statistic_density", 4)]
    text = f"<!-- steelyard: off -->\n\n{VAGUE}\n\n<!-- steelyard: on self_containment -->\n\n{OPENER}\n"
    rules = {rule for rule, _ in silenced(text)}
    assert "statistic_density" in rules
    assert "self_containment" not in rules


def test_what_concerns_the_whole_page_is_silenced_wherever_the_comment_stands() -> None:
    assert ("cap", 1) in silenced(WEAK + "\n<!-- steelyard: off cap -->\n")
    assert ("cap", 1) not in silenced(f"{WEAK}\n{VAGUE} <!-- steelyard: off cap -->\n\nThe end of it all.\n")


@pytest.mark.parametrize("edition", editions.NAMES)
def test_a_comment_never_changes_the_score(edition: str) -> None:
    checker = Checker({"edition": edition, "uncertain": True}, use_baseline=False)
    plain = checker.check_text(WEAK, "page.md")
    for comment in ("\n<!-- steelyard: off -->\n\n", "<!-- steelyard: off cap -->\n", "<!-- steelyard: nonsense -->\n"):
        text = WEAK.replace("The lamps", f"{comment}The lamps")
        found = checker.check_text(text, "page.md")
        assert (found.score, found.components) == (plain.score, plain.components)


def test_a_wrong_comment_is_a_finding() -> None:
    page = Checker({"uncertain": True}, use_baseline=False).check_text(
        f"{WEAK}\n<!-- steelyard: off quotable -->\n", "page.md"
    )
    (found,) = [f for f in page.reported if f.rule == "comment"]
    assert (found.line, found.cost) == (7, None)
    assert "did you mean 'quotable_density'" in found.text


def test_hostile_comments_are_read_in_linear_time() -> None:
    assert not find_silences("<!-- steelyard: " + "a" * 1_000_000).parts
    assert len(find_silences("<!-- steelyard: off cap -->\n" * 100_000).parts) == 1
    assert not find_silences("steelyard:" + "\n \t" * 300_000).parts


@pytest.mark.parametrize("core", ["python", "native"])
def test_places_are_those_of_the_page_with_its_comments(core: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if core == "native" and load_module("") is None:
        pytest.skip("the native core is not installed")
    monkeypatch.setenv("STEELYARD_CORE", core)
    comment = "<!-- steelyard: off cap -->"
    lamps = f"The {comment} lamps cost 40% more in 2025, said Anna Weir."
    text = f"# Boats\n\n{comment}\n\n{lamps}\n\nThey are as old as the quay. They are as red as the lamp. {VAGUE}\n"
    page = analyse(PageRef("page.md", text=text), Settings.resolve(as_of=date(2026, 7, 1), keep_text=True))
    assert page.text == text
    for reading in page.page.readings.values():
        for evidence in reading.evidence:
            assert text.count("\n", 0, evidence.start) + 1 == evidence.line
    figures = [text[e.start : e.end] for e in page.page.readings["statistic_density"].evidence]
    assert any("40%" in figure for figure in figures)
    assert [text[f.start : f.end] for f in page.findings if f.component == "statistic_density"] == [VAGUE[:-1]]
    found = Checker({"uncertain": True}, use_baseline=False).check_text(f"{comment}\n\n{WEAK}", "page.md")
    assert {(f.rule, f.line) for f in found.findings} >= {("statistic_density", 5), ("self_containment", 7)}


def test_comments_in_html_change_no_score() -> None:
    story = "<p>The harbour master keeps a record of every ship and its cargo, and 40% of them came in 2025.</p>\n" * 9
    html = f"<!doctype html>\n<html><head><title>Boats</title></head><body><article>{story}</article></body></html>"
    with_comments = html.replace("</p>\n", "</p>\n<!-- steelyard: off -->\n", 3)
    plain, silenced_page = (score_html(text, as_of="2026-07-01") for text in (html, with_comments))
    assert plain.score == silenced_page.score
