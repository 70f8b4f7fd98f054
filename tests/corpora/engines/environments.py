"""What the tests of the engines share: an environment for each, rows to score, and a way to run a script there."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests import environments
from tests.conftest import ROOT

LOCKS = Path(__file__).parent / "locks"
EXAMPLES = ROOT / "examples" / "engines"
AS_OF = "2026-07-01"  # the date in all examples
WORDS = 60


def find_python(lock: str) -> str:
    """Return the interpreter of an engine's environment, which is made on first use."""
    return environments.find_python(f"engine-{lock}", LOCKS / f"{lock}.txt")


def engine_variables(python: str) -> dict[str, str]:
    """Return the environment variables under which a script runs in an engine's environment."""
    return {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "PYSPARK_PYTHON": python,  # else Spark's workers are the first python3 on the PATH
        "SPARK_LOCAL_IP": "127.0.0.1",
        "RAY_ADDRESS": "local",  # else Ray joins the cluster of another test
        "RAY_USAGE_STATS_ENABLED": "0",  # the next two: nothing is reported to anyone
        "DO_NOT_TRACK": "1",
    }


def run_script(
    lock: str, script: Path, *arguments: object, timeout: int = 300, exits: tuple[int, ...] = (0,)
) -> subprocess.CompletedProcess[str]:
    """Run a script to its end in an engine's environment; its output is shown when it fails."""
    python = find_python(lock)
    done = subprocess.run(
        [python, str(script), *map(str, arguments)],
        env=engine_variables(python), capture_output=True, text=True, timeout=timeout, check=False,
    )  # fmt: skip
    assert done.returncode in exits, f"exit {done.returncode}: {done.stderr[-3000:]}"
    return done


def make_texts(n: int) -> list[str]:
    """`n` short rows cut from the example pages, each starting at another word."""
    pages = sorted((ROOT / "examples" / "site").rglob("*.md"))
    words = " ".join(p.read_text("utf-8") for p in pages if "fr" not in p.parts).split()
    step = max(1, (len(words) - WORDS) // n)
    return [" ".join(words[i * step : i * step + WORDS]) for i in range(n)]


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a Parquet file or folder in the order of their ids."""
    import pyarrow.parquet as pq

    files = [path] if path.is_file() else sorted(path.rglob("*.parquet"))
    return sorted(_read(pq, files), key=lambda row: int(row["id"]))


def _read(pq: Any, files: list[Path]) -> Iterator[dict[str, Any]]:
    for file in files:
        yield from pq.read_table(file).to_pylist()
