"""Traced numbers: the same arithmetic and the same print as plain ones, with an address through both."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.lab.study.traced import LONGEST, Traced, noting, traced

FLOATS = st.floats(allow_nan=False, allow_infinity=False, width=32)
NUMBERS = FLOATS | st.integers(-10_000, 10_000)
SPECS = st.sampled_from(["", ".2f", "+.1f", ".0%", "g", ",.3f"])


@given(NUMBERS, SPECS)
def test_outside_of_a_ledger_a_number_prints_as_ever(value: float, spec: str):
    number = traced(value, "a#")
    assert format(number, spec) == format(value, spec)
    assert str(number) == str(value)


@given(NUMBERS, SPECS)
def test_within_a_ledger_the_text_is_the_same_and_the_address_known(value: float, spec: str):
    with noting() as read:
        text, (printed,) = read(f"before {traced({'x': [value]}, 'a#')['x'][0]:{spec}} after")
    assert text == f"before {value:{spec}} after"
    assert printed.where == "a#/x/0"
    assert text[printed.start : printed.end] == printed.text == format(value, spec)


@given(NUMBERS, NUMBERS)
def test_arithmetic_is_that_of_plain_numbers_and_names_both_sides(a: float, b: float):
    x, y = traced(a, "p#/a"), traced(b, "p#/b")
    pairs = [
        (x + y, a + b),
        (x - y, a - b),
        (x * y, a * b),
        (x + b, a + b),
        (2 * x, 2 * a),
        (x - 1, a - 1),
    ]
    if b:
        pairs += [(x / y, a / b), (x / b, a / b)]
    if type(a) is type(b):  # a plain float does not ask a traced integer
        pairs += [(a - y, a - b), (a + y, a + b)]
    for found, expected in [*pairs, (-x, -a), (abs(x), abs(a)), (round(x, 1), round(a, 1)), (round(x), round(a))]:
        assert isinstance(found, Traced)
        assert float(found) == expected  # type: ignore[arg-type]
        assert str(found) == str(expected)
    assert (x - y).where == "(p#/a − p#/b)"
    assert (100 * x).where == "(100 × p#/a)"


def test_what_is_no_number_is_left_alone_and_keys_are_escaped():
    value = {"a/b~c": {"yes": True, "none": None, "name": "x", "n": 3}}
    found = traced(value, "s#")
    assert found == value
    assert found["a/b~c"]["yes"] is True
    assert found["a/b~c"]["n"].where == "s#/a~1b~0c/n"


def test_a_traced_number_counts_compares_and_fits_everywhere_a_number_does():
    three, half = traced(3, "s#/n"), traced(0.5, "s#/h")
    assert list(range(three)) == [0, 1, 2]
    assert "abcd"[three] == "d"
    assert max(three, 2) is three
    assert sorted([three, half]) == [0.5, 3]
    assert math.isfinite(half)
    assert {three: "x"}[3] == "x"
    with pytest.raises(TypeError):
        three + "x"


def test_the_address_of_a_long_sum_is_cut():
    total = sum(traced([1.0] * 200, "s#/column"))
    assert total == 200
    assert len(total.where) == LONGEST
    assert total.where.endswith("…")


def test_what_looks_like_a_mark_and_is_none_is_left_alone():
    with noting() as read:
        for forged in ("\ue0007\ue001x\ue002", "\ue000" + "9" * 5000 + "\ue001x\ue002", "\ue000\ue001\ue002"):
            assert read(f"{forged} {traced(1, 's#')}")[0] == f"{forged} 1"


def test_marks_end_with_their_ledger():
    number = traced(1.5, "s#")
    with noting():
        assert f"{number}" != "1.5"
        assert str(number) == "1.5"  # a key of a JSON object is found by it
    assert f"{number}" == "1.5"
