"""Agreement with readers' grades, for our score and any other."""

from __future__ import annotations

from pathlib import Path

import pytest

from steelyard.errors import InvalidFile
from steelyard.lab.corpus import FLATTENED, TEST, CorpusPage
from steelyard.lab.editions.readers import measure_agreement, read_grades
from steelyard.lab.scorers.base import Range
from steelyard.lab.scorers.function import CallableScorer

PAGES = [CorpusPage(f"p{n}", "en", TEST, "", "word " * n, "word " * n) for n in range(1, 21)]


def test_a_score_in_the_order_of_the_grades_agrees_fully() -> None:
    grades = {page.id: float(number) for number, page in enumerate(PAGES)}
    scorer = CallableScorer(lambda text: len(text.split()), Range(0, 100), 10.0)
    found = measure_agreement(scorer, PAGES, grades, FLATTENED)
    assert (found["pages"], found["failed"]) == (20, 0)
    assert found["spearman"] == pytest.approx(1.0)
    assert found["interval"] == pytest.approx([1.0, 1.0])


def test_pages_without_a_grade_or_a_score_are_left_out() -> None:
    def score(text: str) -> float:
        return 1.0 / (len(text.split()) - 3)

    grades = {page.id: 5.0 for page in PAGES[:6]}
    found = measure_agreement(CallableScorer(score, Range(-1, 1), 10.0), PAGES, grades, FLATTENED)
    assert (found["pages"], found["failed"]) == (5, 1)
    assert found["spearman"] is None, "equal grades have no order"


def test_grades_are_the_mean_over_readers(tmp_path: Path) -> None:
    path = tmp_path / "grades_en.jsonl"
    path.write_text('{"id": "a", "substance": [3, 4]}\n{"id": "b", "substance": 7}\n', "utf-8")
    assert read_grades(path) == {"a": 3.5, "b": 7.0}


def test_what_is_no_grade_is_refused_by_line(tmp_path: Path) -> None:
    path = tmp_path / "grades_en.jsonl"
    for grade in ("[]", "null", '"7"', "NaN", "[3, null]", "true", "1e999", "{}"):
        path.write_text(f'{{"id": "a", "substance": {grade}}}\n', "utf-8")
        with pytest.raises(InvalidFile, match=r"grades_en.jsonl:1: .*a line of grades holds id and substance"):
            read_grades(path)
