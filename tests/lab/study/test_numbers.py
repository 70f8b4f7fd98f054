"""What is a number in a page, and what only holds digits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.lab.study.numbers import numbers, prose


def found(text: str) -> list[str]:
    return [n.text for n in numbers(text)]


def value(text: str) -> float:
    (number,) = numbers(text)
    return number.value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12 pages", 12),
        ("4,177 pages", 4177),
        ("about 0.35", 0.35),
        ("a step of −0.5 points", -0.5),
        ("a step of -0.5 points", -0.5),
        ("+10.72", 10.72),
        ("41%", 41),
        ("the 75th percentile", 75),
        ("by at most 3e-14", 3e-14),
        ("4x as fast", 4),
        ("(n = 300)", 300),
        ("Ten detectors", 10),
        ("six-word sequences", 6),
        ("Thirty-nine sources", 39),
        ("a hundred queries", 100),
        ("two thousand and", 2000),
        ("three hundred twenty", 320),
        ("three quarters of it", 0.75),
    ],
)
def test_digits_and_words_are_read(text: str, expected: float) -> None:
    assert value(text) == expected


def test_decimals_are_those_that_are_printed() -> None:
    assert [n.decimals for n in numbers("3, 3.0 and 0.125, 1e-9, 2e3")] == [0, 1, 3, 9, -3]


def test_a_range_a_ratio_and_a_list_are_several_numbers() -> None:
    assert found("0.98–1.00, 150/150, 1, 2 or 3-5") == ["0.98", "1.00", "150", "150", "1", "2", "3", "5"]


@pytest.mark.parametrize(
    "text",
    [
        "`72` and ``a ` 5``",
        "```\n72 words\n```",
        "~~~ text\n72 words\n~~~",
        "<!-- 72 -->",
        "[pages](docs/x.md#72) and ![alt](a_(5).png)",
        "https://example.org/72?n=5",
        "<https://example.org/72>",
        "[1]: https://example.org/72",
        "on 2026-07-01, in July 2026, on 3 March 2024, on March 3, 2024, at 2026-06-20T10:00:00Z",
        "textstat 0.7.4 under Python 3.11, CC BY-SA 4.0, v2",
        "§4.2, Section 3, Table 12, Eq. (7), Appendix 2",
        "1. first\n2) second",
        "## 3.1 Gates",
        "geo_bench_2.jsonl and web-3.toml",
        "p95, RE2, GPT-4o, SHA-256, B2B, F1, qwen2.5-coder-1.5b, d8, x8, Apache-2.0",
        "one of them, someone, no one; often, weightings, tension",
        "the first, the tenth, half, twice, a third",
        "<!-- begin: steelyard score x -->\n72\n<!-- end -->",
        "<!-- effect: gaming-1 -->0.0 → 55.6, score +11.42<!-- end -->",
    ],
)
def test_what_only_holds_digits_is_no_number(text: str) -> None:
    assert found(text) == []


def test_small_letters_make_a_figure_of_a_figure() -> None:
    assert found("the figure 8.00 in table 3") == ["8.00", "3"]


def test_link_texts_and_headings_are_read() -> None:
    assert found("## Our scorer on 300 pages\n[On 57 pages](a1.md)") == ["300", "57"]


def test_a_fence_that_is_not_closed_hides_nothing() -> None:
    assert found("```\n72 words\n") == ["72"]


@given(st.text(alphabet="ab 12.,`[]()<>!-\n#|one two", max_size=80))
def test_offsets_point_at_what_is_printed(text: str) -> None:
    assert len(prose(text)) == len(text)
    for number in numbers(text):
        assert text[number.start : number.end] == number.text
