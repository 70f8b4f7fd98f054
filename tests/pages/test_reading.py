"""How well HTML was read, in every output: doubtful is said first, failed has no score and is never averaged."""

from __future__ import annotations

import csv
import io
import json
from datetime import date
from pathlib import Path

import jsonschema
import pytest

from steelyard.check.formats.json_document import SCHEMA as CHECK_SCHEMA
from steelyard.pages.json_document import SCHEMA
from steelyard.settings import Settings
from steelyard.site.measure import measure
from steelyard.site.model import NOT_MEASURED, SCORED, Fetched, Link
from steelyard.site.report.records import make_table
from steelyard.site.store.rows import VisitRow
from steelyard.site.summary import summarise
from tests.conftest import run_here
from tests.text.test_html_confidence import ARTICLE, COMMENTS, page, paragraphs

pytest.importorskip("trafilatura", reason="needs the html extra")

GOOD = page(ARTICLE)
DOUBTFUL = page(f"{paragraphs([1])}{COMMENTS}")
FAILED = page(f"{paragraphs([1])}<div hidden>{ARTICLE}</div>")
SELECTOR = ("--selector", "main > h1")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, html in (("good", GOOD), ("doubtful", DOUBTFUL), ("failed", FAILED)):
        (tmp_path / f"{name}.html").write_text(html, encoding="utf-8")
    (tmp_path / "text.md").write_text("# Ships\n\nHigh water comes twice a day.\n", encoding="utf-8")
    return tmp_path


def test_json_has_the_reading_of_every_page_and_the_reason_of_every_error(folder: Path) -> None:
    done = run_here("score", ".", "--format", "json", cwd=folder)
    assert done.returncode == 2
    document = json.loads(done.stdout)
    jsonschema.validate(document, SCHEMA)
    readings = {Path(entry["source"]).name: entry["reading"] for entry in document["pages"]}
    assert readings["text.md"] is None
    assert readings["good.html"]["confidence"] == "good"
    assert readings["good.html"]["reason"] is None
    assert readings["doubtful.html"]["confidence"] == "doubtful"
    assert 0 < readings["doubtful.html"]["read_share"] <= 1
    assert [(Path(error["source"]).name, error["reason"]) for error in document["errors"]] == [
        ("failed.html", "reading")
    ]


def test_the_terminal_says_a_doubt_first(folder: Path) -> None:
    lines = run_here("score", "doubtful.html", cwd=folder).stdout.splitlines()
    assert lines[1].startswith("doubtful reading:")
    assert "good reading:" in " ".join(run_here("score", "good.html", cwd=folder).stdout.split())
    assert "doubtful reading:" in run_here("score", "doubtful.html", "good.html", cwd=folder).stdout.splitlines()[0]
    assert "doubtful reading:" in run_here("explain", "doubtful.html", cwd=folder).stdout.splitlines()[1]
    done = run_here("score", "failed.html", cwd=folder)
    assert done.returncode == 2
    assert "% of the words that a visitor sees were read; name the main part with --selector CSS" in done.stderr


def test_a_doubtful_page_gets_no_advice_on_length_and_no_flags(folder: Path) -> None:
    short = page(f"{paragraphs([1])}<div hidden>{paragraphs(range(20, 22))}</div>")
    (folder / "short.html").write_text(short, encoding="utf-8")
    entries = json.loads(run_here("score", "short.html", "--format", "json", "--detect", cwd=folder).stdout)["pages"]
    assert [entry["reading"]["confidence"] for entry in entries] == ["doubtful"]
    assert entries[0]["cap"] is not None
    assert not [move for move in entries[0]["moves"] if move["component"] == "cap"]
    assert "manipulation" not in entries[0]


def test_csv_markdown_and_the_report_say_it(folder: Path) -> None:
    rows = {
        Path(r["source"]).name: r
        for r in csv.DictReader(io.StringIO(run_here("score", ".", "--format", "csv", cwd=folder).stdout))
    }
    assert [rows[f"{name}.html"]["reading"] for name in ("good", "doubtful", "failed")] == [
        "good",
        "doubtful",
        "failed",
    ]
    assert rows["text.md"]["reading"] == rows["failed.html"]["read_share"] == ""
    assert "doubtful reading" in run_here("score", ".", "--format", "markdown", cwd=folder).stdout
    report = run_here("score", ".", "--format", "html", cwd=folder).stdout
    assert "doubtful reading" in report
    assert "good reading" in report
    assert '<del aria-label="left out">' in report


def test_what_was_read_and_left_out_is_shown(folder: Path) -> None:
    for name in ("good", "failed"):
        shown = run_here("score", f"{name}.html", "--show-text", cwd=folder).stdout
        assert "- Imprint of the harbour office" in shown, name
        assert "  The " in shown, name
    assert run_here("score", "good.html", "--show-text", "--format", "json", cwd=folder).returncode == 2


def test_a_selector_names_the_main_part(folder: Path) -> None:
    done = run_here("score", "failed.html", *SELECTOR, "--format", "json", cwd=folder)
    assert done.returncode == 0
    document = json.loads(done.stdout)
    jsonschema.validate(document, SCHEMA)
    assert document["scoring"]["selector"] == SELECTOR[1]
    assert document["pages"][0]["reading"]["confidence"] == "good"
    assert (
        document["pages"][0]["hash"]
        != json.loads(run_here("score", "good.html", "--format", "json", cwd=folder).stdout)["pages"][0]["hash"]
    )
    missing = run_here("score", "good.html", "--selector", "#gone", cwd=folder)
    assert missing.returncode == 2
    assert "#gone" in missing.stderr
    assert run_here("score", "good.html", "--selector", "p:has(", cwd=folder).returncode == 2
    assert run_here("score", "text.md", *SELECTOR, cwd=folder).returncode == 0


def test_the_configuration_has_selectors_for_some_pages(folder: Path) -> None:
    override = '[[overrides]]\nfiles = ["fail*"]\nselector = "main > h1"\n'
    (folder / "steelyard.toml").write_text(override, encoding="utf-8")
    document = json.loads(run_here("check", ".", "--format", "json", "--no-cache", cwd=folder).stdout)
    jsonschema.validate(document, CHECK_SCHEMA)
    readings = {entry["source"]: entry["reading"] for entry in document["pages"]}
    assert {name: reading and reading["confidence"] for name, reading in readings.items()} == {
        "good.html": "good", "doubtful.html": "doubtful", "failed.html": "good", "text.md": None,
    }  # fmt: skip


def test_check_says_it_in_every_format(folder: Path) -> None:
    for form in ("human", "markdown", "github", "sarif", "junit", "json"):
        done = run_here("check", "doubtful.html", "--format", form, "--no-cache", cwd=folder)
        assert "doubtful" in done.stdout, form
    failed = run_here("check", "failed.html", "--format", "json", "--no-cache", cwd=folder)
    assert failed.returncode == 2
    assert [error["reason"] for error in json.loads(failed.stdout)["errors"]] == ["reading"]
    cached = [run_here("check", "doubtful.html", "--cache-dir", "cache", cwd=folder).stdout for _ in range(2)]
    assert cached[0] == cached[1]


def test_the_document_of_an_audit_has_the_reason(folder: Path) -> None:
    done = run_here("audit", "--from-dir", ".", "--format", "json", "--quiet", cwd=folder)
    document = json.loads(done.stdout)
    jsonschema.validate(document, SCHEMA)
    assert [Path(error["source"]).name for error in document["errors"] if error.get("reason") == "reading"] == [
        "failed.html"
    ]
    assert [page["score"] for page in document["pages"] if page["source"].endswith("failed.html")] == []


def test_compare_says_a_doubt(folder: Path) -> None:
    assert "doubtful reading" in run_here("compare", "good.html", "doubtful.html", cwd=folder).stderr
    assert run_here("compare", "good.html", "good.html", cwd=folder).stderr == ""


def test_an_audit_measures_no_failed_reading_and_averages_none() -> None:
    settings = Settings.resolve(as_of=date(2026, 7, 1), detect=True)
    visits = []
    for name, html in (("good", GOOD), ("doubtful", DOUBTFUL), ("failed", FAILED)):
        url = f"https://a.example/{name}"
        visit = measure(Fetched(Link(url), url, 200, "text/html", None, html.encode()), settings)
        visits.append(VisitRow(**{field: getattr(visit, field) for field in visit.__dataclass_fields__}))
    good, doubtful, failed = visits
    assert [visit.state for visit in visits] == [SCORED, SCORED, NOT_MEASURED]
    assert failed.page is None
    assert "--selector CSS" in failed.reason
    assert doubtful.flags == []
    summary = summarise(visits)
    assert summary.figures()["mean"] == pytest.approx(((good.score or 0) + (doubtful.score or 0)) / 2)
    assert [line.url for line in summary.doubtful] == ["https://a.example/doubtful"]
    assert [address.url for address in summary.others] == ["https://a.example/failed"]
    cells = csv.DictReader(io.StringIO(make_table(visits).to_csv()))
    assert [row["reading"] for row in cells] == ["good", "doubtful", "failed"]
