"""Texts out, scores back: by id, whole, and of the same texts."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from steelyard.errors import InvalidFile, SteelyardError
from steelyard.lab.scorers.base import Passage, Range, ScorerFailed
from steelyard.lab.scorers.recorded import RecordedScorer, identify, read_scores, write_passages

PASSAGES = [Passage("One."), Passage("Two,\nin lines", title="T"), Passage("One."), Passage('Three "3"')]


def export(*, is_csv: bool, known: dict[str, object] | None = None) -> str:
    file = io.StringIO(newline="")
    write_passages(file, PASSAGES, known=known or {}, is_csv=is_csv)
    return file.getvalue()


def test_every_different_text_goes_out_once():
    rows = [json.loads(line) for line in export(is_csv=False).splitlines()]
    assert [row["text"] for row in rows] == ["One.", "Two,\nin lines", 'Three "3"']
    assert [row["id"] for row in rows] == [identify(PASSAGES[i]) for i in (0, 1, 3)]
    assert [row.get("title") for row in rows] == [None, "T", None]


@pytest.mark.parametrize("suffix", [".jsonl", ".csv"])
def test_scores_come_back_in_the_form_the_texts_went_out(tmp_path: Path, suffix: str):
    path = tmp_path / f"scores{suffix}"
    if suffix == ".csv":
        lines = export(is_csv=True).splitlines(keepends=True)
        path.write_text("id,text,score\n" + f"{identify(PASSAGES[0])},One.,12.5\n", newline="")
        assert lines[0].strip() == "id,title,text"
    else:
        path.write_text(json.dumps({"id": identify(PASSAGES[0]), "score": 12.5}) + "\n")
    assert read_scores(path) == {identify(PASSAGES[0]): (12.5,)}


def test_a_table_of_a_spreadsheet_with_decimal_commas_is_read(tmp_path: Path):
    path = tmp_path / "scores.csv"
    path.write_text('id;text;score\na;"One; two";12,5\nb;Three;7\n', encoding="utf-8-sig")
    assert read_scores(path) == {"a": (12.5,), "b": (7.0,)}


def test_what_has_a_score_is_not_written_again():
    rows = [json.loads(line) for line in export(is_csv=False, known={identify(PASSAGES[0]): 1}).splitlines()]
    assert [row["text"] for row in rows] == ["Two,\nin lines", 'Three "3"']


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "holds no scores"),
        ("{", ":1: not JSON"),
        ("[]", ":1: a JSON list"),
        ('{"score": 1}', ":1: no id"),
        ('{"id": "a"}\n', "is no number"),
        ('{"id": "a", "score": "12"}', "is no number"),
        ('{"id": "a", "score": true}', "is no number"),
        ('{"id": "a", "score": NaN}', "is no number"),
        ('{"id": "a", "score": 1}\n{"id": "b", "score": 1e999}', ":2: the score of 'b'"),
        ('{"id": "a", "score": 1' + "0" * 400 + "}", "is no number"),
        ("[" * 100_000, ":1: "),
        ("\xff", "not"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, content: str, reason: str):
    path = tmp_path / "scores.jsonl"
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(InvalidFile) as caught:
        read_scores(path)
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    "content", ["text,score\na,1\n", "id,score\na,\n", "id,score\n,1\n", 'id,score\n"a,1\n', "\xff\xfe"]
)
def test_a_bad_table_is_refused(tmp_path: Path, content: str):
    path = tmp_path / "scores.csv"
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(InvalidFile):
        read_scores(path)


def make_scorer(**scores: tuple[float, ...]) -> RecordedScorer:
    by_id = {identify(Passage(text)): values for text, values in scores.items()}
    return RecordedScorer("s.jsonl", by_id, "", Range(0, 10))


def test_a_scorer_of_recorded_scores_rescales_and_gives_repeated_scores_in_turn():
    with make_scorer(a=(1.0, 2.0), b=(11.0,)).open() as session:
        assert [session.score(Passage("a"))["points"] for _ in range(3)] == [10.0, 20.0, 10.0]
        for text in ("b", "absent"):
            with pytest.raises(ScorerFailed):
                session.score(Passage(text))


def test_missing_scores_are_counted_and_foreign_ones_too():
    scorer = make_scorer(a=(1.0,), z=(1.0,))
    assert scorer.require([Passage("a")]) == 1
    with pytest.raises(SteelyardError, match="2 texts of 3 without a score, such as"):
        scorer.require(map(Passage, "abc"))


def test_no_cell_of_a_table_is_a_formula():
    file = io.StringIO(newline="")
    hostile = [
        Passage('=HYPERLINK("http://a.example")', title="@SUM(1)"),
        Passage("+1"),
        Passage("-1"),
        Passage("\t=1"),
    ]
    write_passages(file, hostile, known={}, is_csv=True)
    rows = list(csv.DictReader(io.StringIO(file.getvalue(), newline="")))
    assert [row["id"] for row in rows] == [identify(passage) for passage in hostile]
    assert not any(
        cell.lstrip("\t\r ").startswith(tuple("=+-@")) for row in rows for cell in (row["title"], row["text"])
    )
