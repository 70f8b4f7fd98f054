"""`steelyard score` over many pages: results are written as they come, and outputs are checked before the work."""

from __future__ import annotations

import io
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from steelyard.errors import CannotWrite
from steelyard.pages import score_command as score
from steelyard.pages.score_output import Spreadsheet
from steelyard.pipeline import analyse_all
from steelyard.scoring import editions
from steelyard.support.artifacts import ReplacedFile
from steelyard.terminal.options import build_settings
from tests.conftest import ROOT, SENTENCE, run_here


@pytest.fixture
def records(tmp_path: Path) -> Path:
    path = tmp_path / "pages.jsonl"
    path.write_text("".join(json.dumps({"text": f"{SENTENCE * 5} Page {n}."}) + "\n" for n in range(4)))
    return path


def test_lines_reach_a_file_beside_the_output_while_pages_are_scored(
    records: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = records.parent / "out.jsonl"
    output.write_text("old")
    seen: list[tuple[str, int]] = []
    real = analyse_all

    def watch(*arguments: Any, **options: Any) -> Any:
        for result in real(*arguments, **options):
            [new] = records.parent.glob(".steelyard-*")
            seen.append((output.read_text(), written(new)))
            yield result

    monkeypatch.setattr(score, "analyse_all", watch)
    monkeypatch.setattr("steelyard.support.artifacts.open", unbuffered, raising=False)
    done = run_here("score", str(records), "--format", "jsonl", "-o", str(output), "--jobs", "1")
    assert done.returncode == 0
    assert seen == [("old", 0), ("old", 1), ("old", 2), ("old", 3)]
    assert len(output.read_text("utf-8").splitlines()) == 4
    assert not list(records.parent.glob(".steelyard-*"))


def written(path: Path) -> int:
    return len(path.read_text("utf-8").splitlines())


def unbuffered(file: Any, mode: str) -> Any:
    return open(file, mode, buffering=0)


def test_the_findings_are_the_same_as_in_other_formats(records: Path) -> None:
    stuffed = "cheap shoes buy cheap shoes best cheap shoes online " * 40
    with records.open("a") as file:
        file.write((json.dumps({"text": stuffed}) + "\n") * 7)
    ends = {}
    for form in ("json", "jsonl"):
        done = run_here("score", str(records), "--format", form, "--detect", "--min-score", "99", "-o", os.devnull)
        ends[form] = (done.returncode, done.stderr)
    assert ends["json"] == ends["jsonl"]
    code, err = ends["jsonl"]
    assert code == 1
    assert "11 of 11 pages below 99, the lowest is " in err
    assert "flagged by a detector, please check: " in err
    assert err.rstrip().endswith(", …")


@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_evidence_can_be_left_out(form: str) -> None:
    page = str(ROOT / "examples" / "site" / "guides" / "home-insulation.md")
    entries = []
    for options in ((), ("--no-evidence",)):
        out = run_here("score", page, "--format", form, "--detect", *options).stdout
        entries.append(json.loads(out)["pages"][0] if form == "json" else json.loads(out))
    full, short = entries
    assert full["components"]["statistic_density"].pop("evidence")
    assert all("evidence" not in component for component in short["components"].values())
    assert "evidence" in full.pop("manipulation")
    assert "evidence" not in short.pop("manipulation")
    assert "freshness_evidence" in full
    assert "freshness_evidence" not in short
    assert short["score"] == full["score"]
    assert len(json.dumps(short)) < 0.7 * len(json.dumps(full))


def test_a_failed_run_leaves_the_old_output(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> Any:
        raise RuntimeError("broken")

    monkeypatch.setattr(score, "analyse_all", fail)
    (page.parent / "out.jsonl").write_text("old")
    done = run_here("score", str(page), "--format", "jsonl", "-o", str(page.parent / "out.jsonl"))
    assert done.returncode == 2
    assert (page.parent / "out.jsonl").read_text() == "old"
    assert sorted(os.listdir(page.parent)) == ["out.jsonl", "page.md"]


def test_the_time_left_is_shown_for_records(records: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    out = Terminal()
    times = iter(range(1_000))
    monkeypatch.setattr(sys, "stderr", out)
    monkeypatch.setattr(time, "monotonic", lambda: next(times))
    settings = build_settings(
        {"as_of": None, "weights": None, "edition": editions.load(), "language": "auto", "title": None, "url": None,
         "max_bytes": 1_000_000},
        keep_text=False,
    )  # fmt: skip
    assert len(list(score._score_targets([str(records)], settings, (), 1, quiet=False, writer=Spreadsheet))) == 4
    assert "3/4 pages · 1.0/s · 1 s left" in out.getvalue()


def test_a_replaced_file_keeps_the_rights_of_the_old_one(tmp_path: Path) -> None:
    target = tmp_path / "out"
    target.write_text("old")
    target.chmod(0o640)
    file = ReplacedFile(target)
    file.write("new \ud800")
    file.keep()
    file.discard()
    assert target.read_text() == "new \\ud800"
    assert target.stat().st_mode & 0o777 == 0o640
    with pytest.raises(CannotWrite):
        ReplacedFile(tmp_path / "absent" / "out")
