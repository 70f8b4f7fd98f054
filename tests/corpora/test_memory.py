"""Memory does not grow with the corpus."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.corpora.shared import SHORT

MAX_MEGABYTES = 1_500


def read_megabytes(pid: str) -> float:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:  # it has just ended
        return 0.0
    return sum(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS:"))


def measure_peak(folder: Path, rows: int) -> float:
    """Filter a corpus of so many rows with two processes, and return the most megabytes that all of them held."""
    source = folder / f"{rows}.jsonl"
    with source.open("w") as file:
        for number in range(rows):
            file.write(f'{{"id": {number}, "text": "{SHORT} {number}"}}\n')
    command = [sys.executable, "-m", "steelyard", "filter", str(source), "-o", str(folder / f"{rows}.parquet")]
    process = subprocess.Popen(
        [*command, "--jobs", "2", "--language", "en", "--quiet"],
        stdout=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    peak = 0.0
    while process.poll() is None:
        try:
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        except OSError:
            children = []
        peak = max(peak, sum(map(read_megabytes, [str(process.pid), *children])))
        time.sleep(0.2)
    assert process.returncode == 0
    return peak


@pytest.mark.full
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is read from /proc")
def test_a_million_rows_take_no_more_memory_than_a_few_thousand(tmp_path: Path) -> None:
    small, large = measure_peak(tmp_path, 20_000), measure_peak(tmp_path, 1_000_000)
    assert large < MAX_MEGABYTES
    assert large < small + 100
