"""Memory of `score` does not grow with the number of pages."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

MEASURE = """
import resource, sys
from steelyard.cli.main import main
try:
    main()
except SystemExit as ended:
    assert ended.code == 0, ended.code
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, file=sys.stderr)
"""


def measure_peak(folder: Path, pages: int, form: str) -> float:
    """Score so many small pages, and return the most megabytes that were held."""
    source = folder / f"{pages}.jsonl"
    with source.open("w") as file:
        for number in range(pages):
            file.write(f'{{"text": "Page {number} is one short line of text."}}\n')
    options = ("--language", "en", "--no-evidence", "--jobs", "1", "--quiet", "-o", str(folder / "out"))
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, "score", str(source), "--format", form, *options],
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=True,
    )
    return float(done.stderr)


@pytest.mark.full
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the unit of ru_maxrss differs")
def test_two_hundred_thousand_pages_take_no_more_memory_than_twenty_thousand(tmp_path: Path) -> None:
    small, large = measure_peak(tmp_path, 20_000, "jsonl"), measure_peak(tmp_path, 200_000, "jsonl")
    assert large < small + 10


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the unit of ru_maxrss differs")
@pytest.mark.parametrize(
    ("form", "most"),
    [
        ("json", 0.5),
        ("csv", 4.0),
        pytest.param("jsonl", 0.5, marks=pytest.mark.full),
        pytest.param("human", 2.0, marks=pytest.mark.full),
    ],
)
def test_a_format_keeps_only_what_it_needs_of_a_page(tmp_path: Path, form: str, most: float) -> None:
    """A page kept whole takes more than 10 kB."""
    few, many = measure_peak(tmp_path, 300, form), measure_peak(tmp_path, 2_300, form)
    assert (many - few) / 2_000 * 1_024 < most  # kB a page
