"""One run uses one core, whatever its size, its order, and the number of its processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from steelyard import pipeline
from steelyard.inputs.page_ref import PageRef
from steelyard.native import core
from steelyard.scoring import editions
from steelyard.settings import Settings
from tests.conftest import ROOT

MANY = 45
# A core that fits and fails on every page: what it measures can be told from what Python measures.
PLANTED = """
import gzip, math, steelyard
from steelyard.components import NAMES as COMPONENTS
from steelyard.scoring.page import FORMULAS
from steelyard.text.characters import read_table

VERSION, CHARACTERS = steelyard.__version__, read_table()
from steelyard.native.core import INTERFACE

def probe(texts, numbers):
    values = [(math.log(x), math.log2(x), math.log10(x), x**2 + x**0.5, round(x, 9)) for x in numbers]
    return [len(gzip.compress(text, compresslevel=9, mtime=0)) for text in texts], values

class Core:
    def __init__(self, description): pass
    def add_table(self, *table): pass
    def score(self, tasks, *settings):
        return [("failed", "planted")] * len(tasks)
    def columns(self, tasks, *settings):
        nothing = [None] * len(tasks)
        failed = [("failed", "planted")] * len(tasks)
        return nothing, nothing, nothing, nothing, nothing, [nothing] * len(COMPONENTS), failed
"""


@pytest.fixture
def planted(tmp_path: Path) -> dict[str, str]:
    """The environment of a process that has the planted core."""
    folder = tmp_path / "planted"
    folder.mkdir()
    (folder / "steelyard_core.py").write_text(PLANTED, "utf-8")
    path = f"{folder}{os.pathsep}{ROOT}"
    return {**os.environ, "PYTHONPATH": path, "STEELYARD_CORE": "", "STEELYARD_CACHE": str(tmp_path / "cache")}


def write_pages(folder: Path, number: int) -> Path:
    folder.mkdir()
    for n in range(number):
        (folder / f"page-{n:03}.md").write_text(
            f"# Tide {n}\n\nHigh water comes twice a day in harbour {n}.\n", "utf-8"
        )
    return folder


def write_records(path: Path, number: int) -> Path:
    path.write_text("".join(f'{{"text": "High water comes at {n}."}}\n' for n in range(number)), "utf-8")
    return path


def run(environment: dict[str, str], *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "steelyard", *map(str, arguments)]
    return subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False, timeout=240)


def count_cores(lines: str) -> Counter[str]:
    """Count the pages of `score --format jsonl` by the core that measured them."""
    entries = [json.loads(line) for line in lines.splitlines()]
    return Counter("native" if "planted" in e.get("error", "") else "python" for e in entries if "source" in e)


@pytest.mark.parametrize(
    ("pages", "jobs"), [(1, ()), (3, ("--jobs", 2)), (MANY, ()), (MANY, ("--jobs", 1)), (MANY, ("--jobs", 2))]
)
def test_score_measures_every_page_with_the_native_core(
    pages: int, jobs: tuple[object, ...], planted: dict[str, str], tmp_path: Path
) -> None:
    site = write_pages(tmp_path / "site", pages)
    assert count_cores(run(planted, "score", site, "--format", "jsonl", *jobs).stdout) == {"native": pages}


def test_score_measures_every_line_of_a_record_file_with_the_native_core(
    planted: dict[str, str], tmp_path: Path
) -> None:
    records = write_records(tmp_path / "pages.jsonl", 3)
    assert count_cores(run(planted, "score", records, "--format", "jsonl").stdout) == {"native": 3}


@pytest.mark.parametrize("options", [("--batch-size", 1), ("--batch-size", 50, "--evidence", "--jobs", 2)])
def test_filter_measures_every_row_with_the_native_core(
    options: tuple[object, ...], planted: dict[str, str], tmp_path: Path
) -> None:
    rows = write_records(tmp_path / "rows.jsonl", MANY)
    out, rejects = tmp_path / "out.jsonl", tmp_path / "rejects.jsonl"
    run(planted, "filter", rows, "-o", out, "--rejects", rejects, *options)
    details = [json.loads(line)["detail"] for line in rejects.read_text().splitlines()]
    assert (len(details), sum("planted" in detail for detail in details)) == (MANY, MANY)


@pytest.mark.parametrize(("pages", "jobs"), [(3, 2), (MANY, 1), (MANY, 2)])
def test_check_and_compare_measure_every_page_with_the_native_core(
    pages: int, jobs: int, planted: dict[str, str], tmp_path: Path
) -> None:
    old, new = write_pages(tmp_path / "old", pages), write_pages(tmp_path / "new", 1)
    checked = run(planted, "check", old, "--jobs", jobs, "--format", "json")
    assert len(json.loads(checked.stdout)["errors"]) == pages
    compared = run(planted, "compare", old, new, "--jobs", jobs, "--format", "json")
    assert len(json.loads(compared.stdout)["errors"]) == pages - 1  # one is the same in both


def test_pages_that_come_one_by_one_are_measured_by_the_native_core_from_the_first_on(planted: dict[str, str]) -> None:
    code = (
        "import steelyard\n"
        f"for n in range({MANY}):\n"
        "    try: print('python', steelyard.score(f'High water comes at {n}.').words)\n"
        "    except RuntimeError as error: print('native', error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=planted, cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert Counter(line.split()[0] for line in done.stdout.splitlines()) == {"native": MANY}


@pytest.mark.parametrize("decided", ["python", ""])
def test_a_process_gets_the_decision_of_its_parent_and_not_one_of_its_own(
    decided: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("STEELYARD_CORE", raising=False)
    sent: list[Settings] = []

    def work_elsewhere(work: Any, refs: object, jobs: int) -> list[object]:
        sent.append(work.keywords["settings"])
        return []

    monkeypatch.setattr(pipeline, "ordered_map", work_elsewhere)
    edition = editions.load()
    settings = Settings.resolve(as_of=date(2026, 7, 1), edition=edition, core=decided)
    assert list(pipeline.analyse_all([PageRef("page", text="High water.")], settings, jobs=2)) == []
    assert [one.core for one in sent] == [decided or core.choose_core()]
