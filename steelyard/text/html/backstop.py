"""Time and memory that a page's extraction may take before it is stopped.

The limits that decide about a page are counts (`limits`). These are for what was not foreseen, and so generous that
a slow machine reaches them no sooner than a fast one.
"""

from __future__ import annotations

import math
import signal
import sys
import time

# The slowest page that was found within the default limits takes some seconds and half a gigabyte.
CPU_SECONDS = 60
MEMORY_BYTES = 4 << 30
# For a child that neither works nor answers, or where no processor time can be measured.
WALL_SECONDS = 20 * CPU_SECONDS


def limit_memory() -> None:
    """Limit the memory of this process, where the platform can; a limit that is lower already stays."""
    if sys.platform == "win32":
        return
    import resource

    lower_limit(resource.RLIMIT_AS, MEMORY_BYTES)
    lower_limit(resource.RLIMIT_CORE, 0)  # a process that used up its time would leave its memory in a file


def limit_time() -> None:
    """Let the system kill this process after CPU_SECONDS more of processor time, where the platform can."""
    if sys.platform == "win32":
        return
    import resource

    lower_limit(resource.RLIMIT_CPU, math.ceil(time.process_time()) + CPU_SECONDS)


def is_out_of_time(returncode: int) -> bool:
    """Return whether a process with this return code was killed for its processor time."""
    return sys.platform != "win32" and returncode == -signal.SIGXCPU


def lower_limit(kind: int, value: int) -> None:
    """Set the soft limit of a resource of this process; the hard one stays, so that it can be set again."""
    import resource

    hard = resource.getrlimit(kind)[1]
    soft = value if hard == resource.RLIM_INFINITY else min(value, hard)
    try:
        resource.setrlimit(kind, (soft, hard))
    except (OSError, ValueError):  # a platform that knows the limit and does not support it
        return
