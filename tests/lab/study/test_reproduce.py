"""The whole study on a tiny corpus: the same bytes twice, after kills, and nothing computed again without need."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from datetime import date
from pathlib import Path

import pytest

from steelyard.errors import SteelyardError
from steelyard.lab.editions import attackers
from steelyard.lab.gaming import adaptive
from steelyard.lab.protocol import controls
from steelyard.lab.study.material import load_material
from steelyard.lab.study.registry import STUDIES
from steelyard.lab.study.report import verify
from steelyard.lab.study.reproduce import AS_OF, hash_code, reproduce
from tests.conftest import ROOT, run_here
from tests.lab.study.test_readable_report import MOST_WORDS

KILLS = 4
MAX_SECONDS = 600.0  # seconds against hangs; a run takes about ten


def arguments(out: Path) -> list[str]:
    return [
        sys.executable, "-m", "steelyard", "reproduce", "--corpus", "tiny", "--out", str(out), "--jobs", "1", "--quiet"
    ]  # fmt: skip


def contents(out: Path) -> dict[str, bytes]:
    """Every file that is kept, by its name."""
    files = [p for p in sorted(out.rglob("*")) if p.is_file() and "work" not in p.relative_to(out).parts]
    return {p.relative_to(out).as_posix(): p.read_bytes() for p in files}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The study with one share of the filler's cost, and with attackers that soon give up: these take most of it."""
    out = tmp_path_factory.mktemp("study") / "whole"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(controls, "SHARES", (0.5,))
        patch.setattr(adaptive, "PATIENCE", 1)
        patch.setattr(attackers, "TRIGGERED", 2)
        done = run_here(*arguments(out)[3:])
    assert (done.returncode, done.stderr) == (0, "")
    return out


@pytest.fixture
def copy(undisturbed: Path, tmp_path: Path) -> Path:
    return shutil.copytree(undisturbed, tmp_path / "copy")


def test_it_writes_an_artifact_for_every_section_a_report_and_its_pictures(undisturbed: Path) -> None:
    material = load_material("tiny", AS_OF)
    names = {section.name for study in STUDIES for section in study.list_sections(material)}
    assert {p.stem for p in (undisturbed / "artifacts").iterdir()} == names
    gaming = json.loads((undisturbed / "artifacts" / "gaming.json").read_text("utf-8"))
    assert list(gaming["result"]) == ["undefined"], "what twelve pages cannot show"
    report = (undisturbed / "report.md").read_text("utf-8")
    assert "Undefined: " in report
    assert report.index("## The paper's claims") < report.index("## Compared with the paper")
    assert len(report.split()) <= MOST_WORDS
    linked = set(re.findall(r"\(appendix/([\w-]+\.md)\)", report))
    appendices = {path.name: path.read_text("utf-8") for path in (undisturbed / "appendix").iterdir()}
    assert linked == set(appendices)
    for path in (undisturbed / "images").glob("*.png"):
        assert sum(path.name in text for text in appendices.values()) == 1
    page = (undisturbed / "report.html").read_text("utf-8")
    assert "<script" not in page
    assert "http://" not in page.replace("http://www.w3.org", "")


def test_an_unchanged_study_is_reused_whole(copy: Path) -> None:
    before = contents(copy)
    sections = list(reproduce("tiny", copy, jobs=1))
    assert all(section.reused for section in sections)
    assert contents(copy) == before


def test_a_changed_or_broken_artifact_is_computed_again(copy: Path) -> None:
    before = contents(copy)
    for name, change in (("gates", '"result": {'), ("matrix", "garbage")):
        path = copy / "artifacts" / f"{name}.json"
        path.write_text(change if change == "garbage" else path.read_text().replace(change, f'{change}"more": 1, '))
    again = {section.entry.name: section.reused for section in reproduce("tiny", copy, jobs=1)}
    assert [name for name, reused in again.items() if not reused] == ["matrix", "gates"]
    assert contents(copy) == before


def test_another_date_computes_everything_again(copy: Path) -> None:
    sections = reproduce("tiny", copy, as_of=date(2026, 7, 2), jobs=1)
    assert not next(sections).reused


@pytest.mark.full
def test_a_run_that_was_killed_again_and_again_ends_with_the_same_bytes(tmp_path: Path) -> None:
    undisturbed = tmp_path / "whole"
    subprocess.run(arguments(undisturbed), check=True, cwd=ROOT, timeout=MAX_SECONDS, capture_output=True)
    out, rng = tmp_path / "killed", random.Random(7)
    for _ in range(KILLS):
        process = subprocess.Popen(arguments(out), cwd=ROOT, stdout=subprocess.DEVNULL, start_new_session=True)
        time.sleep(rng.uniform(1.0, 4.0))
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(timeout=MAX_SECONDS)
    subprocess.run(arguments(out), check=True, cwd=ROOT, timeout=MAX_SECONDS, capture_output=True)
    assert contents(out) == contents(undisturbed)


def test_a_study_says_what_its_artifacts_say(undisturbed: Path) -> None:
    assert list(verify(undisturbed)) == []
    assert list(verify(ROOT / "docs" / "study")) == []


def test_verify_names_the_file_that_was_changed_by_hand_or_is_gone(copy: Path) -> None:
    for name, old, new in (
        ("report.md", "undefined", "defined"),
        ("appendix/gaming.md", "Undefined", "Defined"),
        ("report.html", "undefined", "defined"),
        ("artifacts/constants.json", '"saturation": 3.0', '"saturation": 4.0'),
    ):
        path = copy / name
        text = path.read_text("utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), "utf-8")
        assert any(name in problem for problem in verify(copy)), name
        path.write_text(text, "utf-8")
    picture = next((copy / "images").glob("*.png"))
    picture.unlink()
    assert any(picture.name in problem for problem in verify(copy))


def test_a_folder_with_a_broken_list_of_sections_is_a_problem_and_no_crash(tmp_path: Path) -> None:
    for garbage in ("", "{", "[]", '{"sections": 1}', '{"sections": [], "illustrated": true}', "NaN"):
        (tmp_path / "study.json").write_text(garbage)
        assert len(list(verify(tmp_path))) == 1, garbage


def test_a_section_cannot_lead_out_of_the_folder(copy: Path) -> None:
    path = copy / "study.json"
    path.write_text(path.read_text("utf-8").replace('"name": "gates"', '"name": "../gates"'))
    assert any("invalid name" in problem for problem in verify(copy))


def test_a_folder_without_pages_is_refused_with_what_it_should_hold(tmp_path: Path) -> None:
    with pytest.raises(SteelyardError, match=r"web_en\.jsonl"):
        load_material(str(tmp_path), AS_OF)


def test_a_damaged_file_of_records_does_not_stop_the_material_from_loading(tmp_path: Path) -> None:
    page = {"id": "p", "lang": "en", "title": "", "text": "The tide is high and the harbour is quiet. " * 40}
    (tmp_path / "web_en.jsonl").write_text(json.dumps(page) + "\n")
    (tmp_path / "outcomes").mkdir()
    (tmp_path / "outcomes" / "bad.jsonl").write_bytes(b"\0" * 40)
    (tmp_path / "outcomes" / "probs.jsonl").write_text('{"call": "q|baseline|forward", "cite_probs": []}\n')
    found = load_material(str(tmp_path), AS_OF)
    assert [p.name for p in found.records] == ["bad.jsonl"]
    assert found.probabilities is not None


def test_other_code_has_another_hash(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    first = hash_code(tmp_path)
    (tmp_path / "a.py").write_text("x = 2\n")
    assert hash_code(tmp_path) != first
