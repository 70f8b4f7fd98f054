"""Programs with many dependencies, each in an environment of its own that is made on first use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from steelyard.errors import SteelyardError
from steelyard.lab.scorers.peers.environments import prepare_environment
from tests.conftest import ROOT

LOCKS = ROOT / "tests" / "locks"


def find_python(name: str, lock: Path) -> str:
    """Return the interpreter of an environment with the packages of a lock; skip the test where it cannot be made."""
    os.environ.setdefault("STEELYARD_CACHE", str(ROOT / ".cache"))
    try:
        return str(prepare_environment(name, lock.read_text("utf-8")))
    except SteelyardError as error:
        pytest.skip(str(error))
