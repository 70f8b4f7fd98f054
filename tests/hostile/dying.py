"""Work that kills the process it runs in; importable, so that a worker can be handed it."""

from __future__ import annotations

import os
import signal
import threading
import time


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
