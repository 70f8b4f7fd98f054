"""Addresses of values in a study's results, and how the values are printed."""

from __future__ import annotations

from typing import Any

import pytest

from steelyard.lab.study.findings import format_value
from steelyard.lab.study.pointers import look_up, split_form

RESULT = {
    "gains": [{"edit": "quotation", "dose": 1, "mean": 6.4}, {"edit": "quotation", "dose": 8, "mean": 2.7}],
    "engines": {"a": {"rho": 0.1}, "b": {"rho": 0.3}, "c": {"rho": None}},
    "empty": [],
}


def test_an_address_leads_to_its_value_or_to_none() -> None:
    for pointer, value in {
        "gains/1/mean": 2.7,
        "gains/edit=quotation&dose=8/mean": 2.7,
        "gains/edit=statistics&dose=8/mean": None,
        "gains/7/mean": None,
        "gains/*/mean|max": 6.4,
        "engines/*/rho|span": [0.1, 0.3],
        "engines/*/rho|mean": 0.2,
        "engines/d/rho": None,
        "engines|len": 3,
        "empty|len": None,
        "nothing/*/rho|min": None,
    }.items():
        found = look_up({"study": RESULT}.get, f"study#/{pointer}")
        assert found == (pytest.approx(value) if value else value), pointer
        assert look_up(dict[str, Any]().get, f"study#/{pointer}") is None, pointer


def test_a_format_at_the_end_is_no_step() -> None:
    assert split_form("a#/b/*|span|+.1f") == ("a#/b/*|span", "+.1f")
    assert split_form("a#/b/*|span") == ("a#/b/*|span", "")
    assert split_form("a#/b") == ("a#/b", "")


def test_a_value_is_printed_as_people_read_it() -> None:
    cases: tuple[tuple[Any, str, str], ...] = (
        (-0.26, "+.1f", "−0.3"),
        (0.26, "+.1f", "+0.3"),
        (-0.01, "+.1f", "0.0"),
        (0.047, ".1%", "4.7%"),
        (1100, ".3f", "1,100"),
        (0.0004, "p", "< 0.001"),
        ([-0.02, 0.117], ".2f", "−0.02 to 0.12"),
        ([50.0, 30.0, 30.0], ".0f", "50, 30, 30"),
        (["a", "b"], ".3f", "a, b"),
        ([None, 1.0], ".3f", "–"),
        ([], ".3f", "–"),
        (True, ".3f", "yes"),
        ("sqrt", ".3f", "sqrt"),
        (None, ".3f", "–"),
        ({"mean": 1.0}, ".3f", "–"),
    )
    for value, form, text in cases:
        assert format_value(value, form) == text
