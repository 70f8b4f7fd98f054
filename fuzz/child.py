"""Modules of the fuzzer that run in a process of their own: one line of JSON is answered by another."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from typing import Any

from fuzz.seeds import ROOT


class Child:
    """A process that is started when it is first needed, and again whenever it has ended.

    Args:
        module: What it runs.
        seconds: For one answer; None for any number.
        environment: Variables of its own.
    """

    def __init__(self, module: str, seconds: float | None = None, **environment: str) -> None:
        self._module, self._seconds, self._environment = module, seconds, environment
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, task: Any) -> Any:
        """Return the answer to a task, or None if the process ended instead.

        Raises:
            TimeoutError: It took too long, and was ended.
        """
        process = self._process = self._process or subprocess.Popen(
            [sys.executable, "-m", self._module], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(ROOT), **self._environment},
        )  # fmt: skip
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("the child has no pipes")
        process.stdin.write(json.dumps(task).encode() + b"\n")
        process.stdin.flush()
        ready, _, _ = select.select([process.stdout], [], [], self._seconds)
        if answer := process.stdout.readline() if ready else b"":
            return json.loads(answer)
        self.close()
        if not ready:
            raise TimeoutError
        return None

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None
