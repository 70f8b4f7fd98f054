"""Pages and repositories for the tests of the workflow."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

GOOD = """# The tide tables of Port Ellis

Updated on 4 March 2026.

The harbour office of Port Ellis counted 1,204 arrivals in 2025, according to the Coastal Survey. "We had never seen so
many boats in one season," said Anna Weir, the harbour master, in January 2026.
"""
VAGUE = "The traffic in the old harbour has increased dramatically, and all of its quays need to work together."
OPENER = (
    "They are moored along the quay on every day of the year, and the crews walk to the market behind the old wall."
)
WEAK = f"""# Boats

The lamps are lit in the evening. {VAGUE} The water is calm and grey.

{OPENER}
"""


def write(folder: Path, files: dict[str, str]) -> Path:
    """Write files below a folder, and return the folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder


def git(folder: Path, *arguments: str) -> str:
    """Run git in a folder, as somebody, at a fixed time."""
    who = {"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.org", "GIT_COMMITTER_NAME": "A"}
    when = {"GIT_AUTHOR_DATE": "2026-05-01T12:00:00Z", "GIT_COMMITTER_DATE": "2026-05-01T12:00:00Z"}
    environment = {**os.environ, **who, **when, "GIT_COMMITTER_EMAIL": "a@example.org", "GIT_CONFIG_GLOBAL": os.devnull}
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=True,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    return done.stdout


def make_repository(folder: Path, files: dict[str, str] | None = None) -> Path:
    """Make a repository on the branch `main`, with one commit if there are files."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", "-b", "main")
    if files:
        commit_all(write(folder, files))
    return folder


def commit_all(folder: Path) -> None:
    """Commit everything that is not ignored."""
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "change")
