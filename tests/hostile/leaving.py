"""Scorers and work that leave processes behind; importable, so that a worker can be handed them."""

from __future__ import annotations

import subprocess
import sys
import time

from steelyard.lab.scorers.base import Passage
from steelyard.lab.scorers.command import CommandScorer
from steelyard.support.pool import ordered_map

SLEEP = "sleep 300"
# In the background of the shell, with the output closed, and in a session of its own.
CHILDREN = f"{SLEEP} & {SLEEP} </dev/null >/dev/null 2>&1 & setsid {SLEEP} </dev/null >/dev/null 2>&1 & "
COMMAND = CHILDREN + "sleep 0.03; echo 50"
HANGING = CHILDREN + SLEEP


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
