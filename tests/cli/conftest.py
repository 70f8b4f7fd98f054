"""The command line in this process, for tests to which starting a process would cost more than the command."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

from steelyard.cli.main import main


@pytest.fixture
def run_here(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Callable[..., subprocess.CompletedProcess[str]]]:
    """`run_here("score", "page.md")` in the current folder, with its output as text."""
    monkeypatch.setenv("STEELYARD_AS_OF", "2026-07-01")
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        monkeypatch.setenv(variable, "1")  # otherwise the command sets them, and leaves them behind
    handler = signal.getsignal(signal.SIGTERM)

    def call(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(sys, "argv", ["steelyard", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        assert isinstance(ended.value.code, int)
        return subprocess.CompletedProcess(arguments, ended.value.code, out, err)

    yield call
    signal.signal(signal.SIGTERM, handler)
