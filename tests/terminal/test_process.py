"""Standard streams that are closed, full or gone: a clear message where one can be seen, and exit 2, never 1."""

from __future__ import annotations

import errno
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from steelyard.errors import OutputFailed
from steelyard.support.progress import show_progress
from steelyard.terminal import output
from tests.conftest import ROOT, run_here

pytestmark = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full on this system")
FULL = (
    "steelyard: standard output: cannot write (No space left on device), so the results are not complete; "
    "make room or write elsewhere\n"
)


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a line of the shell in which `steelyard` is the command."""
    return subprocess.run(
        ["/bin/sh", "-c", f'steelyard() {{ "{sys.executable}" -m steelyard "$@"; }}\n{command}'],
        cwd=folder,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "STEELYARD_AS_OF": "2026-07-01", "PYTHONPATH": str(ROOT)},
        timeout=120,
        check=False,
    )


def test_a_full_disk_is_named(page: Path) -> None:
    forms = [f"score page.md --format {form}" for form in ("human", "json", "html")]
    for arguments in (*forms, "--help", "--version", "score --help", "components", "explain page.md"):
        done = shell(f"steelyard {arguments} >/dev/full", page.parent)
        assert (done.returncode, done.stderr) == (2, FULL), arguments
    reason = "cannot write here (No space left on device); choose another file with -o"
    for form in ("human", "json", "jsonl", "csv", "markdown", "html"):
        done = run_here("score", page, "--format", form, "-o", "/dev/full")
        assert (done.returncode, done.stderr) == (2, f"steelyard: /dev/full: {reason}\n"), form


def test_a_closed_standard_output_is_an_error_only_where_it_is_needed(page: Path) -> None:
    done = shell("steelyard score page.md >&-", page.parent)
    assert done.returncode == 2
    assert "standard output: cannot write (Bad file descriptor)" in done.stderr
    assert shell("steelyard score page.md --format json -o out.json >&-", page.parent).returncode == 0
    assert json.loads((page.parent / "out.json").read_text())["pages"]


def test_a_file_never_takes_the_place_of_a_closed_stream(page: Path) -> None:
    done = shell("steelyard score page.md absent.md --format csv -o out.csv <&- >&- 2>&-", page.parent)
    assert done.returncode == 2
    assert (page.parent / "out.csv").read_text().count("\n") == 3


@pytest.mark.parametrize("stderr", ["2>&-", "2>/dev/full"])
def test_messages_that_cannot_be_written_change_nothing(page: Path, stderr: str) -> None:
    commands = "score page.md", "score page.md --min-score 99", "score absent.md", "--debug absent"
    done = shell("; ".join(f"steelyard {command} {stderr}; echo exit $?" for command in commands), page.parent)
    assert "of 100" in done.stdout
    assert [line for line in done.stdout.splitlines() if line.startswith("exit ")] == [
        "exit 0",
        "exit 1",
        "exit 2",
        "exit 2",
    ]


def test_a_closed_standard_input_is_no_empty_page(page: Path) -> None:
    done = shell("steelyard score - <&-", page.parent)
    assert done.returncode == 2
    assert "standard input: Bad file descriptor" in done.stderr


@pytest.mark.parametrize("arguments", ["--help", "score page.md --format html", "score page.md --format jsonl"])
def test_a_reader_that_is_gone_is_no_finding(page: Path, arguments: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "steelyard", *arguments.split()],
        cwd=page.parent,
        stdout=writer,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=120,
        check=False,
    )
    os.close(writer)
    assert done.returncode == 2
    assert b"bug" not in done.stderr
    assert b"Exception" not in done.stderr


def test_a_terminal_that_is_gone_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    class Gone(io.StringIO):
        def write(self, text: str) -> int:
            raise OSError(errno.EIO, "Input/output error")

        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stdout", Gone())
    with pytest.raises(OutputFailed, match=r"cannot write \(Input/output error\)"):
        output.emit("text")
    monkeypatch.setattr(sys, "stderr", Gone())
    output.warn("nobody can read this")
    monkeypatch.setattr("steelyard.support.progress.FIRST_AFTER", 0.0)
    monkeypatch.setattr("steelyard.support.progress.EVERY", 0.0)
    assert list(show_progress(range(3), total=3)) == [0, 1, 2]
