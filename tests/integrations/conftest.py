"""A checkout with one weak page, and the action in it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.check.shared import commit_all, make_repository
from tests.integrations.action_runner import Job

BOATS = """# Boats

The lamps are lit in the evening. The traffic in the old harbour has increased dramatically, and all of its quays need
to work together. The water is calm.

They are moored along the quay on every day of the year, and the crews walk to the market behind the old wall.
"""
INJECTION = '$(touch pwned)`touch pwned`"; touch pwned; \'"${IFS}'


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """What the install step makes, without installing anything: the interpreter that has this package."""
    folder = tmp_path / "programs"
    folder.mkdir()
    (folder / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (folder / "python").chmod(0o755)
    return folder


@pytest.fixture
def job(tmp_path: Path, programs: Path) -> Job:
    """The action in a checkout with one weak page, whose steps up to the installation are given."""
    checkout = tmp_path / "checkout"
    (checkout / "docs").mkdir(parents=True)
    (checkout / "docs" / "boats.md").write_text(BOATS)
    (checkout / "steelyard.toml").write_text('uncertain = true\nmin_score = 60\nas_of = "2026-07-01"\n')
    make_repository(checkout)
    commit_all(checkout)
    given = {
        "python": {"python-path": sys.executable},
        "install": {"programs": str(programs), "version": "0.1.0"},
    }
    return Job(checkout, tmp_path / "runner temp", {}, given)
