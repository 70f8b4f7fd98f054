"""Evidence that readers marked: what counts as found, and where marks come from; and agreement with their grades."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from steelyard.errors import InvalidFile
from steelyard.lab.corpus import FLATTENED, TEST, CorpusPage
from steelyard.lab.editions import readers
from steelyard.lab.scorers.base import Range
from steelyard.lab.scorers.function import CallableScorer
from steelyard.lab.stats.intervals import wilson_interval
from steelyard.scoring import editions

TEXT = (
    "The mill at Harrow has stood since 1871.\n\nIt grinds 40 tonnes of rye a week, and 12 of 40 farms bring theirs. "
    'According to the Harrow Institute, the water wheel is older. "We will mend it before the winter," said Anna Weir.'
)
MARKED = {
    "id": "mill",
    "quotation": ['"We will mend it before the winter," said Anna Weir'],
    "definition": [],
    "statistic": ["40 tonnes of rye", "12 of 40 farms", "has stood since 1871"],
    "citation": ["According to the Harrow Institute"],
}


def make_page(text: str = TEXT, name: str = "mill") -> CorpusPage:
    return CorpusPage(name, "en", TEST, "", text, " ".join(text.split()))


def write(path: Path, *records: object) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return path


def test_a_mark_is_found_where_a_span_of_its_family_overlaps_it(tmp_path: Path) -> None:
    given = write(tmp_path / "en.jsonl", MARKED)
    found = readers.count_found(editions.load("2026"), "en", [make_page()], given)
    (row,) = found.values()
    assert row["pages"] == 1
    assert (row["statistic"]["found"], row["statistic"]["marks"]) == (2, 3)
    assert row["statistic"]["right"] == row["statistic"]["spans"]
    assert row["quotation"]["found"] == row["citation"]["found"] == 1
    assert row["definition"]["recall"] is None
    assert row["statistic"]["recall"] is None  # one page says nothing about the next


def test_the_interval_of_recall_is_over_pages_and_not_over_marks() -> None:
    pages = [{"marks": 10, "found": 10 * (n % 2), "spans": 0, "right": 0} for n in range(20)]
    low, high = readers.resample_share(pages, "found", "marks", "seed") or (0.0, 0.0)
    narrow_low, narrow_high = wilson_interval(100, 200) or (0.0, 0.0)
    assert low < narrow_low < 0.5 < narrow_high < high
    assert readers.resample_share(pages, "found", "marks", "seed") == [low, high]
    assert readers.resample_share(pages, "right", "spans", "seed") is None
    full = [{"marks": 5, "found": 5}] * 8
    assert readers.resample_share(full, "found", "marks", "seed") == list(wilson_interval(8, 8) or ())
    assert readers.resample_share(pages[:1], "found", "marks", "seed") is None


def test_a_page_is_in_the_half_that_its_id_says(tmp_path: Path) -> None:
    names = [f"page {number}" for number in range(40)]
    halves = {readers.half_of(name) for name in names}
    assert halves == {readers.WRITING, readers.CONFIRMING}
    given = write(tmp_path / "en.jsonl", *({**MARKED, "id": name} for name in names))
    read = list(readers.read_marked([make_page(name=name) for name in names], given))
    assert [which for which, _, _ in read] == [readers.half_of(name) for name in names]


def test_marks_behind_the_cut_are_left_out_but_those_of_another_page_are_an_error(tmp_path: Path) -> None:
    given = write(tmp_path / "en.jsonl", {**MARKED, "statistic": ["12 of 40 farms", "and so on, 9 of 10"]})
    ((_, _, found),) = readers.read_marked([make_page()], given)
    assert len(found["statistic"]) == 1
    given = write(tmp_path / "en.jsonl", {**MARKED, "statistic": ["41 tonnes of rye"]})
    with pytest.raises(InvalidFile, match="give the pages that were marked"):
        list(readers.read_marked([make_page()], given))


def test_a_line_without_the_marks_of_every_family_is_an_error(tmp_path: Path) -> None:
    cases: list[tuple[dict[str, object], str]] = [({"id": "mill", "quotation": []}, "no 'definition'")]
    for marked in (5, None, "40 tonnes", [3], [""], {"a": 1}):
        cases.append(({**MARKED, "statistic": marked}, "'statistic' is no list of texts"))
    for record, message in cases:
        path = write(tmp_path / "en.jsonl", record)
        with pytest.raises(InvalidFile, match=rf"en.jsonl:1: {message}"):
            list(readers.read_marked([make_page()], path))


def test_our_own_marks_are_offsets_by_the_hash_of_a_text() -> None:
    own = readers.load_own_marks()
    assert {record["set"] for record in own.values()} == {readers.READ, readers.UNREAD}
    for record in own.values():
        assert set(record) == {"page", "set", *readers.FAMILIES}, "offsets, and no words of anybody's page"
        assert all(0 <= start < end for family in readers.FAMILIES for start, end in record[family])
    assert readers.hash_text(TEXT) not in own
    assert list(readers.read_marked([make_page()], None)) == []


# Grades

PAGES = [CorpusPage(f"p{n}", "en", TEST, "", "word " * n, "word " * n) for n in range(1, 21)]


def test_a_score_in_the_order_of_the_grades_agrees_fully() -> None:
    grades = {page.id: float(number) for number, page in enumerate(PAGES)}
    scorer = CallableScorer(lambda text: len(text.split()), Range(0, 100), 10.0)
    found = readers.measure_agreement(scorer, PAGES, grades, FLATTENED)
    assert (found["pages"], found["failed"]) == (20, 0)
    assert found["spearman"] == pytest.approx(1.0)
    assert found["interval"] == pytest.approx([1.0, 1.0])


def test_pages_without_a_grade_or_a_score_are_left_out() -> None:
    def score(text: str) -> float:
        return 1.0 / (len(text.split()) - 3)

    grades = {page.id: 5.0 for page in PAGES[:6]}
    found = readers.measure_agreement(CallableScorer(score, Range(-1, 1), 10.0), PAGES, grades, FLATTENED)
    assert (found["pages"], found["failed"]) == (5, 1)
    assert found["spearman"] is None, "equal grades have no order"


def test_grades_are_the_mean_over_readers(tmp_path: Path) -> None:
    path = tmp_path / "grades_en.jsonl"
    path.write_text('{"id": "a", "substance": [3, 4]}\n{"id": "b", "substance": 7}\n', "utf-8")
    assert readers.read_grades(path) == {"a": 3.5, "b": 7.0}


def test_what_is_no_grade_is_refused_by_line(tmp_path: Path) -> None:
    path = tmp_path / "grades_en.jsonl"
    for grade in ("[]", "null", '"7"', "NaN", "[3, null]", "true", "1e999", "{}"):
        path.write_text(f'{{"id": "a", "substance": {grade}}}\n', "utf-8")
        with pytest.raises(InvalidFile, match=r"grades_en.jsonl:1: .*a line of grades holds id and substance"):
            readers.read_grades(path)
