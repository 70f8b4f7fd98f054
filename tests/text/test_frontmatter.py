"""Front matter: the top-level scalars between two dashed lines, and nothing that a YAML reader would do."""

from __future__ import annotations

import pytest

from steelyard.text.frontmatter import MAX_LENGTH, read
from steelyard.text.source import Source
from tests.contract.shared import score_text
from tests.hostile.pages import within


def test_scalars_are_read_and_the_page_starts_after_the_closing_line():
    text = "---\ntitle: The tide\ndate: 2026-01-02\n---\n# Page\n"
    matter, start = read(text)
    assert matter == {"title": "The tide", "date": "2026-01-02"}
    assert text[start:] == "# Page\n"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-",
        "---",
        "--- \ntitle: x\n",
        "# Page\n",
        " ---\ntitle: x\n---\n",
        "\n---\ntitle: x\n---\n",
        "----\ntitle: x\n---\n",
        "---title: x\n---\n",
        "---\ntitle: x\n --- \n",
        "---\ntitle: x\n----\n",
        "+++\ntitle = 'x'\n+++\n",
    ],
)
def test_a_page_without_an_opening_and_a_closing_line_has_none(text: str):
    assert read(text) == ({}, 0)


@pytest.mark.parametrize("closing", ["---", "...", "---  ", "---\t"])
def test_three_dots_close_it_too_and_white_space_may_follow(closing: str):
    text = f"---\ntitle: x\n{closing}\npage"
    matter, start = read(text)
    assert matter == {"title": "x"}
    assert text[start:] == "page"


def test_a_byte_order_mark_may_stand_before_it():
    text = "\ufeff---\ntitle: x\n---\npage"
    assert read(text)[0] == {"title": "x"}
    assert text[read(text)[1] :] == "page"


def test_line_ends_of_windows_are_line_ends():
    text = "---\r\ntitle: The tide\r\ndate: 2026-01-02\r\n---\r\npage"
    matter, start = read(text)
    assert matter == {"title": "The tide", "date": "2026-01-02"}
    assert text[start:] == "page"


def test_it_may_be_the_whole_file():
    assert read("---\ntitle: x\n---") == ({"title": "x"}, len("---\ntitle: x\n---"))
    assert read("---\n---\n") == ({}, 8)
    assert read("---\n---") == ({}, 7)


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("key: plain words", "plain words"),
        ("key:   spaced   ", "spaced"),
        ("KEY: x", "x"),
        ('key: "in quotes"', "in quotes"),
        ("key: 'in quotes'", "in quotes"),
        ('key: "a # b" # comment', "a # b"),
        ("key: a # comment", "a"),
        ("key: a#b", "a#b"),
        ('key: "never closed', '"never closed'),
        ("key: ''", ""),
        ("key: a: b", "a: b"),
        ("key: https://e.example/", "https://e.example/"),
        ("key: é 水 😀", "é 水 😀"),
        ("key: !!python/object:os.system", "!!python/object:os.system"),
    ],
)
def test_a_scalar_is_its_text(line: str, value: str):
    assert read(f"---\n{line}\n---\n")[0] == {"key": value}


@pytest.mark.parametrize(
    "line",
    ["key:", "key:x", "key: [a, b]", "key: {a: b}", "key: |", "key: >", "key: &a x", "key: *a", "  key: nested",
     "- key: item",
     "\tkey: tab", "9key: x", "ké: x", ": x", "# key: x", "just words", f"{'k' * 65}: x"],
)  # fmt: skip
def test_what_is_no_plain_scalar_is_passed_over(line: str):
    assert read(f"---\n{line}\nafter: yes\n---\n")[0] == {"after": "yes"}


def test_the_first_of_two_values_counts():
    assert read("---\ntitle: one\nTitle: two\n---\n")[0] == {"title": "one"}


def test_a_head_longer_than_the_limit_is_page_text():
    text = "---\n" + "a: b\n" * (MAX_LENGTH // 5 + 10) + "---\npage"
    assert read(text) == ({}, 0)


def test_a_line_that_only_begins_with_dashes_at_the_limit_closes_nothing():
    body = "a" * (MAX_LENGTH - 4) + "\n"
    text = f"---\n{body}---not a closing line\n"
    assert text[4 + MAX_LENGTH - 3 : 4 + MAX_LENGTH] == "---"
    assert read(text) == ({}, 0)


@pytest.mark.parametrize("unit", ["a", " ", "\t", ":", "a: ", "\n", "-", "\r", "key: '"])
def test_any_head_is_read_in_time(unit: str):
    with within(5):
        read("---\n" + unit * (2_000_000 // len(unit)))


def test_offsets_of_the_page_include_the_front_matter():
    text = "---\ntitle: The tide\n---\nThe level of the tide is a number."
    view = Source(text).structure.view
    assert view.text == "The level of the tide is a number."
    assert view.source_span(0, 3) == (24, 27)


def test_the_words_of_the_front_matter_are_no_words_of_the_page():
    page = score_text("---\ntitle: " + "word " * 400 + "\n---\nTwo words")
    assert page.words == 2
    assert page.guard == "near-empty"
