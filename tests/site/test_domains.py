"""`steelyard domains` reads what `steelyard score` writes, and says what it leaves out."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import SENTENCE, run_here

Call = Callable[..., subprocess.CompletedProcess[str]]


def rank(path: Path) -> tuple[list[tuple[str, int]], str]:
    done = run_here("domains", str(path), "--format", "json")
    assert done.returncode == 0, done.stderr
    return [(row["domain"], row["n"]) for row in json.loads(done.stdout)["domains"]], done.stderr


def write(path: Path, *records: object) -> Path:
    path.write_text("\n".join(map(json.dumps, records)))
    return path


@pytest.mark.parametrize("form", ["json", "jsonl", "csv"])
def test_html_is_ranked_by_its_canonical_link_and_files_without_one_are_counted(tmp_path: Path, form: str) -> None:
    site = tmp_path / "site"
    site.mkdir()
    for name, host in (("a", "a.example"), ("b", "a.example"), ("c", "c.example")):
        head = f'<link rel="canonical" href="https://{host}/{name}">'
        text = f"<!doctype html><html><head>{head}</head><body><article><p>{SENTENCE * 9}</p></article></body></html>"
        (site / f"{name}.html").write_text(text)
    (site / "d.md").write_text(SENTENCE * 9)
    (site / "e.txt").write_bytes(b"\0\xff" * 50)
    scores = tmp_path / f"scores.{form}"
    assert run_here("score", str(site), "--format", form, "-o", str(scores), "--language", "en").returncode == 2
    rows, warnings = rank(scores)
    assert sorted(rows) == [("a.example", 2), ("c.example", 1)]
    assert warnings.splitlines() == [
        f"steelyard: {scores}: skipped 1 page without a score",
        f"steelyard: {scores}: skipped 1 page without a `domain` or `url`",
    ]


@pytest.mark.parametrize(("form", "suffix", "name"), [("markdown", "md", "Markdown"), ("html", "html", "HTML")])
def test_a_report_for_people_is_answered_with_the_formats_to_use(page: Path, form: str, suffix: str, name: str) -> None:
    scores = page.parent / f"report.{suffix}"
    run_here("score", str(page), "--format", form, "-o", str(scores))
    done = run_here("domains", str(scores))
    assert done.returncode == 2
    assert f"a {name} report is written for people; score the pages again with --format json or jsonl" in done.stderr


def test_the_address_comes_before_the_domain_and_an_address_as_source_last(tmp_path: Path) -> None:
    rows = write(
        tmp_path / "scores.jsonl",
        {"url": "https://url.example/x", "domain": "domain.example", "score": 50},
        {"url": "no address", "domain": " Domain.example ", "score": 50},
        {"source": "https://source.example/x", "score": 50},
        {"source": "pages/x.md", "score": 50},
        {"url": None, "domain": "", "score": 50},
    )
    found, warnings = rank(rows)
    assert sorted(found) == [("domain.example", 1), ("source.example", 1), ("url.example", 1)]
    assert "skipped 2 pages without a `domain` or `url`" in warnings


def test_when_no_row_has_an_address_the_error_says_what_to_do(tmp_path: Path) -> None:
    path = write(tmp_path / "scores.jsonl", {"site": "a", "score": 5}, {"site": "b", "score": 6})
    done = run_here("domains", str(path))
    assert done.returncode == 2
    assert f"{path}:1: has no `domain` or `url`, like all 2 rows (keys seen: site, score); add one" in done.stderr


@pytest.mark.parametrize("score", ["NaN", "Infinity", '"much"', "null", "true", "101", "-1", "[5]", "1e999", "{}"])
def test_a_score_that_is_none_is_refused_with_its_line(tmp_path: Path, score: str) -> None:
    path = tmp_path / "scores.jsonl"
    path.write_text(f'{{"score": 5}}\n{{"domain": "a.org", "score": 50}}\n{{"domain": "b.org", "score": {score}}}\n')
    done = run_here("domains", str(path))
    assert done.returncode == 2
    assert done.stderr.startswith(f"steelyard: {path}:3: `score` is ")
    assert "give a number from 0 to 100" in done.stderr


def test_a_long_value_is_cut_in_the_message(tmp_path: Path) -> None:
    done = run_here("domains", str(write(tmp_path / "scores.jsonl", {"domain": "a.org", "score": "x" * 100_000})))
    assert done.returncode == 2
    assert len(done.stderr) < 400


@pytest.mark.parametrize("content", ['{"pages": 5}', '{"pages": {}}', "{}", "5", '{"domains": "x"}', '{"pages": []}'])
def test_a_document_without_rows_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "scores.json"
    path.write_text(content)
    done = run_here("domains", str(path))
    assert done.returncode == 2
    assert "holds no records" in done.stderr
