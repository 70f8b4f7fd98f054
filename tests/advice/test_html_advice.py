"""Advice on what HTML tells programs: the description, the language, and images without an alternative text."""

from __future__ import annotations

import pytest

import steelyard
from steelyard.advice.finding import Finding
from steelyard.advice.prose import make_sentences

TEXT = make_sentences(24)
DESCRIBED = '<meta name="description" content="Where the lamps of the harbour stand.">'


def write_page(head: str = DESCRIBED, *, language: str = "en", inside: str = "", title: str = "The lamps") -> str:
    parts = [" ".join(TEXT[n : n + 6]) for n in range(0, len(TEXT), 6)]
    paragraphs = "".join(f"<p>{part}</p>{inside if n == 1 else ''}" for n, part in enumerate(parts))
    titled = f"<title>{title}</title>" if title else ""
    return f'<html lang="{language}"><head>{titled}{head}</head><body><article>{paragraphs}</article></body></html>'


def find(html: str) -> dict[str, Finding]:
    return {finding.rule: finding for finding in steelyard.score_html(html, as_of="2026-07-01").findings}


HEAD_RULES = {"page_description", "wrong_language", "missing_alt_text"}


def test_a_page_that_tells_programs_what_they_need_has_no_finding_about_it() -> None:
    assert not find(write_page()).keys() & HEAD_RULES


@pytest.mark.parametrize(
    ("head", "why"),
    [
        ("", "the page has no description"),
        ('<meta name="description" content=" ">', "the page has no description"),
        (
            f'<meta name="description" content="{"lamp " * 120}">',
            f"the description, “{'lamp ' * 8}…”, has 599 characters",
        ),
    ],
)
def test_a_description_is_there_and_short(head: str, why: str) -> None:
    assert find(write_page(head))["page_description"].why == why


def test_the_description_that_search_engines_show_is_judged() -> None:
    og = '<meta property="og:description" content="The harbour&amp;#8217;s lamps, old and new, and who lights them.">'
    assert "page_description" not in find(write_page(og + DESCRIBED))
    assert find(write_page(og))["page_description"].why.endswith("shows “&#8217;”")
    assert find(write_page(og))["page_description"].why.startswith("the og:description, “")


def test_a_fragment_without_a_title_needs_no_description() -> None:
    assert "page_description" not in find(write_page("", title=""))


def test_the_declared_language_is_that_of_the_text() -> None:
    found = find(write_page(language="de-AT"))["wrong_language"]
    assert (found.why, found.action) == ("the page says that its language is “de-AT”", 'write `lang="en"`')
    for right in ("en", "en-GB", "EN_us", "", "x-klingon", "english"):
        assert "wrong_language" not in find(write_page(language=right)), right


def test_an_image_in_the_text_says_what_it_shows() -> None:
    found = find(write_page(inside='<img src="/pictures/lamp.jpg?width=400">'))["missing_alt_text"]
    assert found.why == "the image “lamp.jpg” has no alternative text"
    two = find(write_page(inside='<img src="a.png"><figure><img data-src="b.png"></figure>'))["missing_alt_text"]
    assert two.why == "2 images in the text, “a.png” first, have no alternative text"


@pytest.mark.parametrize(
    "image",
    [
        '<img src="a.png" alt="">',
        '<img src="a.png" alt="The lamp at night">',
        '<img src="a.png" aria-label="The lamp at night">',
        '<img src="a.png" role="presentation">',
        '<img src="pixel.gif" width="1" height="1">',
        '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">',
        "<img>",
    ],
)
def test_images_that_say_it_or_show_nothing_are_no_finding(image: str) -> None:
    assert "missing_alt_text" not in find(write_page(inside=image))
