"""`steelyard verify` as a user sees it: the count, the first lie, all of them, and a release."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from steelyard.lab.study import drift
from tests.conftest import ROOT
from tests.lab.study.trees import CLAIMS, PAGE, tree

Run = Callable[..., subprocess.CompletedProcess[str]]
WITHOUT_BLOCKS = PAGE.split("<!-- begin", maxsplit=1)[0]
RELEASE = ROOT / "docs" / "releases" / "0.1.0.json"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return tree(tmp_path / "project", page=WITHOUT_BLOCKS)


def test_it_prints_how_many_numbers_were_verified(run: Run, project: Path) -> None:
    done = run("verify", str(project))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0] == "4 numbers in 1 marked documents"
    assert "       2  in sentences, read again in an artifact or a data file" in done.stdout
    assert run("verify", cwd=project).stdout == done.stdout


def test_it_ends_with_1_at_the_first_lie_and_lists_all_when_asked(run: Run, project: Path) -> None:
    (project / "docs" / "claims.toml").write_text(CLAIMS.replace("/0", "/1").replace("/pages", "/page"))
    first = run("verify", str(project))
    assert first.returncode == 1
    assert len(first.stdout.splitlines()) == 1
    assert first.stdout.startswith("docs/page.md:5: ")
    assert first.stderr == "steelyard: 1 more; --all-problems lists them\n"
    every = run("verify", str(project), "--all-problems")
    assert every.returncode == 1
    assert len(every.stdout.splitlines()) == 2


def test_what_cannot_be_verified_at_all_ends_with_2(run: Run, tmp_path: Path, project: Path) -> None:
    assert "no docs/claims.toml here" in run("verify", str(tmp_path)).stderr
    (project / "docs" / "page.md").write_text(PAGE)  # its block names a tool, and there are none here
    done = run("verify", str(project))
    assert done.returncode == 2
    assert "no tools/docs.py here" in done.stderr
    assert run("verify", "--against", str(RELEASE), "--freeze", "x").returncode == 2


def release(path: Path, *, by: float = 0.0, digest: str | None = None) -> Path:
    """Three pages frozen now, with their scores moved or another digest for the first."""
    kept = drift.freeze(dict(list(drift.pages().items())[:3]))
    for page in kept["pages"].values():
        page["score"] -= by
    if digest:
        next(iter(kept["pages"].values()))["sha256"] = digest
    path.write_text(json.dumps(kept))
    return path


def test_a_frozen_file_has_every_page_of_the_committed_release(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "now.json"
    assert run("verify", "--freeze", str(path)).stdout.startswith("53 pages of version ")
    now, then = (json.loads(p.read_text("utf-8")) for p in (path, RELEASE))
    assert {n: p["sha256"] for n, p in now["pages"].items()} == {n: p["sha256"] for n, p in then["pages"].items()}


def test_what_did_not_move_passes(run: Run, tmp_path: Path) -> None:
    done = run("verify", "--against", str(release(tmp_path / "release.json")), cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "0 of 3 pages moved" in done.stdout


def test_a_move_needs_a_line_in_the_changelog(run: Run, tmp_path: Path) -> None:
    path = release(tmp_path / "release.json", by=1e-6)
    (tmp_path / "CHANGELOG.md").write_text("## Unreleased\n\n**Numbers**: none yet; nothing moved.\n")
    undeclared = run("verify", str(tmp_path), "--against", str(path))
    assert undeclared.returncode == 1
    assert "3 of 3 pages moved, at most 0.000001, 0.000001 on average" in undeclared.stdout
    assert "write the size of the move under Numbers" in undeclared.stderr
    (tmp_path / "CHANGELOG.md").write_text("## Unreleased\n\n**Numbers**: every score +0.000001.\n")
    told = run("verify", str(tmp_path), "--against", str(path))
    assert told.returncode == 0
    assert told.stdout.count("+0.000001  ") == 3
    assert told.stdout.endswith("declared in CHANGELOG.md: every score +0.000001.\n")


def test_an_edited_page_of_a_release_is_a_failure(run: Run, tmp_path: Path) -> None:
    done = run("verify", str(tmp_path), "--against", str(release(tmp_path / "release.json", digest="0" * 64)))
    assert done.returncode == 1
    assert "not the pages that were frozen: business/" in done.stderr
