"""`steelyard verify` as a user sees it: a study against its artifacts, and scores against a release."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from steelyard.lab.study import drift, report
from steelyard.lab.study.registry import BY_NAME
from steelyard.lab.study.reproduce import Computed, Entry, seal, write_study
from steelyard.lab.study.study import Request
from steelyard.support.artifacts import round_floats, write_artifact
from tests.conftest import ROOT, run_here

Run = Callable[..., subprocess.CompletedProcess[str]]
RELEASE = ROOT / "docs" / "releases"


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study of one section and without pictures."""
    out = tmp_path_factory.mktemp("written")
    result = round_floats(BY_NAME["constants"].compute(Request((), {}, date(2026, 7, 1))))
    sizes = {"English pages": 3}
    parameters = {"corpus": "c", "sizes": sizes, "as_of": "2026-07-01", "embedder": None, "seal": seal(result)}
    artifact = {"inputs": {"pages": "0" * 64}, "parameters": parameters, "result": result}
    (out / "artifacts").mkdir()
    write_artifact(out / "artifacts" / "constants.json", artifact)
    computed = [Computed(Entry("constants", "constants", "Constants"), artifact, reused=False)]
    write_study(out, computed, illustrated=False)
    report.write(out, report.make_report(computed, illustrated=False))
    return out


@pytest.fixture
def study(written: Path, tmp_path: Path) -> Path:
    return shutil.copytree(written, tmp_path / "study")


def test_a_sound_study_passes_also_as_part_of_a_clone(study: Path, tmp_path: Path) -> None:
    done = run_here("verify", str(study))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "1 section: artifacts sealed, report printed again from them and equal\n"
    (tmp_path / "clone" / "docs").mkdir(parents=True)
    study.rename(tmp_path / "clone" / "docs" / "study")
    assert run_here("verify", str(tmp_path / "clone")).stdout == done.stdout


def test_a_changed_report_is_named_by_file_and_line(study: Path) -> None:
    path = study / "report.md"
    path.write_text(path.read_text("utf-8").replace("0.1", "0.2", 1), "utf-8")
    done = run_here("verify", str(study))
    assert done.returncode == 1
    assert f"{path}:" in done.stdout
    assert "but its artifacts say" in done.stdout


def test_what_is_missing_or_broken_is_one_line_and_exit_1(written: Path, tmp_path: Path) -> None:
    unknown = b'{"sections": [{"name": "constants", "study": "gone", "title": ""}], "illustrated": false}'
    for number, (name, content) in enumerate([
        ("artifacts/constants.json", None),
        ("artifacts/constants.json", b"[]"),
        ("artifacts/constants.json", b'{"result": {}, "inputs": {}, "parameters": {}}'),
        ("report.md", None),
        ("report.md", b"\xff\xfe"),
        ("study.json", b"[" * 9999),
        ("study.json", unknown),
    ]):  # fmt: skip
        study = shutil.copytree(written, tmp_path / str(number))
        if content is None:
            (study / name).unlink()
        else:
            (study / name).write_bytes(content)
        done = run_here("verify", str(study))
        assert (done.returncode, done.stderr) == (1, ""), (name, content)
        assert len(done.stdout.splitlines()) == 1, (name, content)
        assert "run `steelyard lab reproduce` again" in done.stdout, (name, content)


def test_what_cannot_be_verified_at_all_exits_2(tmp_path: Path) -> None:
    done = run_here("verify", str(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert "no study here (study.json is missing); name the folder of a study" in done.stderr
    assert run_here("verify", "--against", str(RELEASE), "--freeze", "x").returncode == 2


def make_release(path: Path, *, by: float = 0.0, digest: str | None = None) -> Path:
    """Freeze three pages as if their scores had moved by so much since, or the first had another text."""
    release = drift.freeze_scores(dict(list(drift.demo_pages().items())[:3]))
    for page in release["pages"].values():
        page["score"] -= by
    if digest:
        next(iter(release["pages"].values()))["sha256"] = digest
    path.write_text(json.dumps(release))
    return path


def test_a_frozen_file_has_every_page_of_the_committed_release(tmp_path: Path) -> None:
    path = tmp_path / "now.json"
    assert run_here("verify", "--freeze", str(path)).stdout.startswith("53 pages of version ")
    now, then = drift.read_release(path), drift.read_release(RELEASE)
    assert {n: p["sha256"] for n, p in now["pages"].items()} == {n: p["sha256"] for n, p in then["pages"].items()}


def test_what_did_not_move_passes(tmp_path: Path) -> None:
    done = run_here("verify", str(tmp_path), "--against", str(make_release(tmp_path / "release.json")))
    assert (done.returncode, done.stderr) == (0, "")
    assert "none of 3 pages moved" in done.stdout


def test_a_change_must_be_in_the_changelog_with_its_size(tmp_path: Path) -> None:
    path, changelog = make_release(tmp_path / "release.json", by=0.25), tmp_path / "CHANGELOG.md"
    summary = "3 of 3 demo pages moved, largest +0.250, mean +0.250"
    for text in (None, "## Unreleased\n\n**Numbers**\n\n- 3 of 3 demo pages moved, largest +0.240, mean +0.250\n"):
        if text:
            changelog.write_text(text)
        done = run_here("verify", str(tmp_path), "--against", str(path))
        assert done.returncode == 1
        assert done.stdout.splitlines()[0].endswith(summary)
        assert f"does not name this change under Numbers in Unreleased: {summary}" in done.stderr
    changelog.write_text(f"## Unreleased\n\n**Numbers**\n\n- {summary}: why\n")
    done = run_here("verify", str(tmp_path), "--against", str(path))
    assert (done.returncode, done.stderr) == (0, "")


def test_an_edited_page_of_a_release_is_a_failure(tmp_path: Path) -> None:
    path = make_release(tmp_path / "release.json", digest="0" * 64)
    done = run_here("verify", str(tmp_path), "--against", str(path))
    assert done.returncode == 1
    assert "pages that were changed since: business/" in done.stderr
