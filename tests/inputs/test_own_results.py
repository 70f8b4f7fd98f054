"""Results of Steelyard, and other JSON, are no pages: the refusal says what they are and what to do."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from steelyard.inputs.find import find_pages
from steelyard.inputs.page_ref import PageRef

SCORES = {"schema_version": 1, "tool": {"name": "steelyard", "version": "0"}, "scoring": {}, "pages": [], "errors": []}
STUDY = {"inputs": {}, "parameters": {}, "result": {"x": "y" * 9_000}, "schema": "steelyard.falsify/1", "tool": {}}
LINE = {"source": "a.md", "score": 50.0, "components": {}, "scoring": {"edition": "paper"}}


def find(path: Path, content: object, max_bytes: int = 1_000_000) -> list[PageRef]:
    path.write_text(content if isinstance(content, str) else json.dumps(content, indent=2), "utf-8")
    return list(find_pages([str(path)], max_bytes=max_bytes))


def test_a_document_of_scores_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    (ref,) = find(path, SCORES)
    advice = f"score the page itself, or rank the domains of its pages with `steelyard leaderboard {path}`"
    assert ref.error == f"{path}: this is a result of `steelyard score`, not a page; {advice}"


def test_the_result_of_another_command_is_named(tmp_path: Path) -> None:
    (ref,) = find(tmp_path / "study.json", STUDY)
    assert ref.error is not None
    assert "this is a result of steelyard (steelyard.falsify/1), not a page; score the page itself" in ref.error


@pytest.mark.parametrize("content", ["[]", "{}", '[{"text": "x"}]', '{"tool": 5, "schema": 7, "pages": 9}'])
def test_other_json_is_refused_too(tmp_path: Path, content: str) -> None:
    (ref,) = find(tmp_path / "data.JSON", content)
    assert ref.error is not None
    assert "this is JSON, not a page; write pages as records with a `text` key" in ref.error


@pytest.mark.parametrize(
    "content", ["", "{", "Prose that mentions steelyard.", '"text"', "5", "[" * 100_000, "1" * 9_000]
)
def test_what_is_no_object_and_no_list_is_read_as_a_page(tmp_path: Path, content: str) -> None:
    path = tmp_path / "page.json"
    assert find(path, content) == [PageRef(str(path), path=str(path))]


def test_a_file_over_the_limit_is_left_to_the_reader(tmp_path: Path) -> None:
    path = tmp_path / "page.json"
    assert find(path, SCORES, max_bytes=10) == [PageRef(str(path), path=str(path))]


def test_a_table_of_scores_is_refused_and_another_table_is_not(tmp_path: Path) -> None:
    (own,) = find(tmp_path / "own.csv", "source,language,score,content,freshness,shannon_entropy\na.md,en,5,5,5,5\n")
    assert own.error is not None
    assert "steelyard leaderboard" in own.error
    (other,) = find(tmp_path / "other.csv", "source,score\na.md,5\n")
    assert other.error is None


def test_lines_of_scores_are_refused_once_and_other_records_are_read(tmp_path: Path) -> None:
    path = tmp_path / "scores.jsonl"
    lines = [LINE, {"source": "b.md", "error": "gone", "scoring": {}}, LINE, {"text": "a page"}, {"body": "x"}, LINE]
    found = find(path, "\n".join(map(json.dumps, lines)))
    assert [ref.text for ref in found] == [None, "a page", None]
    first, _, last = found
    assert first.source == str(path)
    assert first.error is not None
    assert first.error.startswith(f"{path}: this is a result of `steelyard score`, not a page; ")
    assert last.error is not None
    assert "has no `text`" in last.error


def test_lines_of_scores_with_their_text_are_pages(tmp_path: Path) -> None:
    (ref,) = find(tmp_path / "scores.jsonl", json.dumps({**LINE, "text": "a page"}))
    assert ref.text == "a page"


def test_scores_on_standard_input_are_refused_and_a_page_about_them_is_not() -> None:
    (own,) = find_pages(["-"], stdin=io.BytesIO(json.dumps(SCORES).encode()))
    assert own.error is not None
    assert own.error.startswith("standard input: this is a result of `steelyard score`, not a page; ")
    page = '{"steelyard": "a word in braces"}'
    assert list(find_pages(["-"], stdin=io.BytesIO(page.encode()))) == [PageRef("-", text=page)]


@pytest.mark.parametrize(
    "address", ["https://a.example/page?x=1&y='2'", "HTTP://a.example", "https://a.example/*.html"]
)
def test_an_address_is_answered_with_how_to_fetch_it(address: str) -> None:
    (ref,) = find_pages([address])
    assert ref.error is not None
    assert ref.error.startswith(f"{address}: here pages are read from files; fetch this one with `curl -L ")
    assert "steelyard score page.html --url " in ref.error
    assert "\n" not in ref.error


def test_an_address_is_fetched_where_that_is_wanted() -> None:
    fetched = PageRef("https://a.example/", text="a page")
    assert list(find_pages(["https://a.example/"], fetch=lambda address: fetched)) == [fetched]


def test_the_address_is_quoted_for_the_shell() -> None:
    (ref,) = find_pages(["https://a.example/$(touch x)"])
    assert ref.error is not None
    assert "curl -L 'https://a.example/$(touch x)' -o page.html" in ref.error
