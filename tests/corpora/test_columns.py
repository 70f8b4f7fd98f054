"""Rows of texts as columns: the same numbers as page by page, and no row that stops the others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import steelyard
from steelyard import pipeline
from steelyard.components import NAMES
from steelyard.corpora.columns import fail_rows, score_rows
from steelyard.scoring import editions
from steelyard.scoring.page import score_document
from steelyard.text.document import Document
from tests.corpora.shared import GOOD, SETTINGS, SHORT


def test_the_columns_hold_what_scoring_each_page_gives() -> None:
    texts = [GOOD * 4, SHORT, ""]
    columns = score_rows(texts, SETTINGS, evidence=True)
    for index, text in enumerate(texts):
        page = steelyard.score(text, as_of=SETTINGS.as_of)
        assert columns.score[index] == page.score
        assert columns.content[index] == page.content
        assert page.placement is not None
        assert columns.percentile[index] == 100 * page.placement.share
        assert columns.flagged[index] == steelyard.detect(text).flagged
        assert columns.language[index] == page.language
        assert {name: columns.components[name][index] for name in NAMES} == {n: page.readings[n].value for n in NAMES}
        spans = [(n, e.start, e.end, e.line, e.pattern, e.family) for n in NAMES for e in page.readings[n].evidence]
        assert columns.evidence is not None
        assert [tuple(span) for span in columns.evidence[index] or ()] == spans
    assert columns.errors == [None, None, None]
    assert columns.evidence[0]  # type: ignore[index]


def test_evidence_points_into_the_text_as_it_was_written() -> None:
    edition = editions.load("2026")
    text = "Cafe\u0301 " * 3 + "prices rose by 12% in 2019.\n\n" + GOOD * 3  # accents that the edition composes
    columns = score_rows([text], replace(SETTINGS, edition=edition), evidence=True)
    assert columns.evidence is not None
    found = [text[s.start : s.end] for s in columns.evidence[0] or () if s.component == "statistic_density"]
    assert any("12%" in words for words in found)


def test_the_address_of_a_row_decides_what_is_another_site() -> None:
    edition = editions.load("2026")
    text = GOOD * 3 + "See [the tables](https://a.org/tables) and [the office](https://a.org/office) for all figures."
    settings = replace(SETTINGS, edition=edition)
    same, other = score_rows([text] * 2, settings, urls=["https://a.org/page", "https://b.org/page"]).components[
        "citation_f1"
    ]
    assert same != other


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (None, "text is null"),
        (12, "text is not a string: it is a number"),
        (b"bytes", "text is not a string: it is bytes"),
        ("x" * 2_001, "text too long: "),
        ("Der Hafenmeister führt ein Buch über jedes Schiff und seine Ladung, und das seit Jahren. " * 5,
         "language not supported: "),
    ],
)  # fmt: skip
def test_a_row_that_cannot_be_scored_has_an_error_and_no_numbers(text: Any, reason: str) -> None:
    columns = score_rows([SHORT, text, SHORT], replace(SETTINGS, max_bytes=2_000), evidence=True)
    assert columns.errors[0] is columns.errors[2] is None
    assert str(columns.errors[1]).startswith(reason)
    assert columns.score[0] == columns.score[2] is not None
    every = (columns.score, columns.content, columns.percentile, columns.flagged, columns.language, columns.evidence)
    assert [values[1] for values in (*every, *columns.components.values()) if values] == [None] * (6 + len(NAMES))


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


@pytest.mark.parametrize("text", ["\ud800 half a pair", "a\0b", "\u202e\ufeff", "\U0010ffff" * 50])
def test_odd_characters_are_scored(text: str) -> None:
    assert score_rows([text], SETTINGS, evidence=True).errors == [None]


def test_rows_that_failed_together_share_their_error() -> None:
    columns = fail_rows(2, "gone", evidence=True)
    assert (columns.errors, columns.score, columns.evidence) == (["gone"] * 2, [None] * 2, [None] * 2)
