"""How many pages of a site are good, fair and poor, in every report of an audit."""

from __future__ import annotations

from steelyard.site.lines import PageLine
from steelyard.site.report.html import render_html
from steelyard.site.report.terminal import render_terminal
from steelyard.site.store.packing import join_page, split_page
from steelyard.site.summary import Summary

SENTENCE = "content: 2 good, 1 poor, 1 not compared (thirds of reference pages in the same language"


def make_line(number: int, rating: str | None) -> PageLine:
    return PageLine(f"https://a.org/{number}", 60.0, 300, "en", None, None, (), "", rating, False, False)


def test_every_report_counts_the_words_and_leaves_out_those_that_no_page_has() -> None:
    ratings = ("good", None, "poor", "good")
    summary = Summary([make_line(number, rating) for number, rating in enumerate(ratings)])
    assert summary.figures()["ratings"] == {"good": 2, "fair": 0, "poor": 1, "not compared": 1}
    assert any(text.startswith(SENTENCE) for text, _ in render_terminal("a.org", summary, "scoring"))
    shown = render_html("a.org", summary, "scoring")
    assert [f"{count} {name}" in shown for count, name in ((2, "good"), (1, "poor"), (1, "not compared"))] == [True] * 3
    assert 'class="key fair"' not in shown
    assert "<td>poor</td>" in shown
    assert "thirds" not in "".join(text for text, _ in render_terminal("a.org", Summary(), "scoring"))


def test_a_stored_page_keeps_what_its_content_means_and_what_holds_it() -> None:
    page = {
        "score": 50.0, "freshness": 42.0, "rating": "good", "meaning": "content 90.1 is good",
        "held": "87.6, held at 50 by its length", "source": "https://a.org/", "moves": [], "freshness_terms": {},
    }  # fmt: skip
    reading, dated = split_page(page, "https://a.org/", "c")
    assert join_page(reading.body, dated.body, "https://a.org/", 50.0, 42.0) == page
    later = {**page, "held": "86.1, held at 50 by its length"}
    assert split_page(later, "https://a.org/", "c")[0] == reading  # only the date made it another one
