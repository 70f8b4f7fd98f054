"""`steelyard domains` reads what `steelyard score` writes, and says what it leaves out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import SENTENCE, run_here


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


def test_what_cannot_be_ranked_says_what_to_do(tmp_path: Path) -> None:
    nowhere = '{"site": "a", "score": 5}\n{"site": "b", "score": 6}'
    for name, content, message in (
        (
            "report.md",
            "# A report",
            "a Markdown report is written for people; score the pages again",
        ),
        ("report.html", "<p>", "a HTML report is written for people; score the pages again"),
        ("scores.jsonl", nowhere, ":1: has no `domain` or `url`, like all 2 rows (keys seen: site, score); add one"),
        *(("scores.json", content, "holds no records") for content in ('{"pages": 5}', '{"pages": {}}', "{}", "5")),
        *(("scores.json", content, "holds no records") for content in ('{"domains": "x"}', '{"pages": []}')),
    ):
        (tmp_path / name).write_text(content)
        done = run_here("domains", str(tmp_path / name))
        assert (done.returncode, message in done.stderr) == (2, True), (content, done.stderr)


def test_a_score_that_is_none_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "scores.jsonl"
    long = f'"{"x" * 100_000}"'
    for score in ("NaN", "Infinity", '"much"', "null", "true", "101", "-1", "[5]", "1e999", "{}", long):
        path.write_text(f'{{"score": 5}}\n{{"domain": "a.org", "score": 50}}\n{{"domain": "b", "score": {score}}}\n')
        done = run_here("domains", str(path))
        assert done.returncode == 2, score
        assert done.stderr.startswith(f"steelyard: {path}:3: `score` is ")
        assert "give a number from 0 to 100" in done.stderr
        assert len(done.stderr) < 400
