"""Guesses in error messages, and counts in words."""

from __future__ import annotations

from steelyard.errors import UnknownName, suggest_name
from steelyard.support.formatting import format_count


def test_a_close_name_is_guessed_and_an_unrelated_one_is_not() -> None:
    for name, known, meant in (
        ("shiped", ("shipped", "prior"), "shipped"),
        ("cvs", ("json", "csv"), "csv"),
        ("flat", ("flattened", "structured"), "flattened"),
        ("shannon", ("mmr_score", "shannon_entropy"), "shannon_entropy"),
        ("de", ("auto", "en", "fr"), None),
        ("nope", ("extractive", "openai", "llama"), None),
        ("half", ("test", "train", "all"), None),
        ("f", ("flattened",), None),
        ("", ("flattened",), None),
    ):
        guess = f"; did you mean {meant!r}?" if meant else ""
        assert suggest_name(name, known) == guess, name
        assert str(UnknownName("kind", name, known)) == f"unknown kind {name!r}{guess} (known: {', '.join(known)})"


def test_one_is_no_plural() -> None:
    assert [format_count(n, "page") for n in (0, 1, 2, 1000)] == ["0 pages", "1 page", "2 pages", "1,000 pages"]
    assert [format_count(n, "query", "queries") for n in (1, 2)] == ["1 query", "2 queries"]
