"""Rows of texts as columns: the same numbers as page by page, and no row that stops the others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from steelyard import pipeline
from steelyard.components import NAMES
from steelyard.corpora.columns import fail_rows, score_rows
from steelyard.scoring import editions
from steelyard.scoring.page import score_document
from steelyard.text.document import Document
from tests.corpora.shared import GOOD, SETTINGS, SHORT


def test_evidence_points_into_the_text_as_it_was_written() -> None:
    edition = editions.load("2026")
    text = "Cafe\u0301 " * 3 + "prices rose by 12% in 2019.\n\n" + GOOD * 3  # accents that the edition composes
    columns = score_rows([text], replace(SETTINGS, edition=edition), evidence=True)
    assert columns.evidence is not None
    found = [text[s.start : s.end] for s in columns.evidence[0] or () if s.component == "statistic_density"]
    assert any("12%" in words for words in found)


def test_a_row_that_cannot_be_scored_has_an_error_and_no_numbers() -> None:
    german = "Der Hafenmeister führt ein Buch über jedes Schiff und seine Ladung, und das seit Jahren. " * 5
    failing: list[tuple[Any, str]] = [
        (None, "text is null"),
        (12, "text is not a string: it is a number"),
        (b"bytes", "text is not a string: it is bytes"),
        ("x" * 2_001, "text too long: "),
        (german, "language not supported: "),
    ]
    texts = [SHORT, *(text for text, _ in failing), SHORT]
    columns = score_rows(texts, replace(SETTINGS, max_bytes=2_000), evidence=True)
    assert columns.errors[0] is columns.errors[-1] is None
    assert columns.score[0] == columns.score[-1] is not None
    every = (columns.score, columns.content, columns.percentile, columns.flagged, columns.language, columns.evidence)
    for row, (_, reason) in enumerate(failing, start=1):
        assert str(columns.errors[row]).startswith(reason), reason
        nulls = [values[row] for values in (*every, *columns.components.values()) if values]
        assert nulls == [None] * (6 + len(NAMES)), reason


def test_a_bug_in_scoring_costs_its_row_only(monkeypatch: pytest.MonkeyPatch) -> None:
    real = score_document

    def fail_on_page_two(doc: Document, *arguments: Any, **options: Any) -> Any:
        if "two" in doc.text:
            raise ZeroDivisionError("no words")
        return real(doc, *arguments, **options)

    monkeypatch.setenv("STEELYARD_CORE", "python")
    monkeypatch.setattr(pipeline, "score_document", fail_on_page_two)
    columns = score_rows(["one", "two", "three"], SETTINGS)
    assert [error is None for error in columns.errors] == [True, False, True]
    assert "ZeroDivisionError: no words; this is a bug" in str(columns.errors[1])
    assert columns.evidence is None


def test_odd_characters_are_scored_and_rows_that_failed_together_share_their_error() -> None:
    texts = ["\ud800 half a pair", "a\0b", "\u202e\ufeff", "\U0010ffff" * 50]
    assert score_rows(texts, SETTINGS, evidence=True).errors == [None] * len(texts)
    columns = fail_rows(2, "gone", evidence=True)
    assert (columns.errors, columns.score, columns.evidence) == (["gone"] * 2, [None] * 2, [None] * 2)
