"""What `./run test --all` writes down about itself."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests import whole_run


def report(place: str, *marks: str) -> Any:
    return SimpleNamespace(nodeid=f"{place}::test", keywords=dict.fromkeys(marks, 1))


STATS = {
    "passed": [report("tests/a.py"), report("tests/a.py", "full"), report("tests/b.py", "full")],
    "failed": [report("tests/b.py", "full")],
    "skipped": [report("tests/c.py")],
    "": [report("tests/a.py", "full")],  # set-up and tear-down
}


def test_counts_are_of_all_tests_and_files_of_the_slow_ones():
    found = whole_run.summary(STATS, "2026-07-01", 90.0)
    assert found["counts"] == {"passed": 3, "failed": 1, "error": 0, "skipped": 1, "xfailed": 0}
    assert found["slow"] == {"tests/a.py": {"passed": 1}, "tests/b.py": {"failed": 1, "passed": 1}}
    assert (found["date"], found["minutes"]) == ("2026-07-01", 1.5)


@pytest.mark.parametrize(
    ("setting", "keyword", "source", "worker", "expected"),
    [
        ("1", "", "TESTPATHS", False, True),
        ("", "", "TESTPATHS", False, False),
        ("1", "gates", "TESTPATHS", False, False),
        ("1", "", "ARGS", False, False),
        ("1", "", "TESTPATHS", True, False),
    ],
)
def test_only_a_run_of_everything_is_written_down(
    monkeypatch: pytest.MonkeyPatch, *, setting: str, keyword: str, source: str, worker: bool, expected: bool
):
    monkeypatch.setenv(whole_run.ALL, setting)
    config = SimpleNamespace(getoption=lambda name: keyword, args_source=SimpleNamespace(name=source))
    if worker:
        config.workerinput = {}
    assert whole_run.wanted(config) is expected


def test_the_artifact_says_which_code_it_was(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr(whole_run, "ARTIFACT", tmp_path / "all.json")
    whole_run.write(STATS, 60.0)
    found = json.loads((tmp_path / "all.json").read_text("utf-8"))
    assert found["schema"] == whole_run.SCHEMA
    assert all(len(digest) == 64 for digest in found["inputs"].values())
    assert found["result"]["counts"]["failed"] == 1
