"""The speed of both editions, read from what the bench wrote."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from steelyard.errors import InvalidFile
from steelyard.lab.editions.speed import SPEEDS, divide, read_speed
from tests.conftest import ROOT


def write(path: Path, rows: Any) -> Path:
    path.write_text(json.dumps({"comparison": {"rows": rows}}), "utf-8")
    return path


def test_rows_are_told_apart_by_core_edition_and_what_is_done(tmp_path: Path) -> None:
    rows = {
        "Steelyard, native core, score alone": {"pages_per_second": 3000.0},
        "Steelyard 2026, native core, score alone": {"pages_per_second": 2100},
        "Steelyard, Python core, score and detectors": {"undefined": "the Python core is not in use"},
        "datatrove: Gopher quality and repetition": {"pages_per_second": 150.0},
    }
    found = read_speed(write(tmp_path / "bench.json", rows), "2026")
    assert found == {"native core, score alone": {"reference": 3000.0, "candidate": 2100.0}}
    assert divide(found["native core, score alone"]) == pytest.approx(0.7)
    assert divide({"reference": 3000.0}) is None


def test_the_committed_bench_has_the_rows_of_both_editions() -> None:
    found = read_speed(ROOT / "docs" / "study" / "checks" / "bench.json", "2026")
    assert all(set(found[name]) == {"reference", "candidate"} for name in SPEEDS)


@pytest.mark.parametrize("text", ["", "[]", '{"comparison": 1}', '{"comparison": {"rows": []}}', "\udcff"])
def test_what_is_no_bench_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "bench.json"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(InvalidFile, match=r"run bench"):
        read_speed(path, "2026")
    with pytest.raises(InvalidFile, match=r"run bench"):
        read_speed(tmp_path / "none.json", "2026")
