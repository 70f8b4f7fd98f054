"""What no reader sees earns nothing: no word, no source, no point."""

from __future__ import annotations

from pathlib import Path

from steelyard.text import markdown
from tests.contract.shared import PROSE, PROSE_FR, STRUCTURED, score_text

SPAM = "Anna Weir said on 4 May 2024 that 71% of keepers agree, according to the Harrow Institute. " * 20
PAGE = f"# The tide\n\n{PROSE}\n\n{PROSE.replace('harbour', 'estuary')}\n"

HIDDEN = {
    "a comment": f"<!-- {SPAM} -->",
    "a comment over lines": f"<!--\n{SPAM}\n-->",
    "a comment that never closes": f"<!-- {SPAM}",
    "hidden": f"<div hidden>{SPAM}</div>",
    "hidden, upper case": f"<DIV HIDDEN>{SPAM}</DIV>",
    "hidden, with a value": f'<p hidden="hidden">{SPAM}</p>',
    "hidden on a line of its own": f"<div\nhidden>{SPAM}</div>",
    "hidden, with a slash that HTML ignores": f"<div hidden/>{SPAM}</div>",
    "hidden, after a bracket in an attribute": f'<div title=">" hidden>{SPAM}</div>',
    "hidden, after a long attribute": f'<div class="{"x " * 2500}" hidden>{SPAM}</div>',
    "hidden elements inside each other": f"<div hidden><div>{SPAM}</div>{SPAM}</div>",
    "hidden and never closed": f"<div hidden>{SPAM}",
    "display: none": f'<div style="display:none">{SPAM}</div>',
    "display: none, spaced": f'<div style="color: red; display : none ;">{SPAM}</div>',
    "visibility: hidden": f"<span style='visibility:hidden'>{SPAM}</span>",
    "opacity: 0": f'<span style="opacity:0">{SPAM}</span>',
    "font-size: 0": f'<span style="font-size:0">{SPAM}</span>',
    "aria-hidden": f'<span aria-hidden="true">{SPAM}</span>',
    "an element of no standard": f"<x-note hidden>{SPAM}</x-note>",
    "an element of no name": f"<foo hidden>{SPAM}</foo>",
    "script": f"<script>{SPAM}</script>",
    "style": f"<style>{SPAM}</style>",
    "template": f"<template>{SPAM}</template>",
    "the attributes of an element": f'<span title="{SPAM}"></span>',
    "the attributes of an unknown element": f"<x {SPAM.replace(',', '').replace('%', '')}>",
    "a comment inside a tag": f"<x <!-- {SPAM} --> >",
    "the text of an image": f"![{SPAM[:400]}](https://e.example/i.png)",
    "a comment written as a definition": "\n\n[//]: # (" + SPAM + ")\n",
}
INVISIBLE_LINKS = {
    "definitions that nothing refers to": "\n\n" + "".join(f"[r{n}]: https://s{n}.example/\n" for n in range(20)),
    "anchors without words": "".join(f'<a href="https://s{n}.example/"></a>' for n in range(20)),
    "links of white space": "".join(f"[ ](https://s{n}.example/)" for n in range(20)),
    "links of nothing but zero width": "".join(f"[\u200b](https://s{n}.example/)" for n in range(20)),
    "links inside a comment": "<!-- " + " ".join(f"[a](https://s{n}.example/)" for n in range(20)) + " -->",
    "links inside a hidden element": "<p hidden>" + " ".join(f"[a](https://s{n}.example/)" for n in range(20)) + "</p>",
    "hidden anchors": "".join(f'<p hidden><a href="https://s{n}.example/">a</a></p>' for n in range(20)),
}


def test_hidden_words_are_no_words_and_move_no_component_that_counts():
    before = score_text(PAGE)
    for way, added in HIDDEN.items():
        after = score_text(PAGE.rstrip("\n") + added)
        assert after.words == before.words, way
        assert counted(after) == counted(before), way


def test_links_that_no_reader_can_follow_are_no_sources():
    before = score_text(PAGE)
    for way, added in INVISIBLE_LINKS.items():
        after = score_text(PAGE.rstrip("\n") + added)
        for name, symbol in (("citation_f1", "C"), ("entity_density", "E")):
            assert after.readings[name].parts[symbol] == before.readings[name].parts[symbol], way


def counted(page) -> dict:
    """The counts behind the score, less what is computed from the size of the file."""
    apart = ("mmr_score", "semantic_redundancy")
    return {name: dict(reading.parts) for name, reading in page.readings.items() if name not in apart}


def test_words_of_nothing_but_invisible_characters_lift_no_cap():
    """Three hundred of them make no page of three hundred words."""
    before = score_text(PAGE)
    assert before.cap is not None
    for unit in (" \u200b", " \u2060", " \ufeff", " \u00ad", " &#8203;", " &zwnj;"):
        assert score_text(PAGE.rstrip("\n") + unit * 300).cap == before.cap, unit


COMMENTED = {
    "prose": PROSE,
    "a line per sentence": PROSE.replace(". ", ".\n"),
    "a line per word": PROSE.replace(" ", "\n"),
    "two paragraphs": f"{PROSE}\n\n{PROSE_FR}",
    "a page": PAGE,
    "every mark": STRUCTURED,
    "every mark, CRLF": STRUCTURED.replace("\n", "\r\n"),
}
COMMENTS = ("<!-- x -->", f"<!--{SPAM}-->", "<!--\n\n# Not a heading\n\n- nor a list\n-->")


def test_a_comment_at_the_end_changes_nothing():
    for name, text in COMMENTED.items():
        before = score_text(text, language="en")
        for comment in COMMENTS:
            after = score_text(text + comment, language="en")
            assert (after.words, after.content, after.score) == (before.words, before.content, before.score), name


def test_comments_change_nothing_on_the_example_site():
    pages = sorted((Path(__file__).resolve().parents[2] / "examples" / "site").rglob("*.md"))[::4]
    assert pages
    for path in pages:
        text = path.read_text(encoding="utf-8")
        before, after = score_text(text, language="en"), score_text(text + "<!-- x -->", language="en")
        assert (after.words, after.content, after.score) == (before.words, before.content, before.score), path.name


VISIBLE = {
    "a fence": "```html\n{}\n```",
    "a fence of tildes": "~~~\n{}\n~~~",
    "a fence after code in backticks": "```html\n`x`\n{}\n```",
    "a fence inside a list": "1. item\n\n    ```html\n    {}\n    ```",
    "a fence inside a quotation": "> ```html\n> {}\n> ```",
    "an indented block": "text\n\n    {}\n",
    "backticks": "Write `{}` here.",
    "double backticks": "Write ``{}`` here.",
    "triple backticks in a line": "Write ``` {} ``` here.",
    "backticks over two lines": "Write `the\n{}` here.",
}


def test_a_tag_shown_as_code_hides_nothing_and_stays_visible():
    for name, form in VISIBLE.items():
        for example in ("<div hidden>", "<!--"):
            view = markdown.parse(form.format(example) + "\n\nThe rest of the page.\n").view.text
            assert "The rest of the page." in view, name
            assert example in view, name


SEEN = {
    "the word in a title": '<p title="a hidden gem">The level.</p>',
    "overflow: hidden": '<div style="overflow: hidden ; color: red">The level.</div>',
    "half opaque": '<p style="opacity:0.5">The level.</p>',
    "a small font": '<p style="font-size:0.9em">The level.</p>',
    "details": "<details><summary>More</summary>The level.</details>",
    "aria-hidden=false": '<p aria-hidden="false">The level.</p>',
    "an empty comment": "<!-->The level.",
    "a type in prose": "A List<T> holds the key <T>. The level.",
    "less and more": "If a < b and c > d. The level.",
}


def test_what_a_reader_sees_is_read():
    assert [name for name, text in SEEN.items() if "The level." not in markdown.parse(text).view.text] == []
