"""`steelyard filter` as a user sees it: options, summary, report, exit codes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from steelyard.cli.main import cli
from steelyard.components import NAMES
from steelyard.corpora.html_report import draw_histogram
from steelyard.corpora.tally import Tally, find_quartiles
from steelyard.support.progress import ShareProgress
from steelyard.support.quantile import quantile
from tests.conftest import run_here
from tests.corpora.shared import GOOD, SHORT, make_rows, read_jsonl, write_jsonl
from tests.pages.markup import Balance


def call(*arguments: str) -> None:
    assert cli.main(["filter", *arguments], prog_name="steelyard", standalone_mode=False) == 0


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("STEELYARD_AS_OF", "2026-07-01")
    rows = [*make_rows(12), {"text": None}, {"body": SHORT, "at": "https://a.org", "text": GOOD}]
    return write_jsonl(tmp_path / "in.jsonl", [*rows, "no JSON <b>"])


def test_the_summary_counts_every_row_once(source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call(str(source), "-o", str(tmp_path / "out.jsonl"), "--min-score", "30", "--format", "json")
    summary = json.loads(capsys.readouterr().out)
    assert (summary["rows"], summary["kept"] + summary["rejected"]) == (15, 15)
    assert summary["kept"] == len(read_jsonl(tmp_path / "out.jsonl"))
    assert sum(summary["rejected_by_reason"].values()) == summary["rejected"]
    assert summary["unscored_by_reason"] == {"not JSON": 1, "text is null": 1}
    assert summary["scored"] + 2 == summary["rows"]
    assert summary["languages"] == {"en": summary["scored"]}
    assert sum(summary["score_histogram"]) == summary["scored"] == 13
    assert sum(summary["kept_score_histogram"]) == summary["kept"]
    assert summary["scoring"] == {"edition": "paper", "weights": "shipped", "as_of": "2026-07-01"}
    assert summary["throughput"]["rows"] == 15
    assert summary["examples"]["not JSON"] == [f"{source}:15"]


def test_options_choose_columns_and_edition(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.parquet"
    options = ["--text", "body", "--url", "at", "--edition", "2026", "--language", "en", "--components", "--evidence"]
    call(str(source), "-o", str(out), *options, "--batch-size", "3", "--jobs", "1", "--quiet")
    table = pq.read_table(out)
    assert table.column_names[-1] == "steelyard_evidence"
    assert [score is None for score in table["steelyard_score"].to_pylist()] == [True] * 13 + [False]
    assert len([name for name in table.column_names if name.startswith("steelyard_")]) == 4 + len(NAMES) + 1


def test_the_report_is_one_file_that_asks_for_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("STEELYARD_AS_OF", "2026-07-01")
    source = write_jsonl(tmp_path / "<script>in.jsonl", [*make_rows(6), "no JSON"])
    report = tmp_path / "report.html"
    call(str(source), "-o", str(tmp_path / "out.jsonl"), "--report", str(report))
    text = report.read_text("utf-8")
    tags = Balance(text).seen
    assert {"svg", "rect", "table", "h2"} <= tags
    assert "script" not in tags
    assert "http" not in text.replace("http-equiv", "")
    assert "not JSON" in text
    (tmp_path / "empty.jsonl").touch()
    call(str(tmp_path / "empty.jsonl"), "-o", str(tmp_path / "out.jsonl"), "--report", str(report))
    assert "<dd>0</dd>" in report.read_text("utf-8")
    capsys.readouterr()


def test_bars_are_as_high_as_their_counts() -> None:
    bins = [0] * 20
    bins[3], bins[4] = 100, 50
    heights = re.findall(r'<rect [^>]*height="([0-9.]+)" fill="#c9c9c2"', draw_histogram(bins, [0] * 20, "score"))
    assert [float(height) for height in heights] == [180.0, 90.0]


def test_quartiles_are_right_to_a_tenth() -> None:
    scores = [(n * 37 % 101) * 0.97 for n in range(500)]
    tally = Tally()
    for score in scores:
        tally.add_scored(score, None, "en", flagged=False)
    found = find_quartiles(tally.scores)
    assert found is not None
    for value, q in zip(found, (0.25, 0.5, 0.75), strict=True):
        assert abs(value - quantile(scores, q)) <= 0.1
    assert find_quartiles({}) is None


def test_the_command_exits_2_with_one_line_when_it_cannot_run(tmp_path: Path) -> None:
    for arguments, message in (
        (("absent.jsonl", "-o", "out.jsonl"), "absent.jsonl: No such file or directory"),
        (("in.jsonl", "-o", "out.jsonl", "--min-score", "101"), "Invalid value for '--min-score'"),
    ):
        write_jsonl(tmp_path / "in.jsonl", make_rows(1))
        done = run_here("filter", *arguments, cwd=tmp_path)
        assert done.returncode == 2
        assert done.stderr.startswith(f"steelyard: {message}")
        assert done.stderr.count("\n") == 1
        assert not (tmp_path / "out.jsonl").exists()


def test_progress_shows_share_rows_speed_and_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    import io
    import time

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    out = Terminal()
    clock = iter([0.0, 1.0, 10.0, 20.0])
    monkeypatch.setattr("sys.stderr", out)
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    progress = ShareProgress("rows")
    progress.update(1_000, 0.1)  # done before
    progress.update(2_000, 0.2)
    progress.update(3_000, 0.3)
    progress.clear()
    shown = [line for line in out.getvalue().split("\r\x1b[K") if line]
    assert shown[-1] == "[███████·················] 30% · 3,000 rows · 100/s · 70 s left"
