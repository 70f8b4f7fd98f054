"""A second process under another hash seed, with either core: its results must be the same bytes."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from fuzz.case import Case, describe_error
from fuzz.page_input import analyse_case
from fuzz.seeds import ROOT
from steelyard.errors import MissingExtra, PageUnreadable
from steelyard.native.core import VARIABLE
from steelyard.pipeline import PageResult
from steelyard.support.artifacts import to_json


def write_result(result: PageResult) -> str:
    """Return the JSON of everything a result says."""
    return to_json(result.to_dict(with_text=True), indent=None)


def hash_result(result: PageResult, written: str) -> str:
    """Return a hash of everything a result says, of which `written` is the JSON."""
    return hashlib.sha256((written + repr(result.findings)).encode("utf-8", "replace")).hexdigest()


def hash_case(case: Case, edition: str) -> str:
    """Return the hash of a case's result, or its error."""
    try:
        result = analyse_case(case, edition)
        return hash_result(result, write_result(result))
    except Exception as error:  # noqa: BLE001 - compared with what this process saw
        return describe_refusal(error)


def describe_refusal(error: Exception) -> str:
    """Return what is compared where there is no result."""
    return repr(error) if isinstance(error, (PageUnreadable, MissingExtra)) else describe_error(error)


class SecondProcess:
    """The other process, started when it is first needed."""

    def __init__(self, hash_seed: int) -> None:
        self._environment = {
            **os.environ, "PYTHONHASHSEED": str(hash_seed), "PYTHONPATH": str(ROOT),
        }  # fmt: skip
        self._process: subprocess.Popen[bytes] | None = None

    def hash_cases(self, cases: Sequence[Case], edition: str, core: str) -> list[str]:
        """Return what the other process makes of some cases with a core."""
        if self._process is None:
            command = [sys.executable, "-m", "fuzz.checks.second_process"]
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=self._environment, cwd=ROOT
            )
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise RuntimeError("the second process has no pipes")
        written = [[c.kind, c.data.decode("latin-1"), dict(c.options)] for c in cases]
        task = {"edition": edition, "core": core, "cases": written}
        stdin.write(json.dumps(task).encode() + b"\n")
        stdin.flush()
        answer: Any = json.loads(stdout.readline() or b"[]")
        return list(map(str, answer))

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            if self._process.stdin is not None:
                self._process.stdin.close()
            self._process.wait(30)
            if self._process.stdout is not None:
                self._process.stdout.close()
            self._process = None


def main() -> None:
    """Answer one line with hashes for every line with cases."""
    for line in sys.stdin.buffer:
        task = json.loads(line)
        os.environ[VARIABLE] = task["core"]
        cases = [Case(kind, data.encode("latin-1"), options) for kind, data, options in task["cases"]]
        print(json.dumps([hash_case(case, task["edition"]) for case in cases]), flush=True)


if __name__ == "__main__":
    main()
