"""No process outlives the run that started it, whatever ended the run."""

from __future__ import annotations

import os
import random
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

from steelyard.lab.scorers.base import POINTS, Passage
from steelyard.lab.scorers.command import CommandScorer
from steelyard.lab.scorers.orphans import CLEANUP, VARIABLE, Cleanup
from steelyard.lab.scorers.process import Process
from tests.conftest import ROOT
from tests.hostile import bad_work
from tests.hostile.pages import wait_until

pytestmark = pytest.mark.skipif(not os.path.exists("/proc/self/environ"), reason="processes are found in /proc")

MARK = "STEELYARD_TEST_OF_ORPHANS"
PATIENCE = 200.0  # seconds; what is still there after that stays
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)


def find_processes(mark: str) -> dict[int, str]:
    """Return the living processes with this mark in their environment, with their command lines."""
    found = {}
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdecimal() and mark.encode() in (folder / "environ").read_bytes():
                found[int(folder.name)] = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
    return found


@pytest.fixture
def mark() -> Iterator[str]:
    """A mark for the environment of a run; what still has it after the test is killed."""
    value = f"{MARK}={secrets.token_hex(8)}"
    yield value
    for pid in find_processes(value):
        os.kill(pid, signal.SIGKILL)


def start(
    arguments: list[str], mark: str, folder: Path | None = None, stderr: IO[bytes] | None = None
) -> subprocess.Popen[bytes]:
    name, _, value = mark.partition("=")
    return subprocess.Popen(
        [sys.executable, *arguments], cwd=folder, stdout=subprocess.DEVNULL, stderr=stderr or subprocess.DEVNULL,
        env={**os.environ, name: value, "PYTHONPATH": str(ROOT)}, start_new_session=True,
    )  # fmt: skip


def count_sleeping(mark: str) -> int:
    return sum(bad_work.SLEEP in line for line in find_processes(mark).values())


@pytest.mark.parametrize("number", SIGNALS)
def test_a_command_and_all_it_started_end_with_the_run(number: signal.Signals, mark: str):
    running = start(["-m", "tests.hostile.bad_work", "scorer"], mark)
    assert wait_until(lambda: count_sleeping(mark) >= 4, PATIENCE)
    running.send_signal(number)
    running.wait(PATIENCE)
    assert wait_until(lambda: not find_processes(mark), PATIENCE), find_processes(mark)


def test_a_worker_in_the_middle_of_a_task_ends_with_its_parent(mark: str):
    running = start(["-m", "tests.hostile.bad_work", "work"], mark)
    is_worker = "from steelyard.support.children import serve"
    assert wait_until(lambda: sum(is_worker in line for line in find_processes(mark).values()) == 2, PATIENCE)
    time.sleep(1)  # until they are at work
    running.kill()
    running.wait(PATIENCE)
    assert wait_until(lambda: not find_processes(mark), PATIENCE), find_processes(mark)


def test_what_a_command_leaves_in_the_background_ends_with_the_command(monkeypatch: pytest.MonkeyPatch, mark: str):
    monkeypatch.setenv(*mark.split("="))
    command = CommandScorer(("sh", "-c", f"{bad_work.SLEEP} </dev/null >/dev/null 2>&1 & echo 50"))
    for _ in range(5):
        assert command.score(Passage("a text"))[POINTS] == 50.0
    assert wait_until(lambda: not count_sleeping(mark), 5), find_processes(mark)


def test_a_process_is_not_forgotten_before_its_group_is_killed():
    process = Process(["sh", "-c", "exit 3"], by_line=False)
    assert process.wait(time.monotonic() + 10) == 3
    assert process.wait(time.monotonic() + 10) == 3
    pid = process._popen.pid
    assert os.path.exists(f"/proc/{pid}")  # a zombie: nobody else gets its number
    process.kill()
    process.kill()
    assert not os.path.exists(f"/proc/{pid}")


def test_the_marks_of_the_processes_above_stay():
    cleanup = Cleanup()
    try:
        outer = cleanup.mark({"A": "b"})
        inner = Cleanup()
        both = inner.mark(outer)
        inner.close()
    finally:
        cleanup.close()
    assert both["A"] == "b"
    assert both[VARIABLE].startswith(outer[VARIABLE] + ":")


def test_a_helper_that_was_killed_is_replaced_and_told_what_runs():
    def helper_pid() -> int | None:
        return CLEANUP._helper.pid if CLEANUP._helper else None

    hanging = Process(["sleep", "300"], by_line=False)
    first = helper_pid()
    assert first is not None
    os.kill(first, signal.SIGKILL)
    assert CLEANUP._helper is not None
    CLEANUP._helper.wait(PATIENCE)
    command = CommandScorer(("sh", "-c", "echo 50"))
    assert [command.score(Passage("a"))[POINTS] for _ in range(3)] == [50.0] * 3
    assert helper_pid() not in (None, first)
    CLEANUP.close()
    assert wait_until(lambda: hanging._find_status() == -signal.SIGKILL, PATIENCE)
    hanging.kill()


def send(running: subprocess.Popen[bytes], number: signal.Signals) -> None:
    if number == signal.SIGINT:
        os.killpg(running.pid, number)  # as a terminal does
    else:
        running.send_signal(number)


@pytest.mark.parametrize("kills", [10, pytest.param(200, marks=pytest.mark.full)])
def test_nothing_is_left_after_signals_at_random_moments(kills: int, tmp_path: Path, mark: str):
    rng = random.Random(kills)
    scorers = [["sh -c " + repr(bad_work.COMMAND)], ["tests.hostile.bad_work:score", "--isolate"]]
    hits, repeated, slowest = 0, 0, 0.0
    for kill in range(kills):
        scorer, number, jobs = scorers[kill % 2], SIGNALS[kill % 3], rng.choice((1, 2, 4))
        arguments = ["-X", "faulthandler", "-m", "steelyard", "falsify", *scorer, "--jobs", str(jobs), "--quiet"]
        with (tmp_path / "stderr").open("wb") as stderr:
            running = start(arguments, mark, tmp_path, stderr)
        if rng.random() < 0.6:
            wait_until(lambda: count_sleeping(mark) > 0, PATIENCE)
        time.sleep(rng.uniform(0, 0.6))
        hits += count_sleeping(mark) > 0
        send(running, number)
        if not wait_until(lambda: running.poll() is not None, PATIENCE / 2):  # noqa: B023 - called at once
            repeated += 1  # seen once in some 1,300 runs, for a reason we do not know; a second signal must do
            send(running, number)
        if not wait_until(lambda: running.poll() is not None, PATIENCE):  # noqa: B023
            running.send_signal(signal.SIGABRT)  # writes where it hangs to stderr
            running.wait(PATIENCE)
            pytest.fail(f"kill {kill}: {number.name} did not end it: " + (tmp_path / "stderr").read_text())
        ended = time.monotonic()
        assert wait_until(lambda: not find_processes(mark), PATIENCE), (kill, number, jobs, find_processes(mark))
        slowest = max(slowest, time.monotonic() - ended)
    print(f"{kills} kills, {hits} with scorers at work, {repeated} sent twice; all gone within {slowest:.2f} s")
    assert hits >= kills / 3
    assert repeated <= 1
