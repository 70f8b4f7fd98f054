"""Every form of citation marker, what only looks like one, and text made to break the reading of them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.lab.outcome.citations import (
    TOO_LONG,
    blank_markers,
    find_geo_numbers,
    find_markers,
    list_numbers,
    renumber_markers,
)

REPEATABLE = settings(deadline=None, derandomize=True, max_examples=120)
SIGNS = st.text(st.sampled_from("[]【】()^*,;.-–†\\ \n12034٣²aSource:/#\u200f\x00\ud800"), max_size=40)


def ranges(text: str) -> list[tuple[int, int]]:
    return [cited for marker in find_markers(text) for cited in marker.ranges]


def test_every_form_is_read():
    for text, expected in [
        ("[1]", [(1, 1)]),
        ("[ 1 ]", [(1, 1)]),
        ("[1][2]", [(1, 1), (2, 2)]),
        ("[[1]]", [(1, 1)]),
        ("[1, 2]", [(1, 1), (2, 2)]),
        ("[1,2;3 & 4 and 5 et 6]", [(k, k) for k in range(1, 7)]),
        ("[1-3]", [(1, 3)]),
        ("[1–3]", [(1, 3)]),
        ("[1 — 3]", [(1, 3)]),
        ("[3-1]", [(1, 3)]),
        ("[1, 4-6]", [(1, 1), (4, 6)]),
        ("【1】", [(1, 1)]),
        ("【1†source】", [(1, 1)]),
        ("【1†L3-L9】【2†a, b】", [(1, 1), (2, 2)]),
        ("[Source 1]", [(1, 1)]),
        ("[source 1, 2]", [(1, 1), (2, 2)]),
        ("[Sources: 1 and 2]", [(1, 1), (2, 2)]),
        ("[Reference 0, Reference 4]", [(0, 0), (4, 4)]),
        ("[Ref. 3]", [(3, 3)]),
        ("[Doc #7]", [(7, 7)]),
        ("[^1]", [(1, 1)]),
        ("[^1^][^3^]", [(1, 1), (3, 3)]),
        (r"\[4\]", [(4, 4)]),
        ("[\u200f5\u200f]", [(5, 5)]),
        ("[٣]", [(3, 3)]),
        ("[007]", [(7, 7)]),
        ("[1,]", [(1, 1)]),
        ("[1](https://example.org/a) and [2](#note)", [(1, 1), (2, 2)]),
    ]:
        assert ranges(text) == expected


def test_what_is_no_marker_is_text():
    for text in [
        "[]", "[ ]", "[,]", "[a]", "[i : j]", "[Smith et al., 2020]", "[1, see below]", "[1 sylls.]", "[source]",
        "[source: Mayo Clinic]", "[GBT12]", "[1.5]", "[-1]", "[1--3]", "(1)", "{1}", "1]", "[1", "[1, ", "【2", "[1】",
        "【1]", "[1\n2]", "[²]", "[x](https://example.org/1)", "[" + "1," * 300 + "1]",
    ]:  # fmt: skip
        assert ranges(text) == []


def test_a_marker_spans_its_brackets_and_the_address_of_its_link():
    text = "Tides rise [1](https://example.org/tides), and fall [2](see there)."
    assert [text[m.start : m.end] for m in find_markers(text)] == ["[1](https://example.org/tides)", "[2]"]


def test_the_original_sees_one_number_between_punctuation_and_nothing_else():
    assert find_geo_numbers("[1] [2][2] [^3] [*4*] [[5]] [(6).] [0] [12]") == [1, 2, 2, 3, 4, 5, 6, 0, 12]
    assert (
        find_geo_numbers("[1, 2] [1,2] [1-3] [Source 1] [source 1, 2] 【1】 【1†source】 [ 1] [1 ] [a1] [1a] (1) [1")
        == []
    )


@REPEATABLE
@given(SIGNS)
def test_one_pass_finds_what_the_originals_pattern_finds(text: str):
    assert find_geo_numbers(text) == [int(k) for k in re.findall(r"\[[^\w\s]*(\d+)[^\w\s]*\]", text)]


def test_a_number_too_long_for_any_list_is_never_turned_into_an_integer():
    long = "9" * 100_000
    assert find_geo_numbers(f"[{long}]") == [TOO_LONG]
    assert ranges(f"[{'9' * 300}]") == [(TOO_LONG, TOO_LONG)]
    assert ranges(f"[{long}]") == []
    assert find_geo_numbers(f"[{'0' * 5000}1]") == [1]


def test_a_marker_leaves_blanks_and_every_offset_stays():
    text = "Tides rise [1]. Ships【2†source】wait [Source 3, 4].\n[^1]: Tide tables\n[1]: https://example.org\nEnd [5]"
    bare, found = blank_markers(text)
    assert len(bare) == len(text)
    assert bare.split() == ["Tides", "rise", ".", "Ships", "wait", ".", "End"]
    assert bare.count("\n") == text.count("\n")
    assert [text[m.start : m.end] for m in found] == ["[1]", "【2†source】", "[Source 3, 4]", "[5]"]


def cited(text: str) -> list[int]:
    return [low for marker in blank_markers(text)[1] for low, _ in marker.ranges]


def test_only_a_line_that_opens_with_a_footnote_and_a_colon_defines_it():
    assert cited("As said[^1]: it rains.") == [1]
    assert cited("[1]: it rains.") == [1]
    assert cited("Rain.[^2]\n\n  [^2]: [1] The weather of 1871\n") == [2]


@pytest.mark.parametrize("cut", ["[", "[1", "[1, ", "[1-", "[Source", "[Source 1, 2", "【2", "【2†sour", "[^1", "[ "])
def test_a_marker_cut_off_by_the_end_cites_nothing_and_leaves_no_words(cut: str):
    bare, found = blank_markers(f"It was found {cut}")
    assert found == []
    assert bare.split() == ["It", "was", "found"]


def test_a_bracket_cut_off_by_the_end_that_opens_no_marker_is_text():
    assert blank_markers("It was found [the other day")[0] == "It was found [the other day"


def test_ranges_cover_each_number_once_and_never_more_than_asked_for():
    assert list_numbers([(4, 6), (1, 1), (5, 9), (2, 10**9)], 7) == [1, 2, 3, 4, 5, 6, 7]
    assert list_numbers([(0, 0), (8, 9)], 7) == []
    assert list_numbers([(3, 3), (0, 1), (3, 3)], 3) == [1, 3]
    assert list_numbers([], 3) == []


def test_renumbering_keeps_the_form_of_a_marker_and_everything_else():
    text = "In 2 years [2] or [Source 2, 12] 【0†page 2】 [2](https://example.org/2) [2"
    expected = "In 2 years [1] or [Source 1, 3] 【5†page 2】 [1](https://example.org/2) [2"
    assert renumber_markers(text, {2: 1, 12: 3, 0: 5}) == expected


def test_a_number_without_a_new_name_is_not_taken_for_another():
    assert renumber_markers("[4] [1] [99]", {4: 1, 8: 2}) == "[1] [3] [3]"


@REPEATABLE
@given(SIGNS)
def test_any_text_is_read_without_an_error(text: str):
    bare, found = blank_markers(text)
    assert len(bare) == len(text)
    assert all(0 <= low <= high <= TOO_LONG for m in found for low, high in m.ranges)
    same = renumber_markers(text, {k: k for k in range(9999)})
    assert [m.ranges for m in find_markers(same)] == [
        tuple((min(low, 9999), min(high, 9999)) for low, high in m.ranges) for m in find_markers(text)
    ]
