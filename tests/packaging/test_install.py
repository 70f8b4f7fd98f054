"""The first line of a new user: both archives installed by uv, pip and pipx, each in an empty place."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import pytest

from tests.environments import LOCKS, find_python
from tests.packaging.test_build import PAGE, UNREACHABLE, Archives, archives, run
from tools.lock import UV, find_index

__all__ = ["archives"]  # a fixture

pytestmark = pytest.mark.full  # packages are downloaded

MAX_SECONDS = 15  # from an empty cache to a score


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a page, where every installer begins with nothing."""
    for name in ("HOME", "UV_CACHE_DIR", "UV_TOOL_DIR", "UV_TOOL_BIN_DIR", "PIPX_HOME", "PIPX_BIN_DIR", "PIPX_MAN_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    if index := find_index():
        for name in ("UV_DEFAULT_INDEX", "PIP_INDEX_URL"):
            monkeypatch.setenv(name, os.environ.get(name, index))
    (tmp_path / "page.md").write_text(PAGE)
    (tmp_path / "page.html").write_text(f"<p>{PAGE}</p>")
    return tmp_path


def install(*command: str | Path) -> None:
    done = run(command, check=False)
    if done.returncode != 0 and UNREACHABLE.search(done.stderr):
        pytest.skip("the package index cannot be reached")
    assert done.returncode == 0, done.stderr


def check_command(command: str | Path, place: Path) -> None:
    """A page without a command is scored; what needs an extra names it."""
    report = json.loads(run([command, "page.md", "--format", "json"], cwd=place).stdout)
    assert 0 < report["pages"][0]["score"] < 100
    refused = run([command, "page.html"], cwd=place, check=False)
    assert refused.returncode == 2
    assert "pip install 'steelyard[html]'" in refused.stderr


def test_pip_installs_both_archives(archives: Archives, place: Path) -> None:
    for archive in archives:
        venv = place / archive.suffix
        run([sys.executable, "-I", "-m", "venv", venv])
        install(venv / "bin" / "python", "-I", "-m", "pip", "install", "--quiet", archive)
        check_command(venv / "bin" / "steelyard", place)


def test_pipx_installs_both_archives(archives: Archives, place: Path) -> None:
    python = find_python("pipx", LOCKS / "pipx.txt")
    for archive in archives:
        install(python, "-m", "pipx", "install", "--force", "--python", sys.executable, archive)
        check_command(place / "pipx_bin_dir" / "steelyard", place)


def test_uv_installs_both_archives(archives: Archives, place: Path) -> None:
    for archive in archives:
        install(UV, "tool", "install", "--quiet", "--force", "--python", sys.executable, archive)
        check_command(place / "uv_tool_bin_dir" / "steelyard", place)


def test_uvx_prints_a_score_from_an_empty_cache_in_time(archives: Archives, place: Path) -> None:
    command = (UV, "tool", "run", "--python", sys.executable, "--from", archives.wheel, "steelyard", place / "page.md")
    started = time.monotonic()
    install(*command)
    assert time.monotonic() - started < MAX_SECONDS
    assert "text quality, not a forecast of citations" in run(command).stdout
