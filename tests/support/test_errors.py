"""Guesses in error messages, and counts in words."""

from __future__ import annotations

import pytest

from steelyard.errors import UnknownName, suggest_name
from steelyard.support.formatting import format_count


@pytest.mark.parametrize(
    ("name", "known", "meant"),
    [
        ("shiped", ("shipped", "prior"), "shipped"),
        ("cvs", ("json", "csv"), "csv"),
        ("flat", ("flattened", "structured"), "flattened"),
        ("shannon", ("mmr_score", "shannon_entropy"), "shannon_entropy"),
    ],
)
def test_a_close_name_is_guessed(name: str, known: tuple[str, ...], meant: str) -> None:
    assert suggest_name(name, known) == f"; did you mean {meant!r}?"


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("de", ("auto", "en", "fr")),
        ("nope", ("extractive", "openai", "llama")),
        ("half", ("test", "train", "all")),
        ("f", ("flattened",)),
        ("", ("flattened",)),
    ],
)
def test_an_unrelated_name_is_answered_with_the_list_alone(name: str, known: tuple[str, ...]) -> None:
    assert suggest_name(name, known) == ""
    assert str(UnknownName("kind", name, known)) == f"unknown kind {name!r} (known: {', '.join(known)})"


def test_one_is_no_plural() -> None:
    assert [format_count(n, "page") for n in (0, 1, 2, 1000)] == ["0 pages", "1 page", "2 pages", "1,000 pages"]
    assert [format_count(n, "query", "queries") for n in (1, 2)] == ["1 query", "2 queries"]
