"""Repositories that grow commit by commit, for tests."""

from __future__ import annotations

from pathlib import Path

from tests.check.shared import git


def make_repository(folder: Path) -> Path:
    """Make an empty repository with the branch `main`."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "--quiet", "--initial-branch=main")
    return folder


def commit_all(folder: Path) -> None:
    """Commit everything that is not ignored."""
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "change")
