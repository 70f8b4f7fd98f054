"""A line longer than the memory costs one row, and no more memory than the longest line allowed."""

from __future__ import annotations

import gzip
import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="RLIMIT_AS and sparse files")
SIZE = 1_500_000_000
MEMORY = 2_000_000_000  # bytes of address space; half of it is reserved by libraries
GOOD = b'{"text": "The harbour master keeps a record of every ship and its cargo.", "domain": "a.org", "score": 5}\n'
PACKED = 200_000_000  # bytes of zeros in the packed file; packing all of them would take long


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sparse line of zeros between two good ones, alone, and packed."""
    place = tmp_path_factory.mktemp("lines")
    with (place / "between.jsonl").open("wb") as file:
        file.write(GOOD)
        file.seek(SIZE)
        file.write(b"\n" + GOOD)
    for name in ("zeros.jsonl", "zeros.csv", "zeros.json"):
        with (place / name).open("wb") as file:
            file.truncate(SIZE)
    with gzip.open(place / "between.jsonl.gz", "wb", compresslevel=1) as packed:
        packed.write(GOOD)
        for _ in range(PACKED // 1_000_000):
            packed.write(bytes(1_000_000))
        packed.write(b"\n" + GOOD)
    return place


def run_small(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Run a command in little memory."""
    return subprocess.run(
        [sys.executable, "-m", "steelyard", *arguments],
        cwd=folder,
        capture_output=True,
        env={**os.environ, "STEELYARD_AS_OF": "2026-07-01", "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
        timeout=300,
        check=False,
    )


def test_the_other_records_are_scored(folder: Path) -> None:
    done = run_small(folder, "score", "between.jsonl", "--format", "jsonl", "--jobs", "1", "--no-evidence")
    first, second, third = map(json.loads, done.stdout.splitlines())
    assert done.returncode == 2
    assert first["score"] == third["score"]
    assert (first["source"], third["source"]) == ("between.jsonl:1", "between.jsonl:3")
    assert second["error"].startswith("between.jsonl:2: 1,4")
    assert second["error"].endswith("is over the limit of 20,000,000; raise it with --max-bytes")


@pytest.mark.parametrize("name", [pytest.param("between.jsonl", marks=pytest.mark.full), "between.jsonl.gz"])
def test_the_other_rows_are_filtered(folder: Path, name: str) -> None:
    options = ("--rejects", "rejects.jsonl", "--jobs", "1", "--quiet", "--language", "en")
    done = run_small(folder, "filter", name, "-o", "kept.jsonl", *options, "--min-score", "0")
    assert done.returncode == 0, done.stderr
    assert len((folder / "kept.jsonl").read_bytes().splitlines()) == 2
    reject = json.loads((folder / "rejects.jsonl").read_text())
    assert (reject["row"], reject["reason"]) == (2, "line too long")


REFUSED = {
    "domains between.jsonl": "between.jsonl:2: the line is longer than 50,000,000 bytes",
    "domains zeros.csv": "zeros.csv:1: the line is longer than 50,000,000 bytes",
    "domains zeros.json": "zeros.json: 1,500,000,000 bytes is over the limit of 200,000,000; give it as JSONL",
    "score zeros.json --weights zeros.json": "zeros.json: is over 1 MB",
    "verify --against zeros.json": "zeros.json: is over 100,000,000 bytes",
    "outcome stats zeros.jsonl": "zeros.jsonl: a binary file",
}
HASHED_FIRST = {
    "falsify length --corpus zeros.csv": "zeros.csv: 1,500,000,000 bytes is over the limit",
    "corpus build geo-bench zeros.json -o out": "zeros.json: 1,500,000,000 bytes is over the limit of 200,000,000",
    "corpus build geo-bench zeros.jsonl -o out": "zeros.jsonl:1: the line is longer than 256,000,000 bytes",
    "protocol capture demo -o zeros.jsonl --quiet": "zeros.jsonl:1: a line is longer than any that is written",
}


@pytest.mark.parametrize("refused", [REFUSED, pytest.param(HASHED_FIRST, marks=pytest.mark.full)], ids=["", "hashed"])
def test_readers_that_refuse_a_whole_file_name_the_line(folder: Path, refused: dict[str, str]) -> None:
    for command, reason in refused.items():
        done = run_small(folder, *command.split())
        assert done.returncode == 2, command
        assert reason in done.stderr.decode()
