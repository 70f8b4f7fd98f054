"""The program that kills what scorers leave behind once the process that started them is gone, however it ended.

It is run by its path and imports nothing of the package around it:

    orphan_cleanup.py MARK

Each line of its stdin is +N when the process group N was started, or -N when it was killed. The end of stdin is the
end of the process that writes there, which the kernel reports even after SIGKILL. Then the groups that are left are
killed, and, where /proc shows environments, every process with MARK in its own: that finds the ones that left their
group, and the one that was started just before the end.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time

_MAX_SECONDS = 10.0  # seconds to search for processes that keep starting others


def kill_groups(groups: set[int]) -> None:
    for group in groups:
        with contextlib.suppress(OSError):
            os.killpg(group, signal.SIGKILL)


def kill_marked(mark: bytes) -> bool:
    """Kill every process of this user that has the mark in its environment; return whether there was one."""
    try:
        pids = [int(name) for name in os.listdir("/proc") if name.isdecimal()]
    except OSError:
        return False
    was_found = False
    for pid in pids:
        with contextlib.suppress(OSError):  # it ended, or belongs to someone else
            with open(f"/proc/{pid}/environ", "rb") as file:
                is_marked = mark in file.read()
            if is_marked and pid != os.getpid():
                was_found = True
                os.kill(pid, signal.SIGKILL)
    return was_found


def main() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # it ends by itself, and must not end earlier
        signal.signal(number, signal.SIG_IGN)
    groups: set[int] = set()
    for line in sys.stdin.buffer:
        change = groups.add if line.startswith(b"+") else groups.discard
        change(int(line[1:]))
    kill_groups(groups)
    deadline = time.monotonic() + _MAX_SECONDS
    while kill_marked(sys.argv[1].encode("ascii")) and time.monotonic() < deadline:
        time.sleep(0.01)  # a killed process needs a moment to end, and may have started another before


if __name__ == "__main__":
    main()
