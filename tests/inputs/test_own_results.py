"""Results of Steelyard, and other JSON, are no pages: the refusal says what they are and what to do."""

from __future__ import annotations

import io
import json
from pathlib import Path

from steelyard.inputs.find import find_pages
from steelyard.inputs.page_ref import PageRef

SCORES = {"schema_version": 1, "tool": {"name": "steelyard", "version": "0"}, "scoring": {}, "pages": [], "errors": []}
STUDY = {"inputs": {}, "parameters": {}, "result": {"x": "y" * 9_000}, "schema": "steelyard.falsify/1", "tool": {}}
LINE = {"source": "a.md", "score": 50.0, "components": {}, "scoring": {"edition": "paper"}}


def find(path: Path, content: object, max_bytes: int = 1_000_000) -> list[PageRef]:
    path.write_text(content if isinstance(content, str) else json.dumps(content, indent=2), "utf-8")
    return list(find_pages([str(path)], max_bytes=max_bytes))


# The name and content of a file, and what its refusal says after its name; None for a page.
FILES: list[tuple[str, object, str | None]] = [
    ("result.json", SCORES, "this is a result of `steelyard score`, not a page; score the page itself, or rank the"),
    ("study.json", STUDY, "this is a result of steelyard (steelyard.falsify/1), not a page; score the page itself"),
    *((name, content, "this is JSON, not a page; write pages as records with a `text` key")
      for name, content in (("a.JSON", "[]"), ("b.json", "{}"), ("c.json", '[{"text": "x"}]'),
                            ("d.json", '{"tool": 5, "schema": 7, "pages": 9}'))),
    ("own.csv", "source,language,score,content,freshness,shannon_entropy\na.md,en,5,5,5,5\n",
     "this is a result of `steelyard score`"),
    ("other.csv", "source,score\na.md,5\n", None),
    # What is no object and no list is read as a page.
    *(("page.json", content, None)
      for content in ("", "{", "Prose that mentions steelyard.", '"text"', "5", "[" * 100_000, "1" * 9_000)),
]  # fmt: skip


def test_results_and_other_json_are_refused_with_what_to_do(tmp_path: Path) -> None:
    for name, content, refusal in FILES:
        path = tmp_path / name
        (ref,) = find(path, content)
        if refusal is None:
            assert ref == PageRef(str(path), path=str(path)), name
        else:
            assert (ref.error or "").startswith(f"{path}: {refusal}"), name
    path = tmp_path / "result.json"
    (ref,) = find(path, SCORES)
    assert f"rank the domains of its pages with `steelyard leaderboard {path}`" in (ref.error or "")
    assert find(path, SCORES, max_bytes=10) == [PageRef(str(path), path=str(path))]  # whoever reads it refuses it


def test_lines_of_scores_are_refused_once_and_other_records_are_read(tmp_path: Path) -> None:
    path = tmp_path / "scores.jsonl"
    lines = [LINE, {"source": "b.md", "error": "gone", "scoring": {}}, LINE, {"text": "a page"}, {"body": "x"}, LINE]
    first, page, last = find(path, "\n".join(map(json.dumps, lines)))
    assert (first.source, page.text, last.text) == (str(path), "a page", None)
    assert (first.error or "").startswith(f"{path}: this is a result of `steelyard score`, not a page; ")
    assert "has no `text`" in (last.error or "")
    (ref,) = find(path, json.dumps({**LINE, "text": "a page"}))
    assert ref.text == "a page"


def test_scores_on_standard_input_are_refused_and_a_page_about_them_is_not() -> None:
    (own,) = find_pages(["-"], stdin=io.BytesIO(json.dumps(SCORES).encode()))
    assert own.error is not None
    assert own.error.startswith("standard input: this is a result of `steelyard score`, not a page; ")
    page = '{"steelyard": "a word in braces"}'
    assert list(find_pages(["-"], stdin=io.BytesIO(page.encode()))) == [PageRef("-", text=page)]


def test_an_address_is_answered_with_how_to_fetch_it_unless_it_is_fetched() -> None:
    for address in ("https://a.example/page?x=1&y='2'", "HTTP://a.example", "https://a.example/*.html"):
        (ref,) = find_pages([address])
        assert ref.error is not None
        assert ref.error.startswith(f"{address}: here pages are read from files; fetch this one with `curl -L ")
        assert "steelyard score page.html --url " in ref.error
        assert "\n" not in ref.error
    (ref,) = find_pages(["https://a.example/$(touch x)"])  # quoted for the shell
    assert "curl -L 'https://a.example/$(touch x)' -o page.html" in (ref.error or "")
    fetched = PageRef("https://a.example/", text="a page")
    assert list(find_pages(["https://a.example/"], fetch=lambda address: fetched)) == [fetched]
