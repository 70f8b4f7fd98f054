"""Commands of the laboratory in processes that hash strings in their own way, and what they leave behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.cli.driver import DRIVER
from tests.conftest import ROOT, run_here

Done = subprocess.CompletedProcess[str]
Commands = Mapping[str, list[str]]  # name → arguments


def run_commands(commands: Commands, folder: Path) -> dict[str, Done]:
    """Run the commands one after the other in a process with a hash seed of its own; return how each ended, by name."""
    done = subprocess.run(
        [sys.executable, "-c", DRIVER],
        input=json.dumps([*commands.values()]),
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "STEELYARD_AS_OF": "2026-07-01", "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "2"},
        timeout=1_200,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    ended = zip(commands.items(), json.loads(done.stdout), strict=True)
    return {name: subprocess.CompletedProcess(arguments, *end) for (name, arguments), end in ended}


def run_in_two_processes(first: tuple[Commands, Path], second: tuple[Commands, Path]) -> list[dict[str, Done]]:
    """Run commands in two folders at the same time: in this process, and in another with another hash seed."""
    commands, folder = first
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(run_commands, *second)
        here = {name: run_here(*arguments, cwd=folder) for name, arguments in commands.items()}
        return [here, other.result()]


def read_artifact(path: Path) -> dict[str, Any]:
    """Read an artifact, in which every number is one."""
    text = path.read_text("utf-8")
    artifact: dict[str, Any] = json.loads(text, parse_constant=lambda c: pytest.fail(f"{c} in {path.name}"))
    return artifact


def assert_refused(done: Done, message: str) -> None:
    """Check that a command ended with one line on standard error and exit code 2."""
    assert (done.returncode, done.stdout) == (2, ""), done.args
    assert done.stderr.startswith(f"steelyard: {message}"), done.args
    assert len(done.stderr.splitlines()) == 1, done.args
    assert "bug" not in done.stderr, done.args
