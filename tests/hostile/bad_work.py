"""Scorers and work that end their process or leave others behind; importable, so that a worker can be handed them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

from steelyard.lab.scorers.base import Passage
from steelyard.lab.scorers.command import CommandScorer
from steelyard.support.pool import ordered_map

SLEEP = "sleep 300"
# In the background of the shell, with the output closed, and in a session of its own.
CHILDREN = f"{SLEEP} & {SLEEP} </dev/null >/dev/null 2>&1 & setsid {SLEEP} </dev/null >/dev/null 2>&1 & "
COMMAND = CHILDREN + "sleep 0.03; echo 50"
HANGING = CHILDREN + SLEEP


def exits(task: int) -> int:
    """Ten times the task; task 3 ends the process without a word."""
    if task == 3:
        os._exit(9)
    return 10 * task


def is_killed(task: int) -> int:
    """Ten times the task; task 3 is killed, as by a system out of memory."""
    if task == 3:
        os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(60)
    return 10 * task


def always_exits(task: int) -> int:
    os._exit(9)


def raises(task: int) -> int:
    """Ten times the task; task 3 raises what nobody foresaw."""
    if task == 3:
        raise RuntimeError(task)
    return 10 * task


def answers_and_dies(task: int) -> int:
    """Ten times the task, and then the process is gone, with no task at hand."""
    threading.Timer(0.1, os._exit, (9,)).start()
    return 10 * task


def slow_first(task: int) -> int:
    """Ten times the task; the first takes the longest."""
    time.sleep(0.5 if task == 0 else 0)
    return 10 * task


def find_group(task: int) -> int:
    """The process group, to which a terminal sends Ctrl-C."""
    return os.getpgid(0)


def big(task: int) -> str:
    """An answer that does not fit into a pipe."""
    return "x" * (1_000_000 + task)


def score(text: str) -> float:
    """Start a process and wait for it."""
    subprocess.run(SLEEP.split() if len(text) % 2 else ["sleep", "0.05"], check=False)
    return 50.0


def work_long(task: int) -> int:
    time.sleep(300)
    return task


def start_scorer(command: str) -> None:
    CommandScorer(("sh", "-c", command), timeout=300).score(Passage("a text"))


def start_work() -> None:
    list(ordered_map(work_long, range(8), 2))


if __name__ == "__main__":
    if sys.argv[1] == "work":
        start_work()
    else:
        start_scorer(HANGING)
