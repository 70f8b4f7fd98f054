"""Processes killed in the middle of 100,000 rows: what comes out is what one undisturbed process gives."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from steelyard.corpora.columns import score_rows
from steelyard.settings import Settings
from tests.corpora.engines.environments import AS_OF, engine_variables, find_python, make_texts, read_rows, run_script
from tests.corpora.engines.test_examples import read_documents

pa = pytest.importorskip("pyarrow")

pytestmark = [pytest.mark.full, pytest.mark.skipif(os.name != "posix", reason="kills processes")]

HERE = Path(__file__).parent
ROWS = 100_000
DISTINCT = 5_000  # rows repeat after these, so that the undisturbed run is short
COLUMNS = ("score", "content", "percentile", "flagged")


@cache
def texts() -> list[str]:
    return make_texts(DISTINCT)


@cache
def undisturbed() -> list[dict[str, Any]]:
    """Return the results of the distinct rows, scored in this process."""
    results = score_rows(texts(), Settings.resolve(as_of=AS_OF))
    return [{f"steelyard_{name}": getattr(results, name)[row] for name in COLUMNS} for row in range(DISTINCT)]


def test_ray_gives_every_row_once_when_a_worker_is_killed(tmp_path: Path):
    import pyarrow.parquet as pq

    source, target = tmp_path / "rows", tmp_path / "scored"
    source.mkdir()
    step = ROWS // 20
    for start in range(0, ROWS, step):
        ids = list(range(start, start + step))
        pq.write_table(pa.table({"id": ids, "text": [texts()[i % DISTINCT] for i in ids]}), source / f"{start}.parquet")
    done = run_script("ray", HERE / "ray_cluster.py", source, target, ROWS, timeout=1800)
    assert "killed" in done.stdout
    assert "workers 3" in done.stdout  # two, and the one that replaced the killed one
    rows = read_rows(target)
    assert [row["id"] for row in rows] == list(range(ROWS))
    assert all({k: row[k] for k in expected} == expected for row, expected in _pair_rows(rows))


def _pair_rows(rows: list[dict[str, Any]]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    return [(row, undisturbed()[row["id"] % DISTINCT]) for row in rows]


def test_datatrove_gives_every_row_once_when_it_is_killed_and_started_again(tmp_path: Path):
    source, target, logs = tmp_path / "rows", tmp_path / "scored", tmp_path / "logs"
    source.mkdir()
    files = 16
    for part in range(files):
        lines = (json.dumps({"id": str(i), "text": texts()[i % DISTINCT]}) + "\n" for i in range(part, ROWS, files))
        (source / f"{part:02}.jsonl").write_text("".join(lines), "utf-8")
    python = find_python("datatrove")
    command = [python, str(HERE / "datatrove_tasks.py"), str(source), str(target), str(logs)]
    with subprocess.Popen(
        command, env=engine_variables(python), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as running:  # fmt: skip
        try:
            _wait_for_tasks(logs, 3)
        finally:
            os.killpg(running.pid, signal.SIGKILL)  # the executor with its tasks, some of them in the middle
    finished = list((logs / "completions").iterdir())
    written = {path: path.stat().st_mtime_ns for path in target.glob("*.gz")}
    assert 3 <= len(finished) < len(written)  # some tasks were finished, others had begun
    done = run_script("datatrove", HERE / "datatrove_tasks.py", source, target, logs, timeout=1800)
    assert f"Skipping {len(finished)} already completed tasks" in done.stderr
    untouched = [path for path, changed in written.items() if path.stat().st_mtime_ns == changed]
    assert len(untouched) == len(finished)
    documents = read_documents(target)
    assert documents.keys() == {str(i) for i in range(ROWS)}
    for name, metadata in documents.items():
        expected = undisturbed()[int(name) % DISTINCT]
        assert {k: metadata[k] for k in expected} == expected


def _wait_for_tasks(logs: Path, n: int) -> None:
    for _ in range(18_000):
        if len(list((logs / "completions").glob("*"))) >= n:
            return
        time.sleep(0.05)
    raise AssertionError("no task was finished in 15 minutes")
