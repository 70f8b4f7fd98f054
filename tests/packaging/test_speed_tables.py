"""Tables of measurements beside the study: sizing states its spread, fuzzing the pages that each check ran on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.comparison import _describe, print_comparison
from tools import fuzzing, speed


def write(path: Path, **more: Any) -> Path:
    found = {"seconds": 2.0, "pages": 10, "kept": None, "peak_megabytes": 100.0, **more}
    row = _describe({**found, "milliseconds_by_words": {"100": 1.0}}, 1_000_000, 4.0)
    path.write_text(json.dumps({"comparison": {"rows": {"our core": row}}}), "utf-8")
    return path


def test_sizing_names_the_fastest_and_the_slowest_round(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed, "BENCH", write(tmp_path / "bench.json", seconds_of_rounds=[2.0, 3.0, 2.5]))
    table = speed.render_table("sizing")
    assert "| 1 TB | 555.6 to 833.3 |" in table  # hours of 2 and 3 seconds for a megabyte
    assert "The fastest and the slowest of 3 rounds" in table


def test_the_comparison_that_is_printed_names_both_rounds_too(capsys: pytest.CaptureFixture[str]) -> None:
    found = {"seconds": 2.0, "pages": 10, "kept": None, "peak_megabytes": 100.0, "seconds_of_rounds": [2.0, 3.0]}
    row = _describe({**found, "milliseconds_by_words": {"100": 1.0}}, 1_000_000, 4.0)
    print_comparison({"pages": 10, "words": 370, "rows": {"our core": row}, "without_lines": {}, "filter": {}})
    assert "555.6 to 833.3" in capsys.readouterr().out


def test_sizing_says_when_no_spread_was_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed, "BENCH", write(tmp_path / "bench.json"))
    table = speed.render_table("sizing")
    assert "| 1 TB | 555.6 |" in table
    assert "was not recorded" in table


def test_every_check_of_the_fuzzer_says_on_how_many_pages_it_ran() -> None:
    table = fuzzing.render_table()
    for run in fuzzing.RUNS.values():
        counted = json.loads((fuzzing.CHECKS / f"{run}.json").read_text("utf-8"))
        assert f"{counted['pages']:,}" in table
        for check, pages in counted["sampled"].items():
            (row,) = (line for line in table.splitlines() if check in line)
            assert f" {pages:,} " in row
