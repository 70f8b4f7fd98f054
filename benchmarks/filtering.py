"""`steelyard filter` from Parquet to Parquet, in one process: how much of the bare core's rate is left."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.own import VARIABLE
from benchmarks.pages import ROOT

COPIES = 5  # of the pages, so that starting counts little


def measure_filter(texts: list[str], core: str) -> dict[str, Any]:
    """Return the rows a second that the command reports, or {"undefined": why not}."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "pages.parquet"
        pq.write_table(pa.table({"text": texts * COPIES}), source)
        options = ["--jobs", "1", "--as-of", "2026-07-01", "--quiet", "--format", "json"]
        done = subprocess.run(
            [sys.executable, "-m", "steelyard", "filter", source, "-o", Path(folder) / "scored.parquet", *options],
            env={**os.environ, VARIABLE: core, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False,
        )  # fmt: skip
    if done.returncode:
        return {"undefined": done.stderr.strip().splitlines()[-1]}
    return {"rows_per_second": json.loads(done.stdout)["throughput"]["rows_per_second"]}
