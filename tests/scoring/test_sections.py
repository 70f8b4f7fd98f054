"""Sections: what is one, that its content is that of its text alone, and what is not measured and why."""

from __future__ import annotations

import json
import time
from datetime import date
from pathlib import Path

import pytest

import steelyard
from steelyard.inputs.page_ref import PageRef
from steelyard.pipeline import Page, PageResult, analyse
from steelyard.scoring.sections import MAX_PARTS, MAX_SCORED, TOO_MANY, TOO_SHORT, Section, find_strongest, find_weakest
from steelyard.settings import Settings
from steelyard.text.html import is_installed
from tests.conftest import ROOT, run_here

AS_OF = date(2026, 7, 1)
STRONG = (
    "In 2024 the Harbour Institute counted 1,204 ships in Tromsø, 43% more than in 2019. “It was our best year,” said "
    "Anna Lund, who leads the institute. The figures were published on 3 May 2024 in the Journal of Northern Ports, "
    "which compares eleven harbours between Bergen and Vardø by tonnage, by crew and by the days that a ship stays. "
)
WEAK = (
    "It should be cleaned. You clean it when it is dirty, which happens when it has been used for a while, and then it "
    "should be rinsed and dried so that it does not get dirty again while it waits for the next time that somebody "
    "wants to use it for something that is hot, or for something else that they like to drink in the morning. "
)
PAGE = (
    f"---\ntitle: Ships\n---\nAn opening line.\n\n# Ships\n\n{STRONG}\n\nCare\n----\n\n{WEAK}\n\n"
    "### Short ###\n\nSee [that][1].\n"
)


def sections_of(text: str, **more: object) -> tuple[Section, ...]:
    settings = Settings.resolve(**{"as_of": AS_OF, "language": "en", **more})  # type: ignore[arg-type]
    return analyse(PageRef("page.md", text=text), settings).sections or ()


def test_a_section_is_a_heading_with_the_text_up_to_the_next_one() -> None:
    found = sections_of(PAGE)
    assert [(s.heading, s.line, s.content is None) for s in found] == [
        (None, 4, True), ("Ships", 6, False), ("Care", 10, False), ("Short", 15, True),
    ]  # fmt: skip
    assert sum(s.words for s in found) == steelyard.score(PAGE, as_of=AS_OF).words
    assert [PAGE[s.start : s.end].split(maxsplit=1)[0] for s in found] == ["An", "#", "Care", "###"]
    assert [s.reason for s in found] == [TOO_SHORT, None, None, TOO_SHORT]
    assert all(found[1].evidence[kind] for kind in ("statistic", "quotation", "entity"))
    assert not any(found[2].evidence.values())


def test_its_content_is_that_of_its_text_scored_alone() -> None:
    for edition in ("paper", "2026"):
        for section in sections_of(PAGE, edition=edition):
            if section.content is not None:
                text = PAGE[section.start : section.end]
                alone = steelyard.score(text, as_of=AS_OF, edition=edition, language="en")
                assert section.content == alone.content, (edition, section.heading)
                assert section.self_containment == alone.readings["self_containment"].value


def test_the_title_and_the_kind_of_the_page_do_not_change_its_sections() -> None:
    assert sections_of(PAGE, title="Something else", kind="legal") == sections_of(PAGE)


def test_the_weakest_and_the_strongest_are_among_those_that_were_measured() -> None:
    found = sections_of(PAGE)
    weakest, strongest = find_weakest(found), find_strongest(found)
    assert weakest is not None
    assert strongest is not None
    assert (weakest.heading, strongest.heading) == ("Care", "Ships")
    assert find_weakest(found[:2]) is find_strongest(()) is None


def test_a_page_of_one_part_has_no_sections() -> None:
    for text in ("", STRONG, f"# Ships\n\n{STRONG}", f"---\ntitle: x\n---\n\n# Ships\n\n{STRONG}", "#\n"):
        assert sections_of(text) == (), text[:20]


def test_headings_inside_code_and_comments_begin_no_section() -> None:
    text = f"# One\n\n{STRONG}\n\n```\n# code\n```\n\n<!--\n# hidden\n-->\n\n## Two\n\n{WEAK}"
    assert [s.heading for s in sections_of(text)] == ["One", "Two"]
    assert [s.heading for s in sections_of("# *One* `two`\n\nA\n\n## [Three](https://example.org)\n\nB")] == [
        "One two", "Three",
    ]  # fmt: skip


def test_links_by_reference_count_where_their_definition_is_in_another_section() -> None:
    body = f"{STRONG} Read [the report][report] and [the table][table].\n\n"
    links = "[report]: https://institute.example/report\n[table]: https://institute.example/table\n"
    apart, together = (
        sections_of(f"# A\n\n{body}## B\n\n{links}"),
        sections_of(f"# A\n\n{body}{links}\n## B\n\nNothing."),
    )
    assert apart[0].content == together[0].content != sections_of(f"# A\n\n{body}## B\n\nNothing.")[0].content


def test_both_cores_give_the_same_sections(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("steelyard_core")
    pages = [path.read_text("utf-8") for path in sorted((ROOT / "examples" / "site").rglob("*.md"))[:6]]
    pages += [PAGE, f"# é e\u0301\r\n\r\n{STRONG}\r\n## \ud800\r\n\r\n{WEAK}", f"<!-- steelyard off -->\n{PAGE}"]
    for edition in ("paper", "2026"):
        for text in pages:
            found = []
            for core in ("python", "native"):
                monkeypatch.setenv("STEELYARD_CORE", core)
                found.append(sections_of(text, edition=edition))
            assert found[0] == found[1], text[:60]


def test_a_page_of_very_many_headings_is_bounded_and_says_so() -> None:
    found = sections_of(f"# Ships\n\n{WEAK}\n\n" * (MAX_SCORED + 20))
    assert [s.reason for s in found] == [None] * MAX_SCORED + [TOO_MANY] * 20
    durations = []
    for headings in (MAX_PARTS // 10, MAX_PARTS):
        start = time.perf_counter()
        assert len(sections_of("# a\n\n" * headings)) == headings
        durations.append(time.perf_counter() - start)
    assert durations[1] < 30 * durations[0] + 1
    assert sections_of("# a\n\n" * (MAX_PARTS + 1)) == ()


@pytest.mark.skipif(not is_installed(), reason="the extra html is not installed")
def test_headings_of_html_make_sections_too() -> None:
    html = f"<html><body><article><h1>Ships</h1><p>{STRONG}</p><h2>Care</h2><p>{WEAK}</p></article></body></html>"
    result = steelyard.score_html(html, as_of=AS_OF)
    assert [(s.heading, s.content is not None) for s in result.sections or ()] == [("Ships", True), ("Care", True)]
    assert "Care" in (result.text or "").splitlines()[(result.sections or ())[1].line - 1]


def test_every_output_shows_them(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text(PAGE, "utf-8")
    screen = run_here("score", path).stdout
    assert "weakest section: “Care”" in screen
    assert "strongest: “Ships”" in screen
    assert "weakest section: “Care”" in run_here("explain", path).stdout
    assert "fewer than 50 words" in run_here("explain", path).stdout
    report = run_here("score", path, "--format", "html").stdout
    assert report.index(">Care</a>", report.index('class="sections"')) > 0
    entry = json.loads(run_here("score", path, "--format", "json").stdout)["pages"][0]
    assert entry["sections"][3] == {
        "heading": "Short", "line": 15, "words": 3, "content": None, "reason": TOO_SHORT,
        "evidence": {"quotation": 0, "statistic": 0, "citation": 0, "entity": 0},
    }  # fmt: skip
    assert isinstance(steelyard.score_file(path, as_of=AS_OF), PageResult)


def test_they_are_not_measured_where_nobody_sees_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in "ab":
        (tmp_path / f"{name}.md").write_text(PAGE, "utf-8")
    measured: list[str] = []

    def measure(page: Page, *_: object) -> tuple[Section, ...]:
        measured.append(page.source)
        return ()

    monkeypatch.setattr("steelyard.pipeline.measure_sections", measure)
    for form in ("csv", "markdown", "human"):
        run_here("score", tmp_path, "--format", form)
    run_here("compare", tmp_path / "a.md", tmp_path / "b.md")
    assert measured == []
    run_here("score", tmp_path, "--format", "jsonl")
    assert len(measured) == 2
