"""An interrupt that arrives where no exception can leave."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.conftest import ROOT

PROGRAM = """
import signal, sys, time
from steelyard.terminal.process import keep_interrupts
keep_interrupts()
class Last:
    def __del__(self):
        signal.raise_signal(getattr(signal, sys.argv[1]))
        self.x = 1  # where the handler runs
try:
    Last()
    time.sleep(60)
except KeyboardInterrupt:
    print("interrupted")
"""
OTHER = """
from steelyard.terminal.process import keep_interrupts
keep_interrupts()
class Last:
    def __del__(self):
        raise ValueError("planted")
Last()
"""


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_an_interrupt_in_a_method_that_cannot_raise_is_not_lost(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, name], cwd=ROOT, capture_output=True, text=True, timeout=500, check=False
    )
    assert (done.stdout, done.stderr, done.returncode) == ("interrupted\n", "", 0)


def test_other_exceptions_there_are_printed_as_before() -> None:
    done = subprocess.run([sys.executable, "-c", OTHER], cwd=ROOT, capture_output=True, text=True, check=False)
    assert "ValueError: planted" in done.stderr
