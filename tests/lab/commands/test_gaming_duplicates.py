"""`steelyard gaming duplicates`: near-duplicates among pages, and what cannot be read."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import run_here

Run = Callable[..., subprocess.CompletedProcess[str]]
PAGE = " ".join(
    f"sentence {word} about the harbour and its tides." for word in "one two three four five six seven".split()
)

pytest.importorskip("datasketch", reason="the laboratory's MinHash library is not installed")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "a.md").write_text(PAGE)
    (pages / "b.md").write_text(f"{PAGE} One more line.")
    (pages / "c.md").write_text("Nothing of the sort. " + " ".join(f"word{chr(97 + n)}" for n in range(26)))
    return pages


def test_copies_are_named_and_the_exit_code_says_so(folder: Path, tmp_path: Path):
    result = run_here("gaming", "duplicates", str(folder), "--out", str(tmp_path / "out"))
    assert result.returncode == 1, result.stdout
    assert "a.md" in result.stdout
    assert "b.md" in result.stdout
    found = json.loads((tmp_path / "out" / "duplicates.json").read_text())["result"]
    assert [Path(name).name for pair in found["pairs"] for name in (pair["first"], pair["second"])] == ["a.md", "b.md"]
    assert found["pages"] == 3


def test_pages_of_their_own_are_no_finding(folder: Path, tmp_path: Path):
    (folder / "b.md").unlink()
    result = run_here("gaming", "duplicates", str(folder), "--out", str(tmp_path / "out"))
    assert result.returncode == 0, result.stdout
    assert "0 pairs" in result.stdout


def test_one_page_cannot_be_compared_and_a_missing_one_is_told(folder: Path, tmp_path: Path):
    alone = run_here("gaming", "duplicates", str(folder / "a.md"), "--out", str(tmp_path / "out"))
    assert alone.returncode == 2
    assert "two or more" in alone.stderr
    missing = run_here("gaming", "duplicates", str(folder), str(folder / "none.md"), "--out", str(tmp_path / "out"))
    assert missing.returncode == 2
    assert "none.md" in missing.stderr
