"""The whole study on a tiny corpus: the same bytes twice, after kills, and nothing computed again without need."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from steelyard.lab.study.material import NoPages, material
from steelyard.lab.study.reproduce import AS_OF, _key, _result, code_digest
from steelyard.lab.study.stages import Desk, record_names, stages
from tests.conftest import ROOT

Run = Callable[..., subprocess.CompletedProcess[str]]
KILLS = 4
LONGEST = 200.0  # seconds against hangs; a run takes about ten


def arguments(out: Path) -> list[str]:
    return ["reproduce", "--corpus", "tiny", "--out", str(out), "--jobs", "1", "--quiet"]


def contents(out: Path) -> dict[str, bytes]:
    """Every file that is kept, by its name."""
    files = [p for p in sorted(out.rglob("*")) if p.is_file() and "work" not in p.relative_to(out).parts]
    return {p.relative_to(out).as_posix(): p.read_bytes() for p in files}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("study") / "whole"
    subprocess.run([sys.executable, "-m", "steelyard", *arguments(out)], check=True, cwd=ROOT, timeout=LONGEST)
    return out


def test_it_writes_an_artifact_for_every_stage_a_report_and_its_pictures(undisturbed: Path):
    names = {stage.name for stage in stages(material("tiny"))}
    assert {p.stem for p in (undisturbed / "artifacts").iterdir()} == names
    report = (undisturbed / "report.md").read_text("utf-8")
    assert "## Beside the paper" in report
    assert "Undefined: " in report
    for path in (undisturbed / "images").glob("*.png"):
        assert path.name in report
    page = (undisturbed / "report.html").read_text("utf-8")
    assert "<script" not in page
    assert "http://" not in page.replace("http://www.w3.org", "")


def test_what_twelve_pages_cannot_tell_is_undefined_with_its_reason(undisturbed: Path):
    artifact = json.loads((undisturbed / "artifacts" / "gaming.json").read_text("utf-8"))
    assert "training and" in artifact["result"]["undefined"]
    assert all(len(digest) == 64 for digest in artifact["inputs"].values())


def test_an_unchanged_run_keeps_every_stage_and_every_byte(undisturbed: Path, run: Run):
    before = contents(undisturbed)
    again = run(*arguments(undisturbed), cwd=ROOT)
    assert again.returncode == 0, again.stderr
    count = len(stages(material("tiny")))
    assert f"{count} stages, {count} of them kept" in again.stdout
    assert contents(undisturbed) == before


def test_a_result_that_was_changed_by_hand_is_computed_anew(undisturbed: Path, tmp_path: Path, run: Run):
    out = Path(shutil.copytree(undisturbed, tmp_path / "changed"))
    path = out / "artifacts" / "gates.json"
    changed = json.loads(path.read_text("utf-8"))
    changed["result"]["verdicts"]["all"]["duplication"]["statistic"] += 3.0
    path.write_text(json.dumps(changed), "utf-8")
    again = run(*arguments(out), cwd=ROOT)
    assert again.returncode == 0, again.stderr
    assert contents(out) == contents(undisturbed)


def test_a_folder_of_pages_is_a_corpus_too(tmp_path: Path):
    for number in range(3):
        words = "The harbour opens when the tide is high enough for boats. " * 40
        (tmp_path / f"{number}.md").write_text(f"# Page {number}\n\n{words}")
    assert len(material(str(tmp_path)).english) == 3


def test_killed_again_and_again_it_ends_with_the_same_bytes(undisturbed: Path, tmp_path: Path):
    out, rng = tmp_path / "killed", random.Random(11)
    for _ in range(KILLS):
        process = subprocess.Popen(
            [sys.executable, "-m", "steelyard", *arguments(out)],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        time.sleep(rng.uniform(0.5, 5.0))
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    subprocess.run([sys.executable, "-m", "steelyard", *arguments(out)], check=True, cwd=ROOT, timeout=LONGEST)
    assert contents(out) == contents(undisturbed)


def test_a_broken_artifact_is_made_anew(undisturbed: Path, tmp_path: Path, run: Run):
    out = tmp_path / "broken"
    subprocess.run(["cp", "-r", str(undisturbed), str(out)], check=True)
    (out / "artifacts" / "displacement.json").write_text("{")
    path = out / "artifacts" / "constants.json"
    whole = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({**whole, "result": "gone"}))
    again = run(*arguments(out), cwd=ROOT)
    assert again.returncode == 0, again.stderr
    assert contents(out) == contents(undisturbed)


def test_a_folder_without_pages_is_refused_with_what_belongs_into_it(tmp_path: Path, run: Run):
    with pytest.raises(NoPages, match=r"web_en\.jsonl"):
        material(str(tmp_path))
    refused = run("reproduce", "--corpus", str(tmp_path), "--out", str(tmp_path / "out"))
    assert refused.returncode == 2
    assert refused.stderr.count("\n") == 1


def test_a_file_of_pages_is_a_corpus_too(tmp_path: Path):
    page = {"id": "a", "text": "The harbour opens when the tide is high enough for boats. " * 40, "lang": "en"}
    file = tmp_path / "pages.jsonl"
    file.write_text(json.dumps(page) + "\n")
    found = material(str(file))
    assert len(found.english) == 1
    assert found.records == ()


def test_the_code_is_part_of_the_key(tmp_path: Path):
    (tmp_path / "room").mkdir()
    file = tmp_path / "room" / "a.py"
    file.write_text("x = 1\n")
    before = code_digest(tmp_path)
    assert code_digest(tmp_path) == before
    file.write_text("x = 2\n")
    changed = code_digest(tmp_path)
    file.rename(tmp_path / "a.py")
    assert len({before, changed, code_digest(tmp_path)}) == 3
    given, how = material("tiny"), {"as_of": str(AS_OF), "embedder": None}
    assert _key("gates", given, before, how) != _key("gates", given, before, {**how, "embedder": "wordllama"})
    assert _key("gates", given, before, how) != _key("gates", given, changed, how)


def test_records_that_cannot_be_read_are_undefined_and_not_passed_over(tmp_path: Path):
    (tmp_path / "outcomes").mkdir()
    page = {"id": "a", "text": "The harbour opens when the tide is high enough for boats. " * 40, "lang": "en"}
    (tmp_path / "web_en.jsonl").write_text(json.dumps(page) + "\n")
    (tmp_path / "outcomes" / "garbage.jsonl").write_bytes(b"\x00\xff no records")
    given = material(str(tmp_path))
    found = {stage.name: stage for stage in stages(given)}
    for name in ("ranking-garbage", "records-garbage", "ceiling"):
        assert set(_result(found[name], Desk(given, tmp_path, AS_OF))) == {"undefined"}


def test_two_files_of_records_with_one_stem_are_two_stages():
    paths = [Path("a.jsonl"), Path("a.jsonl.gz"), Path("b_c.jsonl")]
    assert list(record_names(paths).values()) == ["a-jsonl", "a-jsonl-gz", "b-c"]


def test_an_embedder_that_cannot_be_had_is_refused_before_anything_is_computed(tmp_path: Path, run: Run):
    done = run("reproduce", "--corpus", "tiny", "--out", str(tmp_path / "out"), "--embedder", "nope", "--quiet")
    assert done.returncode == 2
    assert "nope" in done.stderr
    assert not (tmp_path / "out").exists()
