"""Detectors in `steelyard score`: shown by default in every format, an exit code with --detect, nothing without."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from steelyard.detectors import NAMES
from steelyard.detectors.false_positives import load_false_positives, name_length
from steelyard.pages.json_document import SCHEMA
from tests.conftest import ROOT, run_here

CLEAN = ROOT / "examples" / "site" / "science" / "city-noise.md"
STUFFING = "Cheap flights, cheap flights to Rome, book cheap flights online, cheap flights today. " * 12


@pytest.fixture
def stuffed(tmp_path: Path) -> Path:
    """A clean page with a stuffed paragraph at its end."""
    path = tmp_path / "stuffed.md"
    path.write_text(f"{CLEAN.read_text('utf-8').rstrip()}\n\n{STUFFING.strip()}\n", "utf-8")
    return path


def test_a_stuffed_page_exits_1_and_names_the_detector_and_the_line(stuffed: Path):
    done = run_here("score", str(stuffed), "--detect")
    line = stuffed.read_text("utf-8").rstrip().count("\n") + 1
    assert done.returncode == 1
    (shown,) = (text for text in done.stdout.splitlines() if "manipulation: repetition" in text)
    assert f", line {line})" in shown
    assert "1 of 1 page flagged by a detector, please check: " in done.stderr
    assert "stuffed.md" in done.stderr
    clean = run_here("score", str(CLEAN), "--detect")
    assert (clean.returncode, clean.stderr) == (0, "")
    assert f"manipulation: nothing found by {len(NAMES)} detectors\n" in clean.stdout
    without = run_here("score", str(stuffed), "--no-detect")
    assert without.returncode == 0
    assert "manipulat" not in without.stdout + without.stderr


def test_by_default_what_is_flagged_is_shown_with_its_rate_and_exits_0(stuffed: Path):
    done = run_here("score", str(stuffed))
    assert (done.returncode, done.stderr) == (0, "")
    shown = " ".join(done.stdout.split())
    assert "manipulation: repetition (" in shown
    rate = load_false_positives()[name_length(500)]
    assert f"{rate.rate:.1%} of {rate.pages} honest pages of {rate.length} are flagged too" in shown
    many = run_here("score", str(stuffed), str(CLEAN))
    assert (many.returncode, many.stderr) == (0, "")
    assert f"manipulation: 1 of 2 pages flagged by {len(NAMES)} detectors" in many.stdout
    assert "repetition" in many.stdout
    clean = run_here("score", str(CLEAN), str(CLEAN.parent / "heat-pumps.md"))
    assert f"manipulation: nothing found by {len(NAMES)} detectors" in clean.stdout
    for form, words in (
        ("json", '"manipulation"'),
        ("jsonl", '"manipulation"'),
        ("csv", "flagged"),
        ("html", "manipulation: repetition"),
    ):
        assert words in run_here("score", str(stuffed), "--format", form).stdout, form
        assert words not in run_here("score", str(stuffed), "--no-detect", "--format", form).stdout, form


def test_the_json_has_the_report_agrees_with_its_schema_and_scores_the_same_without(stuffed: Path):
    plain = run_here("score", str(stuffed), str(CLEAN), "--no-detect", "--format", "json")
    done = run_here("score", str(stuffed), str(CLEAN), "--detect", "--format", "json")
    assert (plain.returncode, done.returncode) == (0, 1)
    without, document = json.loads(plain.stdout), json.loads(done.stdout)
    jsonschema.validate(document, SCHEMA)
    jsonschema.validate(without, SCHEMA)
    reports = {Path(page["source"]).name: page.pop("manipulation") for page in document["pages"]}
    assert document == without
    assert all("manipulation" not in page for page in without["pages"])
    assert [reports[path.name]["flagged"] for path in (stuffed, CLEAN)] == [True, False]
    for report in reports.values():
        assert tuple(report["signals"]) == NAMES
        assert report["flagged"] == any(s["flagged"] for s in report["signals"].values())
    text = stuffed.read_text("utf-8")
    for place in reports[stuffed.name]["evidence"]:
        assert place["line"] == text.count("\n", 0, place["start"]) + 1
    assert {e["detector"] for e in reports[stuffed.name]["evidence"]} >= {"repetition", "duplication"}
    assert reports[CLEAN.name]["evidence"] == []


def test_every_format_exits_1_for_a_flagged_page_and_2_for_an_unreadable_one(stuffed: Path):
    for form in ("jsonl", "csv", "markdown", "html"):
        assert run_here("score", str(stuffed), "--detect", "--format", form).returncode == 1, form
    assert run_here("score", str(stuffed), "absent.md", "--detect").returncode == 2


def test_several_processes_find_the_same(stuffed: Path):
    one, two = (
        run_here("score", str(stuffed), str(CLEAN), "--detect", "--format", "json", "--jobs", jobs)
        for jobs in ("1", "2")
    )
    assert one.returncode == two.returncode == 1
    assert one.stdout == two.stdout
