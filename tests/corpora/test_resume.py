"""A run that was killed continues: nothing lost, nothing twice, the same bytes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from steelyard.corpora import run as module
from steelyard.corpora.columns import AddedColumns
from steelyard.corpora.plan import Thresholds
from steelyard.corpora.run import filter_corpus
from steelyard.errors import CorpusRefused, RunDiffers, RunInterrupted, SteelyardError
from steelyard.support.lock import Lock
from tests.conftest import ROOT
from tests.corpora.shared import SETTINGS, SHORT, make_plan, make_rows, read_jsonl, run_filter, write_jsonl


def write_source(folder: Path, kind: str, count: int = 15) -> Path:
    rows = [{"id": n, "text": SHORT * (1 + n % 2 * 8)} for n in range(count)]
    if kind == "jsonl":
        return write_jsonl(folder / "in.jsonl", rows)
    pq.write_table(pa.Table.from_pylist(rows), folder / "in.parquet", row_group_size=4)
    return folder / "in.parquet"


KINDS = ("jsonl", "parquet")
TARGETS = ("out.jsonl", "out.jsonl.zst", "out.parquet")


@pytest.mark.parametrize(
    ("kind", "target", "every", "kills"),
    [
        ("jsonl", "out.jsonl.gz", 7, 5),
        ("parquet", "out.parquet", 7, 5),
        *(pytest.param(kind, target, 1, 35, marks=pytest.mark.full) for kind in KINDS for target in TARGETS),
    ],
)
def test_a_run_killed_at_any_step_gives_the_same_bytes(
    tmp_path: Path, kind: str, target: str, every: int, kills: int
) -> None:
    runs = tmp_path / "runs"
    runs.mkdir()
    command = [sys.executable, "-m", "tests.corpora.kill_driver", str(write_source(tmp_path, kind)), target, str(runs)]
    done = subprocess.run([*command, str(every)], cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["outputs"] == 1
    assert result["kills"] >= kills
    assert result["killed_after_the_output"] >= 1


def start_run(source: Path, output: Path, jobs: int) -> subprocess.Popen[bytes]:
    code = "import sys; from tests.corpora.shared import run_filter\n"
    code += f"if __name__ == '__main__': run_filter([{str(source)!r}], {str(output)!r}, jobs={jobs}, batch_size=4)"
    script = output.parent / "run.py"  # two processes need a file that they can import
    script.write_text(code)
    return subprocess.Popen([sys.executable, str(script)], cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)})


@pytest.mark.full
@pytest.mark.parametrize("kind", KINDS)
def test_two_processes_killed_at_some_times_give_the_same_bytes(tmp_path: Path, kind: str) -> None:
    source = write_source(tmp_path, kind, 600)
    whole = tmp_path / f"whole.{kind}"
    assert start_run(source, whole, 1).wait(600) == 0
    output = tmp_path / f"out.{kind}"
    for seconds in (0.3, 1.0, 2.0, 3.0, 4.0, 5.0):
        process = start_run(source, output, 2)
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert not output.exists() or output.read_bytes() == whole.read_bytes()
    assert start_run(source, output, 2).wait(600) == 0
    assert output.read_bytes() == whole.read_bytes()


class Stop(Exception):
    """Stands for a run that ends after a number of rows."""


def stop_after(count: int) -> Any:
    def report(rows: int, share: float) -> None:
        if rows >= count:
            raise Stop

    return report


def interrupt(plan: Any, rows: int, **options: Any) -> None:
    with pytest.raises(Stop):
        filter_corpus(plan, batch_size=2, report_progress=stop_after(rows), **options)


def test_finished_parts_are_not_scored_again_and_an_old_output_stays_until_then(tmp_path: Path) -> None:
    source = write_jsonl(tmp_path / "in.jsonl", make_rows(20))
    (tmp_path / "out.jsonl").write_text("old")
    plan = make_plan([source], tmp_path / "out.jsonl")
    interrupt(plan, 15)
    assert (tmp_path / "out.jsonl").read_text() == "old"
    outcome = filter_corpus(plan)
    assert (outcome.rows, outcome.tally.rows) == (20 - 12, 20)
    assert [row["id"] for row in read_jsonl(tmp_path / "out.jsonl")] == list(range(20))
    assert sorted(os.listdir(tmp_path)) == ["in.jsonl", "out.jsonl"]


def test_a_run_that_is_continued_keeps_the_date_of_its_first_start(tmp_path: Path) -> None:
    source = write_jsonl(tmp_path / "in.jsonl", make_rows(10))
    plan = make_plan([source], tmp_path / "out.jsonl")
    interrupt(plan, 8, as_of_given=False)
    later = replace(plan, settings=replace(SETTINGS, as_of=date(2026, 7, 2)))
    with pytest.raises(RunDiffers, match=r'options\.as_of: "2026-07-01" → "2026-07-02"'):
        filter_corpus(later, as_of_given=True)
    assert filter_corpus(later, as_of_given=False).as_of == date(2026, 7, 1)


def test_other_options_or_inputs_for_an_unfinished_output_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    source = write_jsonl(tmp_path / "in.jsonl", make_rows(10))
    plan = make_plan([source], tmp_path / "out.jsonl")
    interrupt(plan, 8)
    changes: list[tuple[dict[str, Any], str]] = [
        ({"thresholds": Thresholds(min_score=50)}, r"options\.min_score: null → 50"),
        ({"added": AddedColumns(components=True)}, r"options\.components: false → true"),
        ({"text": "body"}, r'options\.text: "text" → "body"'),
        ({"rejects": "r.jsonl"}, r'options\.rejects: null → "'),
        ({"max_bytes": 10}, r"options\.max_bytes: 50000000 → 10"),
    ]
    for change, difference in changes:
        with pytest.raises(RunDiffers, match=difference) as refused:
            filter_corpus(replace(plan, **change))
        assert str(tmp_path / "out.jsonl.partial") in str(refused.value)
    write_jsonl(source, make_rows(11))
    with pytest.raises(RunDiffers, match=r"inputs\[0\]\.size: "):
        run_filter([source], tmp_path / "out.jsonl")


def test_two_runs_on_one_output_are_refused(tmp_path: Path) -> None:
    source = write_jsonl(tmp_path / "in.jsonl", make_rows(3))
    for name in ("out.jsonl", "rejects.jsonl"):
        lock = Lock(tmp_path / name)
        with pytest.raises(SteelyardError, match=rf"{name}: in use by process {os.getpid()}"):
            run_filter([source], tmp_path / "out.jsonl", rejects=str(tmp_path / "rejects.jsonl"))
        lock.release()
    assert sorted(os.listdir(tmp_path)) == ["in.jsonl"]


def test_somebody_elses_folder_is_not_touched(tmp_path: Path) -> None:
    source = write_jsonl(tmp_path / "in.jsonl", make_rows(3))
    (tmp_path / "out.jsonl.partial").mkdir()
    (tmp_path / "out.jsonl.partial" / "thesis.md").write_text("mine")
    with pytest.raises(CorpusRefused, match=r"out\.jsonl\.partial: needed as a working folder, but holds 'thesis\.md'"):
        run_filter([source], tmp_path / "out.jsonl")
    assert (tmp_path / "out.jsonl.partial" / "thesis.md").read_text() == "mine"


def test_ctrl_c_says_how_to_go_on(tmp_path: Path) -> None:
    def press(rows: int, share: float) -> None:
        if rows >= 8:
            raise KeyboardInterrupt

    source = write_jsonl(tmp_path / "in.jsonl", make_rows(10))
    plan = make_plan([source], tmp_path / "out.jsonl")
    with pytest.raises(RunInterrupted, match="interrupted after 6 rows; start the same command again"):
        filter_corpus(plan, batch_size=2, report_progress=press)
    assert filter_corpus(plan).rows == 4


def test_the_share_done_grows_from_0_to_1_over_all_files(tmp_path: Path) -> None:
    files = [write_jsonl(tmp_path / f"{n}.jsonl", make_rows(8)) for n in range(3)]
    shares: list[float] = []
    filter_corpus(
        make_plan(files, tmp_path / "out.jsonl"), batch_size=2, report_progress=lambda _, share: shares.append(share)
    )
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert 0 < shares[0] <= 1 / 3


def test_a_row_that_kills_its_process_is_found_and_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.corpora import deadly

    monkeypatch.setattr(module, "process_batch", deadly.process_batch)
    rows = make_rows(7)
    rows[3]["text"] = deadly.WORDS
    source = write_jsonl(tmp_path / "in.jsonl", rows)
    thresholds = Thresholds(min_score=0)
    outcome = run_filter([source], tmp_path / "out.jsonl", jobs=2, thresholds=thresholds)
    assert outcome.tally.rejected == {"the process died": 1}
    assert outcome.tally.examples["the process died"] == [f"{source}:4"]
    assert [row["id"] for row in read_jsonl(tmp_path / "out.jsonl")] == [0, 1, 2, 4, 5, 6]
