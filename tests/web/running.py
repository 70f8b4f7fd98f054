"""`steelyard serve` in a process of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.conftest import ROOT

COMMAND = (sys.executable, "-m", "steelyard")


@contextmanager
def start_server(
    *arguments: str, cwd: Path | None = None, command: Sequence[str] = COMMAND, **environment: str
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start a server on a free port; yield its process, the first of a new session, and its address."""
    with subprocess.Popen(
        [*command, "serve", "--port", "0", *arguments], cwd=cwd,
        stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        start_new_session=True,
    ) as server:  # fmt: skip
        try:
            assert server.stderr is not None
            found = re.search(r"serving (http://\S+)/ ", server.stderr.readline())
            assert found
            yield server, found[1]
            server.terminate()
            server.wait(300)
        finally:
            server.kill()
