"""Markdown: the structure a reader sees, the reading view without the marks, and the way back to every offset."""

from __future__ import annotations

import pytest

from steelyard.text.markdown import Structure, parse
from steelyard.text.view import View


def view(text: str) -> str:
    return parse(text).view.text


def words(text: str) -> str:
    """The view with single spaces: for tests that are not about white space."""
    return " ".join(view(text).split())


def headings(text: str) -> list[tuple[int, str]]:
    structure = parse(text)
    return [(h.level, structure.view.text[h.start : h.end].strip()) for h in structure.headings]


def pieces(structure: Structure, spans: tuple[tuple[int, int], ...]) -> list[str]:
    found = [" ".join(structure.view.text[a:b].split()) for a, b in spans]
    return [piece for piece in found if piece]


def paragraphs(text: str) -> list[str]:
    structure = parse(text)
    return pieces(structure, structure.paragraphs)


def blocks(text: str) -> list[str]:
    structure = parse(text)
    return pieces(structure, structure.blocks)


def links(text: str) -> list[str]:
    return [link.url for link in parse(text).links]


# Headings


@pytest.mark.parametrize("level", range(1, 7))
def test_one_to_six_hashes_make_a_heading(level: int):
    text = f"{'#' * level} The *tide*\n\nText."
    assert headings(text) == [(level, "The tide")]
    assert words(text) == "The tide Text."


@pytest.mark.parametrize("line", ["#tide", "####### tide", r"\# tide", "a # tide", "    text\n    # tide"])
def test_hashes_that_make_no_heading(line: str):
    assert headings(line + "\n") == []


def test_up_to_three_spaces_may_stand_before_a_heading():
    assert headings("   # The tide") == [(1, "The tide")]


def test_a_heading_ends_the_paragraph_before_it():
    text = "One.\n# Two\nThree."
    assert headings(text) == [(1, "Two")]
    assert paragraphs(text) == ["One.", "Three."]
    assert blocks(text) == ["One.", "Three."]


def test_hashes_that_close_a_heading_are_no_words():
    assert headings("## The tide ##\n") == [(2, "The tide")]
    assert words("## The tide ##\n") == "The tide"
    assert words("# C#\n") == "C#"


def test_a_heading_may_be_empty():
    assert headings("# \n\ntext") == [(1, "")]


@pytest.mark.parametrize(("line", "level"), [("===", 1), ("=", 1), ("---", 2), ("--", 2), ("   ======   ", 1)])
def test_an_underlined_paragraph_is_a_heading(line: str, level: int):
    text = f"The tide\n{line}\nText.\n"
    assert headings(text) == [(level, "The tide")]
    assert words(text) == "The tide Text."
    assert paragraphs(text) == ["Text."]


def test_two_lines_can_be_underlined():
    assert [(level, title.split()) for level, title in headings("The\ntide\n===\n")] == [(1, ["The", "tide"])]


def test_dashes_after_a_blank_line_are_a_rule():
    text = "The tide\n\n---\n\nText."
    assert headings(text) == []
    assert words(text) == "The tide Text."


@pytest.mark.parametrize("above", ["- item", "| a |", "```\ncode\n```", "# Heading"])
def test_dashes_under_anything_else_make_no_heading_of_it(above: str):
    assert [h for h in headings(f"{above}\n---\n") if h[0] == 2] == []


@pytest.mark.parametrize("rule", ["---", "***", "___", "- - -", "* * *", "-----", "  ***"])
def test_a_rule_is_no_word_and_ends_a_block(rule: str):
    text = f"One.\n\n{rule}\nTwo."
    assert words(text) == "One. Two."
    assert blocks(text) == ["One.", "Two."]


# Paragraphs, line breaks, blocks


def test_a_blank_line_ends_a_paragraph_and_a_block():
    text = "One.\nStill one.\n\nTwo.\n \t\nThree."
    assert paragraphs(text) == blocks(text) == ["One. Still one.", "Two.", "Three."]


@pytest.mark.parametrize("mark", ["", "*", "`x` ", "<b>y</b> "])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_soft_line_break_is_a_space_whatever_else_the_page_holds(mark: str, end: str):
    assert "level of" in view(f"{mark}The level{end}of the tide")


def test_blank_lines_stay():
    assert view("One.\n\nTwo.") == "One.\n\nTwo."
    assert view("*One.*\n\nTwo.") == "One.\n\nTwo."


@pytest.mark.parametrize("text", ["", "\n", " \n\t\n", "\r\n\r\n"])
def test_white_space_has_no_structure(text: str):
    structure = parse(text)
    assert (structure.headings, structure.links, structure.hidden) == ((), (), ())
    assert paragraphs(text) == blocks(text) == []


def test_a_line_that_holds_only_a_comment_ends_no_paragraph():
    assert paragraphs("The level\n<!-- note -->\nof the tide.") == ["The level of the tide."]


def test_a_list_and_its_introduction_are_one_block():
    text = "The levels:\n- high\n- low\n\nAfter."
    assert blocks(text) == ["The levels: high low", "After."]
    assert paragraphs(text) == ["The levels:", "After."]


def test_structure_starts_where_it_is_told_to():
    text = "---\na: b\n---\n# Tide\n\nText."
    structure = parse(text, 13)
    assert structure.view.text == "Tide\n\nText."
    assert structure.view.source_span(0, 4) == (15, 19)
    plain = parse("0123456789The tide.", 10)
    assert plain.view.text == "The tide."
    assert plain.view.source_span(0, 3) == (10, 13)
    assert plain.paragraphs == ((0, 9),)


# Lists, quotations, tables


@pytest.mark.parametrize("mark", ["-", "*", "+", "•"])
def test_the_mark_of_a_list_is_no_word_and_its_items_are_no_paragraphs(mark: str):
    text = f"{mark} one of them\n{mark} two of them\n  and more of it\n"
    assert words(text) == "one of them two of them and more of it"
    assert paragraphs(text) == []
    assert len(blocks(text)) == 1


@pytest.mark.parametrize("indent", ["", "  ", "    ", "      ", "\t"])
def test_items_inside_items_are_items(indent: str):
    text = f"- one\n{indent}- two\n{indent}- three\n"
    assert words(text) == "one two three"
    assert paragraphs(text) == []


@pytest.mark.parametrize("number", ["1.", "1)", "12."])
def test_the_number_of_an_item_stays_and_the_item_is_no_paragraph(number: str):
    assert words(f"{number} one\n") == f"{number} one"
    assert paragraphs(f"{number} one\n") == []


@pytest.mark.parametrize("line", ["-5 degrees", "3.5 metres of tide", "1871 was a year", "*bold* words", "--- x"])
def test_what_only_begins_like_an_item_is_a_paragraph(line: str):
    assert len(paragraphs(line)) == 1


def test_a_quotation_is_a_paragraph_without_its_marks():
    text = "> The sea is\n> never level.\n\n> > Twice.\n"
    assert words(text) == "The sea is never level. Twice."
    assert paragraphs(text) == ["The sea is never level.", "Twice."]


def test_a_table_keeps_its_words_and_loses_its_lines():
    text = "| year | level |\n|:-----|------:|\n| 1960 |   412 |\n\nAfter."
    assert words(text) == "year level 1960 412 After."
    assert paragraphs(text) == ["After."]
    assert len(blocks(text)) == 2


def test_a_table_needs_no_pipe_at_its_edges():
    text = "year | level\n---- | -----\n1960 | 412\n\nAfter."
    assert words(text) == "year level 1960 412 After."
    assert paragraphs(text) == ["After."]


def test_a_pipe_in_prose_stays():
    assert words("the choice is a | b here") == "the choice is a | b here"


# Code


@pytest.mark.parametrize("fence", ["```", "~~~", "````", "  ```"])
def test_the_lines_of_a_fence_go_and_the_code_stays(fence: str):
    text = f"Before.\n\n{fence}python\n*x* = [a](b)  # y\n{fence}\n\nAfter."
    assert words(text) == "Before. *x* = [a](b) # y After."
    assert headings(text) == []
    assert paragraphs(text) == ["Before.", "After."]
    assert links(text) == []


def test_code_is_no_structure():
    assert headings("```\n# not a heading\nnor this\n---\n```\n") == []
    assert blocks("```\na\n\nb\n```\n") == ["a b"]


def test_a_fence_is_closed_by_one_of_its_kind_and_at_least_its_length():
    text = "````\n```\n~~~~\nstill code\n````\n# Heading\n"
    assert headings(text) == [(1, "Heading")]
    assert "still code" in words(text)
    assert headings("```\n``` not closing\n# code\n```\n# Heading\n") == [(1, "Heading")]


def test_a_fence_left_open_runs_to_the_end():
    assert headings("```\n# code\n\n# code\n") == []
    assert words("```\n# code") == "# code"


def test_backticks_go_and_what_they_hold_stays():
    assert words("Use `level` and ``tide`` now.") == "Use level and tide now."


def test_marks_inside_backticks_stay():
    assert words("Use `*args` and `a_b_` now.") == "Use *args and a_b_ now."
    assert links("Use `[a](https://e.example/)` now.") == []


# Emphasis and escapes


@pytest.mark.parametrize("mark", ["*", "**", "***", "_", "__", "~~"])
def test_emphasis_goes_and_its_words_stay(mark: str):
    assert view(f"The {mark}level{mark} rose.") == "The level rose."


@pytest.mark.parametrize("text", ["snake_case_name", "3 * 4 * 5", "a ~ b", "5 < 6", "C:\\tide"])
def test_what_is_no_emphasis_stays(text: str):
    assert view(text) == text


@pytest.mark.parametrize("character", list("\\`*_{}[]()#+.!>-"))
def test_an_escaped_mark_is_itself(character: str):
    assert view(f"a \\{character} b") == f"a {character} b"


# Links and images


def test_the_words_of_a_link_stay_and_its_address_is_kept_apart():
    text = 'See [the *ledger*](https://e.example/a "a title") now.'
    assert view(text) == "See the ledger now."
    (link,) = parse(text).links
    assert link.url == "https://e.example/a"
    assert text[link.start : link.end] == '[the *ledger*](https://e.example/a "a title")'


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("[a](https://e.example/a_(b))", "https://e.example/a_(b)"),
        ("[a](<https://e.example/>)", "https://e.example/"),
        ("[a](https://e.example/ 'title')", "https://e.example/"),
        ("[a](/relative)", "/relative"),
        ("[a](#anchor)", "#anchor"),
        ("[a](<two words>)", "two words"),
        ("[a\nb](https://e.example/)", "https://e.example/"),
    ],
)
def test_addresses_of_many_shapes(text: str, address: str):
    assert links(text) == [address]
    assert words(text) in ("a", "a b")


def test_an_image_is_no_text_and_no_link():
    assert words("Before ![the ledger](https://e.example/i.png 'title') after.") == "Before after."
    assert links("![the ledger](https://e.example/i.png)") == []


def test_an_image_inside_a_link_leaves_nothing_behind():
    assert words("Before [![alt](i.png)](https://e.example/) after.") == "Before after."


def test_a_reference_link_keeps_its_words_and_its_definition_is_no_text():
    text = 'See [the ledger][1] and [the gauge][].\n\n[1]: https://e.example/a "title"\n[the gauge]: <https://e.example/b>\n'
    assert words(text) == "See the ledger and the gauge."
    assert sorted(links(text)) == ["https://e.example/a", "https://e.example/b"]
    assert paragraphs(text) == ["See the ledger and the gauge."]


def test_an_address_in_angles_is_text_and_no_second_link():
    assert view("See <https://e.example/a> now.") == "See https://e.example/a now."


@pytest.mark.parametrize("text", ["[a]", "[a] (b)", "a](b)", "[a](b", "[a](b c d)", "[ ] todo", "[1] a note"])
def test_brackets_that_make_no_link_stay(text: str):
    assert view(text) == text
    assert links(text) == []


# HTML


def test_tags_inside_a_line_go_and_their_words_stay():
    assert view("The <b>mean</b> <span class='x'>level</span><sup>2</sup>.") == "The mean level2."


def test_a_block_element_separates_words():
    assert words("one<br>two<p>three</p>four<hr/>five") == "one two three four five"


def test_the_address_of_an_anchor_is_a_link():
    assert links("<a class='x' href='https://e.example/a'>the ledger</a>") == ["https://e.example/a"]
    assert links('<a href="/relative">x</a>') == []


@pytest.mark.parametrize("text", ["a List<T> of <T>", "1 < 2 > 0", "<3", "a <- b", "<>", "< b >", "<mean@e.example>"])
def test_angles_that_make_no_element_stay(text: str):
    assert view(text) == text


@pytest.mark.parametrize(
    "hidden",
    ["<!-- x -->", "<!-- x\n\ny -->", "<!-- <b> -- -->", "<script>x < y</script>", "<style>p {}</style>",
     "<div hidden>x</div>",
     "<div hidden><div>x</div>y</div>", "<p style='display: none'>x</p>", "<template><p>x</p></template>",
     "<SCRIPT>x</SCRIPT>"],
)  # fmt: skip
def test_what_is_hidden_is_not_in_the_view_and_its_span_is_known(hidden: str):
    text = f"Before {hidden} after."
    structure = parse(text)
    assert words(text) == "Before after."
    assert [text[a:b] for a, b in structure.hidden] == [hidden]


def test_what_is_hidden_makes_no_structure():
    text = "<!--\n# Heading\n\n- item\n\n[1]: https://e.example/\n-->\nText.\n"
    assert headings(text) == []
    assert links(text) == []
    assert blocks(text) == ["Text."]


@pytest.mark.parametrize("opening", ["<!--", "<div hidden>", "<script>"])
def test_what_is_hidden_and_never_closed_hides_the_rest(opening: str):
    assert words(f"Before.\n\n{opening} x\n\n# y\n") == "Before."


def test_a_hidden_looking_tag_in_code_is_shown():
    assert words("```\n<div hidden>\n<!--\n```\n\nAfter.") == "<div hidden> <!-- After."
    assert words("Write `<div hidden>` to hide. After.") == "Write <div hidden> to hide. After."


# The view


def test_every_run_of_the_view_leads_back_to_its_place():
    text = "# The *tide*\n\nSee [it](https://e.example/), <b>now</b>.\n"
    shown = parse(text).view
    for word in ("The", "tide", "See", "it", "now"):
        at = shown.text.index(word)
        start, end = shown.source_span(at, at + len(word))
        assert text[start:end] == word
        assert shown.view_offset(start) == at


def test_a_span_over_marks_covers_them():
    text = "The *mean* level"
    shown = parse(text).view
    assert text[slice(*shown.source_span(0, len(shown.text)))] == text
    at = shown.text.index("mean level")
    assert text[slice(*shown.source_span(at, at + 10))] == "mean* level"


def test_an_empty_span_is_a_place():
    shown = parse("a *b* c").view
    assert shown.source_span(2, 2) == (3, 3)
    assert shown.source_span(5, 5) == (7, 7)


def test_what_is_not_shown_stands_where_the_next_character_does():
    shown = parse("a <b>b</b> c").view
    assert shown.text == "a b c"
    assert shown.view_offset(2) == shown.view_offset(5) == 2
    assert shown.view_offset(11) == 4


def test_a_view_of_nothing_is_empty():
    shown = View("", [0], [0])
    assert shown.source_span(0, 0) == (0, 0)
    assert shown.view_offset(0) == 0
