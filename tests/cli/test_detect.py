"""`steelyard score --detect`: the decision beside the score, in every format, and nothing of it without the flag."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from steelyard.detectors.registry import NAMES
from steelyard.report.json_document import SCHEMA
from tests.conftest import ROOT, run_here

Run = Callable[..., subprocess.CompletedProcess[str]]
CLEAN = ROOT / "examples" / "site" / "science" / "city-noise.md"
STUFFING = "Cheap flights, cheap flights to Rome, book cheap flights online, cheap flights today. " * 12


@pytest.fixture
def stuffed(tmp_path: Path) -> Path:
    """A clean page with a stuffed paragraph at its end."""
    path = tmp_path / "stuffed.md"
    path.write_text(f"{CLEAN.read_text('utf-8').rstrip()}\n\n{STUFFING.strip()}\n", "utf-8")
    return path


def wrong(value: Any, schema: dict[str, Any], at: str = "$") -> list[str]:
    """Where a value breaks its JSON Schema, of the keywords that ours uses; an unknown keyword is an error too."""
    known = {"$schema", "title", "type", "properties", "required", "additionalProperties", "items", "enum", "const"}
    assert set(schema) <= known | {"minimum", "maximum", "format"}, schema.keys()
    kinds: dict[str, Any] = {
        "object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "number": (int, float),
        "null": type(None),
    }  # fmt: skip
    allowed = [schema["type"]] if isinstance(schema.get("type"), str) else schema.get("type", list(kinds))
    if not any(isinstance(value, kinds[k]) and (k == "boolean" or not isinstance(value, bool)) for k in allowed):
        return [f"{at}: {value!r} is not {allowed}"]
    found = [f"{at}: {value!r} is not in {schema['enum']}" for _ in [0] if value not in schema.get("enum", [value])]
    found += [f"{at}: {value!r} is not {schema['const']}" for _ in [0] if value != schema.get("const", value)]
    if isinstance(value, int | float):
        inside = schema.get("minimum", value) <= value <= schema.get("maximum", value)
        found += [] if inside else [f"{at}: {value} is out of range"]
    if isinstance(value, dict):
        properties, more = schema.get("properties", {}), schema.get("additionalProperties", True)
        found += [f"{at}: no {name}" for name in schema.get("required", ()) if name not in value]
        for name, inner in value.items():
            if name in properties or isinstance(more, dict):
                found += wrong(inner, properties.get(name, more), f"{at}.{name}")
            elif not more:
                found.append(f"{at}: {name} is not allowed")
    if isinstance(value, list) and "items" in schema:
        found += [w for i, inner in enumerate(value) for w in wrong(inner, schema["items"], f"{at}[{i}]")]
    return found


def test_a_clean_page_exits_0_with_a_note_of_what_was_looked_for():
    done = run_here("score", str(CLEAN), "--detect")
    assert done.returncode == 0, done.stderr
    assert "manipulation: nothing found (suspicion 0." in done.stdout
    assert "% of clean pages of other origins are flagged (" in " ".join(done.stdout.split())
    assert done.stderr == ""


def test_a_stuffed_page_exits_1_and_names_the_detector_and_the_line(stuffed: Path):
    done = run_here("score", str(stuffed), "--detect")
    line = stuffed.read_text("utf-8").rstrip().count("\n") + 1
    assert done.returncode == 1
    (shown,) = (text for text in done.stdout.splitlines() if "manipulation: repetition" in text)
    assert f", line {line})" in shown
    assert ", flagged above 0." in shown
    assert "1 of 1 page flagged by a detector, please check: " in done.stderr
    assert "stuffed.md" in done.stderr
    assert "nothing found" not in done.stdout
    assert max(len(line) for line in done.stdout.splitlines() if "stuffed.md" not in line) <= 80


def test_without_the_flag_nothing_is_said_and_the_page_exits_0(stuffed: Path):
    done = run_here("score", str(stuffed))
    assert done.returncode == 0
    assert "manipulat" not in done.stdout + done.stderr


def test_the_json_has_the_report_agrees_with_its_schema_and_scores_the_same_without(stuffed: Path):
    plain = run_here("score", str(stuffed), str(CLEAN), "--format", "json")
    done = run_here("score", str(stuffed), str(CLEAN), "--detect", "--format", "json")
    assert (plain.returncode, done.returncode) == (0, 1)
    without, document = json.loads(plain.stdout), json.loads(done.stdout)
    assert wrong(document, SCHEMA) == []
    assert wrong(without, SCHEMA) == []
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


def test_the_check_against_the_schema_finds_what_is_wrong():
    document = json.loads(run_here("score", str(CLEAN), "--detect", "--format", "json").stdout)
    report = document["pages"][0]["manipulation"]
    report["suspicion"], report["extra"] = 1.5, 0  # more keys are allowed
    del report["signals"]["links"]["parts"]
    report["signals"]["dump"]["flagged"] = 0
    report["evidence"].append({"detector": "dump", "start": 0, "end": 1, "line": 0})
    assert len(wrong(document, SCHEMA)) == 4


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_every_other_format_exits_1_and_warns_too(stuffed: Path, form: str):
    done = run_here("score", str(stuffed), "--detect", "--format", form)
    assert done.returncode == 1
    assert "1 of 1 page flagged by a detector, please check" in done.stderr
    if form == "jsonl":
        assert json.loads(done.stdout)["manipulation"]["flagged"] is True


def test_a_list_of_pages_says_which_are_flagged_and_by_what(stuffed: Path):
    done = run_here("score", str(stuffed), str(CLEAN), "--detect", COLUMNS="200")
    head, *rows = done.stdout.splitlines()[:3]
    assert head.endswith("  flagged")
    shown = {row.split()[0]: row for row in rows}
    assert "  repetition" in shown[str(stuffed)]
    assert "repetition" not in shown[str(CLEAN)]
    assert "flagged" not in run_here("score", str(stuffed), str(CLEAN)).stdout


def test_an_unreadable_page_outranks_a_flagged_one(stuffed: Path):
    assert run_here("score", str(stuffed), "absent.md", "--detect").returncode == 2


def test_several_processes_find_the_same(stuffed: Path):
    one, two = (
        run_here("score", str(stuffed), str(CLEAN), "--detect", "--format", "json", "--jobs", jobs)
        for jobs in ("1", "2")
    )
    assert one.returncode == two.returncode == 1
    assert one.stdout == two.stdout
