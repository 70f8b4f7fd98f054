"""Markdown: the structure a reader sees, the reading view without the marks, and the way back to every offset."""

from __future__ import annotations

from typing import Any

import pytest

from steelyard.text.markdown import parse
from steelyard.text.view import View


def read(text: str) -> dict[str, Any]:
    """Return what tests ask about a text: `view` as it is, `words` with single spaces, and its structure."""
    structure = parse(text)
    view = structure.view.text

    def pieces(spans: tuple[tuple[int, int], ...]) -> list[str]:
        return [piece for a, b in spans if (piece := " ".join(view[a:b].split()))]

    return {
        "view": view,
        "words": " ".join(view.split()),
        "headings": [(h.level, " ".join(view[h.start : h.end].split())) for h in structure.headings],
        "paragraphs": pieces(structure.paragraphs),
        "blocks": pieces(structure.blocks),
        "links": [link.url for link in structure.links],
    }


def check(cases: dict[str, Any]) -> None:
    """Check texts, of which each reason has one or several under a dict of what is expected."""
    for reason, (texts, expected) in cases.items():
        for text in [texts] if isinstance(texts, str) else texts:
            shown = read(text)
            assert {key: shown[key] for key in expected} == expected, (reason, text)


def test_headings_and_rules() -> None:
    for level in range(1, 7):
        text = f"{'#' * level} The *tide*\n\nText."
        check({"one to six hashes": (text, {"headings": [(level, "The tide")], "words": "The tide Text."})})
    for line, level in (("===", 1), ("=", 1), ("---", 2), ("--", 2), ("   ======   ", 1)):
        expected = {"headings": [(level, "The tide")], "words": "The tide Text.", "paragraphs": ["Text."]}
        check({"an underlined paragraph": (f"The tide\n{line}\nText.\n", expected)})
    for above in ("- item", "| a |", "```\ncode\n```", "# Heading"):
        assert [h for h in read(f"{above}\n---\n")["headings"] if h[0] == 2] == [], above
    apart = {"paragraphs": ["One.", "Three."], "blocks": ["One.", "Three."], "headings": [(1, "Two")]}
    no_heading = ["#tide\n", "####### tide\n", "\\# tide\n", "a # tide\n", "    text\n    # tide\n"]
    rules = [f"One.\n\n{rule}\nTwo." for rule in ("---", "***", "___", "- - -", "* * *", "-----", "  ***")]
    check({
        "hashes that make none": (no_heading, {"headings": []}),
        "up to three spaces before it": ("   # The tide", {"headings": [(1, "The tide")]}),
        "it ends the paragraph before it": ("One.\n# Two\nThree.", apart),
        "hashes that close it": ("## The tide ##\n", {"headings": [(2, "The tide")], "words": "The tide"}),
        "a hash of a word": ("# C#\n", {"words": "C#"}),
        "an empty one": ("# \n\ntext", {"headings": [(1, "")]}),
        "two lines underlined": ("The\ntide\n===\n", {"headings": [(1, "The tide")]}),
        "dashes after a blank line": ("The tide\n\n---\n\nText.", {"headings": [], "words": "The tide Text."}),
        "a rule is no word and ends a block": (rules, {"words": "One. Two.", "blocks": ["One.", "Two."]}),
    })  # fmt: skip


def test_paragraphs_line_breaks_and_blocks() -> None:
    three = ["One. Still one.", "Two.", "Three."]
    introduced = "The levels:\n- high\n- low\n\nAfter."
    white = ["", "\n", " \n\t\n", "\r\n\r\n"]
    check({
        "a blank line": ("One.\nStill one.\n\nTwo.\n \t\nThree.", {"paragraphs": three, "blocks": three}),
        "blank lines stay": (["One.\n\nTwo.", "*One.*\n\nTwo."], {"view": "One.\n\nTwo."}),
        "white space": (white, {"paragraphs": [], "blocks": [], "headings": [], "links": []}),
        "a line with only a comment": (
            "The level\n<!-- note -->\nof the tide.", {"paragraphs": ["The level of the tide."]}
        ),
        "a list and its introduction are one block": (
            introduced, {"blocks": ["The levels: high low", "After."], "paragraphs": ["The levels:", "After."]}
        ),
    })  # fmt: skip
    for mark in ("", "*", "`x` ", "<b>y</b> "):
        for end in ("\n", "\r\n"):
            assert "level of" in read(f"{mark}The level{end}of the tide")["view"], (mark, end)


def test_lists_quotations_and_tables() -> None:
    for mark in "-*+•":
        items = f"{mark} one of them\n{mark} two of them\n  and more of it\n"
        words = "one of them two of them and more of it"
        check({"the mark of a list": (items, {"words": words, "paragraphs": [], "blocks": [words]})})
    for number in ("1.", "1)", "12."):
        check({"a number stays": (f"{number} one\n", {"words": f"{number} one", "paragraphs": []})})
    for line in ("-5 degrees", "3.5 metres of tide", "1871 was a year", "*bold* words", "--- x"):
        assert len(read(line)["paragraphs"]) == 1, line
    nested = [f"- one\n{indent}- two\n{indent}- three\n" for indent in ("", "  ", "    ", "      ", "\t")]
    quoted = ["The sea is never level.", "Twice."]
    table = "| year | level |\n|:-----|------:|\n| 1960 |   412 |\n\nAfter."
    bare_table = "year | level\n---- | -----\n1960 | 412\n\nAfter."
    cells = {
        "words": "year level 1960 412 After.",
        "paragraphs": ["After."],
        "blocks": ["year level 1960 412", "After."],
    }
    check({
        "items inside items": (nested, {"words": "one two three", "paragraphs": []}),
        "a quotation": (
            "> The sea is\n> never level.\n\n> > Twice.\n", {"words": " ".join(quoted), "paragraphs": quoted}
        ),
        "a table, with and without pipes at its edges": ([table, bare_table], cells),
        "a pipe in prose": ("the choice is a | b here", {"words": "the choice is a | b here"}),
    })  # fmt: skip


def test_code() -> None:
    for fence in ("```", "~~~", "````", "  ```"):
        text = f"Before.\n\n{fence}python\n*x* = [a](b)  # y\n{fence}\n\nAfter."
        expected = {"words": "Before. *x* = [a](b) # y After.", "paragraphs": ["Before.", "After."]}
        check({"the lines of a fence go": (text, {**expected, "headings": [], "links": []})})
    one = {"headings": [(1, "Heading")]}
    check({
        "no headings in it": ("```\n# not a heading\nnor this\n---\n```\n", {"headings": []}),
        "no blocks in it": ("```\na\n\nb\n```\n", {"blocks": ["a b"]}),
        "a fence of another kind or length": (
            "````\n```\n~~~~\nstill code\n````\n# Heading\n", {**one, "words": "``` ~~~~ still code Heading"}
        ),
        "a fence with words": ("```\n``` not closing\n# code\n```\n# Heading\n", one),
        "a fence left open": ("```\n# code\n\n# code\n", {"headings": [], "words": "# code # code"}),
        "backticks": ("Use `level` and ``tide`` now.", {"words": "Use level and tide now."}),
        "marks in backticks": ("Use `*args` and `a_b_` now.", {"words": "Use *args and a_b_ now."}),
        "links in backticks": ("Use `[a](https://e.example/)` now.", {"links": []}),
    })  # fmt: skip


def test_emphasis_and_escapes() -> None:
    emphasised = [f"The {mark}level{mark} rose." for mark in ("*", "**", "***", "_", "__", "~~")]
    check({"emphasis goes": (emphasised, {"view": "The level rose."})})
    for text in ("snake_case_name", "3 * 4 * 5", "a ~ b", "5 < 6", "C:\\tide"):
        check({"no emphasis": (text, {"view": text})})
    for character in "\\`*_{}[]()#+.!>-":
        check({"an escaped mark is itself": (f"a \\{character} b", {"view": f"a {character} b"})})


def test_links_and_images() -> None:
    for text, address in {
        "[a](https://e.example/a_(b))": "https://e.example/a_(b)",
        "[a](<https://e.example/>)": "https://e.example/",
        "[a](https://e.example/ 'title')": "https://e.example/",
        "[a](/relative)": "/relative",
        "[a](#anchor)": "#anchor",
        "[a](<two words>)": "two words",
        "[a](<https://e.example/b c>)": "https://e.example/b c",
    }.items():
        check({"addresses of many shapes": (text, {"links": [address], "words": "a"})})
    for text in ("[a]", "[a] (b)", "a](b)", "[a](b", "[a](b c d)", "[ ] todo", "[1] a note"):
        check({"brackets that make no link": (text, {"view": text, "links": []})})
    referring = 'See [the ledger][1] and [the gauge][].\n\n[1]: https://e.example/a "title"\n[the gauge]: <https://e.example/b>\n'
    words = "See the ledger and the gauge."
    check({
        "a line break in its words": ("[a\nb](https://e.example/)", {"links": ["https://e.example/"], "words": "a b"}),
        "an image": (
            "Before ![the ledger](https://e.example/i.png 'title') after.", {"words": "Before after.", "links": []}
        ),
        "an image in a link": ("Before [![alt](i.png)](https://e.example/) after.", {"words": "Before after."}),
        "references": (
            referring, {"words": words, "paragraphs": [words], "links": ["https://e.example/a", "https://e.example/b"]}
        ),
        "an address in angles": (
            "See <https://e.example/a> now.", {"view": "See https://e.example/a now.", "links": []}
        ),
        "an anchor": ("<a class='x' href='https://e.example/a'>the ledger</a>", {"links": ["https://e.example/a"]}),
        "an anchor within the site": ('<a href="/relative">x</a>', {"links": []}),
    })  # fmt: skip
    text = 'See [the *ledger*](https://e.example/a "a title") now.'
    (link,) = parse(text).links
    assert text[link.start : link.end] == '[the *ledger*](https://e.example/a "a title")'


def test_html_tags() -> None:
    check({
        "tags in a line": (
            "The <b>mean</b> <span class='x'>level</span><sup>2</sup>.", {"view": "The mean level2."}
        ),
        "block elements": ("one<br>two<p>three</p>four<hr/>five", {"words": "one two three four five"}),
        "in a fence": ("```\n<div hidden>\n<!--\n```\n\nAfter.", {"words": "<div hidden> <!-- After."}),
        "in backticks": (
            "Write `<div hidden>` to hide. After.", {"words": "Write <div hidden> to hide. After."}
        ),
        "structure that is hidden": (
            "<!--\n# Heading\n\n- item\n\n[1]: https://e.example/\n-->\nText.\n",
            {"headings": [], "links": [], "blocks": ["Text."]},
        ),
        "hidden and never closed": (
            [f"Before.\n\n{opening} x\n\n# y\n" for opening in ("<!--", "<div hidden>", "<script>")],
            {"words": "Before."},
        ),
    })  # fmt: skip
    for text in ("a List<T> of <T>", "1 < 2 > 0", "<3", "a <- b", "<>", "< b >", "<mean@e.example>"):
        check({"angles that make no element": (text, {"view": text})})


@pytest.mark.parametrize(
    "hidden",
    ["<!-- x -->", "<!-- x\n\ny -->", "<!-- <b> -- -->", "<script>x < y</script>", "<style>p {}</style>",
     "<div hidden>x</div>",
     "<div hidden><div>x</div>y</div>", "<p style='display: none'>x</p>", "<template><p>x</p></template>",
     "<SCRIPT>x</SCRIPT>"],
)  # fmt: skip
def test_what_is_hidden_is_not_in_the_view_and_its_span_is_known(hidden: str) -> None:
    text = f"Before {hidden} after."
    assert read(text)["words"] == "Before after."
    assert [text[a:b] for a, b in parse(text).hidden] == [hidden]


def test_structure_starts_where_it_is_told_to() -> None:
    shown = parse("---\na: b\n---\n# Tide\n\nText.", 13).view
    assert (shown.text, shown.source_span(0, 4)) == ("Tide\n\nText.", (15, 19))
    plain = parse("0123456789The tide.", 10)
    assert (plain.view.text, plain.view.source_span(0, 3)) == ("The tide.", (10, 13))
    assert plain.paragraphs == ((0, 9),)


def test_spans_of_the_view_lead_back_to_the_source() -> None:
    text = "# The *tide*\n\nSee [it](https://e.example/), <b>now</b>.\n"
    shown = parse(text).view
    for word in ("The", "tide", "See", "it", "now"):
        at = shown.text.index(word)
        start, end = shown.source_span(at, at + len(word))
        assert text[start:end] == word
        assert shown.view_offset(start) == at
    text = "The *mean* level"
    shown = parse(text).view
    assert text[slice(*shown.source_span(0, len(shown.text)))] == text, "a span over marks covers them"
    at = shown.text.index("mean level")
    assert text[slice(*shown.source_span(at, at + 10))] == "mean* level"
    shown = parse("a *b* c").view
    assert (shown.source_span(2, 2), shown.source_span(5, 5)) == ((3, 3), (7, 7)), "an empty span is a place"
    shown = parse("a <b>b</b> c").view
    assert shown.text == "a b c"
    assert shown.view_offset(2) == shown.view_offset(5) == 2, "what is not shown is where the next character is"
    assert shown.view_offset(11) == 4
    assert (View("").source_span(0, 0), View("").view_offset(0)) == ((0, 0), 0)
