"""Places where time once grew with the square of the input, or faster; and numbers too long for `int`."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from steelyard.check.judge import Changes
from steelyard.errors import ExtractionFailed
from steelyard.pages.sketches import SketchIndex, sketch_text
from steelyard.pipeline import score_text
from steelyard.scoring import editions
from steelyard.site.crawl.links import read_links
from steelyard.site.crawl.sitemaps import parse_sitemap
from steelyard.text.directives import strip_directives
from steelyard.text.html import tree as html_tree
from steelyard.text.html.limits import DEFAULT_LIMITS
from steelyard.text.tags import decode_references
from tests.conftest import SENTENCE
from tests.contract.shared import run_steelyard
from tests.hostile.pages import within

AS_OF = date(2026, 7, 1)
LONG_NUMBER = "1" * 5_000


def test_directives_on_one_line_with_a_word_after_them_are_read_once() -> None:
    for blanks in ("", " ", "\t\t\t\t"):
        with within(10):
            stripped = strip_directives(f"<!--{blanks}steelyard:{blanks} x{blanks}-->{blanks}" * 2_000 + "a")
        assert stripped.text.strip() == "a"


@pytest.mark.parametrize("core", ["python", "native"])
@pytest.mark.parametrize("edition", editions.NAMES)
def test_a_thousand_matches_in_one_sentence_are_counted_in_linear_time(
    core: str, edition: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from steelyard.native.core import VARIABLE, load_module

    if core == "native" and load_module("") is None:
        pytest.skip("the native core is not built")
    monkeypatch.setenv(VARIABLE, core)
    page = "there are three main reasons, photosynthesis is defined as the process of plants, " * 5_000
    with within(60):
        score_text(page, as_of=AS_OF, language="en", edition=editions.load(edition))


def test_a_page_of_blanks_is_checked_in_linear_time(tmp_path: Path) -> None:
    (tmp_path / "blank.md").write_text(" " * 500_000)
    with within(30):
        found = run_steelyard("check", str(tmp_path))
    assert found.returncode in (0, 1), found.stderr


def test_changed_lines_are_found_by_bisection() -> None:
    for parts, lines, expected in (
        ([], range(1, 9), False),
        ([range(3, 5)], range(5, 6), False),
        ([range(3, 5)], range(4, 5), True),
        ([range(3, 5), range(8, 9)], range(1, 4), True),
        ([range(3, 5), range(8, 9)], range(6, 8), False),
        ([range(4, 4)], range(3, 6), True),  # lines were taken out there
        ([range(8, 9), range(3, 5)], range(4, 5), True),
    ):
        assert Changes(parts).overlap(lines) is expected, (parts, lines)
    changes = Changes([range(2 * n, 2 * n + 1) for n in range(200_000)])
    with within(10):
        changed = [changes.overlap(range(n, n + 1)) for n in range(100_000)]
    assert changed == [n % 2 == 0 for n in range(100_000)]


def test_thousands_of_new_files_are_compared_with_few_gone_pages_each() -> None:
    def write(name: str, number: int) -> str:
        return "".join(f"{name} {number} line {line}\n" for line in range(30))

    gone = {f"{n}.md": sketch_text(write("old", n)) for n in range(3_000)}
    index = SketchIndex(gone)
    with within(30):
        strangers = [list(index.find_similar(sketch_text(write("new", n)))) for n in range(3_000)]
    assert not any(strangers)
    assert [path for _, path in index.find_similar(sketch_text(write("old", 7) + "one more\n"))] == ["7.md"]
    assert list(index.find_similar(sketch_text(write("old", 7)), {"7.md"})) == []


@pytest.mark.parametrize("tag", ["label", "input", "button", "figure", "details", "audio"])
def test_elements_that_the_extractor_takes_out_of_a_long_text_are_counted(tag: str) -> None:
    crowd = f"<{tag}>x</{tag}>{' word word word' * 10}" * 20_000
    with within(60), pytest.raises(ExtractionFailed, match="crowded texts"):
        score_text(f"<!doctype html><html><body><p>{SENTENCE * 9}</p><p>{crowd}</p></body></html>", as_of=AS_OF)


def test_joins_are_the_elements_of_a_text_times_its_characters_as_the_extractor_gets_them() -> None:
    for page, joins in (
        ("<body><p>abc<b>d</b>ef</p></body>", 5),  # one element in "abc" and "ef"
        ("<body><p>abc<b>d</b>ef<i>g</i>h</p></body>", 2 * 6),
        ("<body><p><span>ab<b>c</b>d</span></p></body>", 2 * 3),  # the span is dissolved: its text is the paragraph's
        ("<body><p>abc</p><p>de</p></body>", 0),
    ):
        tree = html_tree.parse(page, DEFAULT_LIMITS)
        assert tree is not None
        assert html_tree.count_joins(tree) == joins, page
    tree = html_tree.parse(f"<body><p>{'&amp;lt;' * 100}{'<b>x</b>' * 100}</p></body>", DEFAULT_LIMITS)
    assert tree is not None
    with pytest.raises(ExtractionFailed, match="crowded texts"):  # 400 characters before they are escaped, then 800
        html_tree.protect(tree, replace(DEFAULT_LIMITS, joins=60_000))


def test_references_are_decoded_as_in_a_browser() -> None:
    assert decode_references("&amp;&#65;&#000000000000065;&#x41;&eacute;&") == "&AAAé&"
    assert decode_references(f"a&#{LONG_NUMBER};b&#{LONG_NUMBER}c&#99999999;") == "a\ufffdb\ufffdc\ufffd"
    assert decode_references(f"&#{'0' * 9_000}65;") == "A"


@pytest.mark.parametrize("reference", [f"&#{LONG_NUMBER};", f"&amp;#{LONG_NUMBER};"])
def test_a_number_too_long_for_an_integer_costs_no_page(reference: str, tmp_path: Path) -> None:
    body = f"<title>{reference}</title><p>{SENTENCE * 9}{reference} <a href='/{reference}'>here</a></p>"
    (tmp_path / "page.html").write_text(f"<!doctype html><html><body><article>{body}</article></body></html>")
    for command in ("score", "check"):
        found = run_steelyard(command, str(tmp_path))
        assert found.returncode in (0, 1), found.stderr
        assert b"could not be read" not in found.stdout + found.stderr
        assert b"bug" not in found.stdout + found.stderr
    links = read_links(f"<a href='/{reference}'>x</a><a href=/b>y</a>".encode(), None, "steelyard").hrefs
    assert len(links) == 2
    _, found_addresses = parse_sitemap(f"<urlset><url><loc>http://e.example/{reference}</loc></url></urlset>".encode())
    assert len(list(found_addresses)) == 1
