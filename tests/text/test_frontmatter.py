"""Front matter: the top-level scalars between two dashed lines, and nothing that a YAML reader would do."""

from __future__ import annotations

from steelyard.text.frontmatter import MAX_LENGTH, read
from steelyard.text.source import Source
from tests.contract.shared import score_text
from tests.hostile.pages import within


def test_scalars_are_read_and_the_page_starts_after_the_closing_line() -> None:
    title = {"title": "x"}
    for text, expected, page in (
        ("---\ntitle: x\ndate: 2026-01-02\n---\n# Page\n", title | {"date": "2026-01-02"}, "# Page\n"),
        *((f"---\ntitle: x\n{closing}\npage", title, "page") for closing in ("---", "...", "---  ", "---\t")),
        ("\ufeff---\ntitle: x\n---\npage", title, "page"),
        ("---\r\ntitle: The tide\r\nx: 1\r\n---\r\npage", {"title": "The tide", "x": "1"}, "page"),
        ("---\ntitle: x\n---", title, ""),
        ("---\n---\n", {}, ""),
        ("---\n---", {}, ""),
        ("---\ntitle: one\nTitle: two\n---\n", {"title": "one"}, ""),
    ):
        matter, start = read(text)
        assert (matter, text[start:]) == (expected, page), text


def test_a_page_without_an_opening_and_a_closing_line_has_none() -> None:
    for text in (
        "", "-", "---", "--- \ntitle: x\n", "# Page\n", " ---\ntitle: x\n---\n", "\n---\ntitle: x\n---\n",
        "----\ntitle: x\n---\n", "---title: x\n---\n", "---\ntitle: x\n --- \n", "---\ntitle: x\n----\n",
        "+++\ntitle = 'x'\n+++\n",
    ):  # fmt: skip
        assert read(text) == ({}, 0), text


def test_a_scalar_is_its_text() -> None:
    for line, value in {
        "key: plain words": "plain words", "key:   spaced   ": "spaced", "KEY: x": "x", 'key: "in quotes"': "in quotes",
        "key: 'in quotes'": "in quotes", 'key: "a # b" # comment': "a # b", "key: a # comment": "a", "key: a#b": "a#b",
        'key: "never closed': '"never closed', "key: ''": "", "key: a: b": "a: b",
        "key: https://e.example/": "https://e.example/", "key: é 水 😀": "é 水 😀",
        "key: !!python/object:os.system": "!!python/object:os.system",
    }.items():  # fmt: skip
        assert read(f"---\n{line}\n---\n")[0] == {"key": value}, line


def test_what_is_no_plain_scalar_is_passed_over() -> None:
    for line in (
        "key:", "key:x", "key: [a, b]", "key: {a: b}", "key: |", "key: >", "key: &a x", "key: *a", "  key: nested",
        "- key: item", "\tkey: tab", "9key: x", "ké: x", ": x", "# key: x", "just words", f"{'k' * 65}: x",
    ):  # fmt: skip
        assert read(f"---\n{line}\nafter: yes\n---\n")[0] == {"after": "yes"}, line


def test_a_head_longer_than_the_limit_is_page_text() -> None:
    assert read("---\n" + "a: b\n" * (MAX_LENGTH // 5 + 10) + "---\npage") == ({}, 0)
    body = "a" * (MAX_LENGTH - 4) + "\n"
    text = f"---\n{body}---not a closing line\n"
    assert text[4 + MAX_LENGTH - 3 : 4 + MAX_LENGTH] == "---"
    assert read(text) == ({}, 0), "a line that only begins with dashes at the limit closes nothing"


def test_any_head_is_read_in_time() -> None:
    for unit in ("a", " ", "\t", ":", "a: ", "\n", "-", "\r", "key: '"):
        with within(5):
            read("---\n" + unit * (2_000_000 // len(unit)))


def test_the_front_matter_is_no_text_of_the_page_and_counts_in_its_offsets() -> None:
    view = Source("---\ntitle: The tide\n---\nThe level of the tide is a number.").structure.view
    assert view.text == "The level of the tide is a number."
    assert view.source_span(0, 3) == (24, 27)
    page = score_text("---\ntitle: " + "word " * 400 + "\n---\nTwo words")
    assert (page.words, page.guard) == (2, "near-empty")
