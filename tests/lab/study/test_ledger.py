"""The report's ledger: every lie in a report, an artifact or the list of addresses is found."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from steelyard.lab.study import ledger, manifest
from steelyard.lab.study.reproduce import seal
from tests.conftest import ROOT

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("study") / "tiny"
    command = ["reproduce", "--corpus", "tiny", "--out", str(out), "--jobs", "1", "--quiet", "--no-plots"]
    subprocess.run([sys.executable, "-m", "steelyard", *command], check=True, cwd=ROOT, timeout=300)
    return out


@pytest.fixture
def study(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "study", ignore=shutil.ignore_patterns("work")))


def test_a_study_as_it_was_written_holds(study: Path, run: Run):
    found = ledger.check(study)
    assert found.problems == []
    assert found.counts[ledger.READ] > 500
    assert found.counts[ledger.DERIVED] > 100
    done = run("verify", str(study))
    assert done.returncode == 0, done.stderr
    assert f"{sum(found.counts.values()):,} numbers in report.md" in done.stdout


def test_an_address_leads_to_the_number_that_is_printed(study: Path):
    """Read with nothing but JSON: the pointer's value, rounded as it is printed."""
    report = (study / ledger.REPORT).read_text("utf-8").replace("\\", "").splitlines()
    checked = 0
    for row in csv.DictReader((study / ledger.ADDRESSES).read_text("utf-8").splitlines()):
        assert row["number"] in report[int(row["line"]) - 1]
        if row["address"].startswith(("(", "−", "|")):
            continue
        name, _, pointer = row["address"].partition("#/")
        value = json.loads((study / name).read_text("utf-8"))
        for part in pointer.split("/"):
            key = part.replace("~1", "/").replace("~0", "~")
            value = value[int(key)] if isinstance(value, list) else value[key]
        plain = row["number"].replace("−", "-").replace(",", "")
        scale = 100 if plain.endswith("%") else 1
        digits = len(plain.rstrip("%").partition(".")[2])
        assert float(plain.rstrip("%")) == pytest.approx(value * scale, abs=0.5000001 * 10**-digits), row
        checked += 1
    assert checked > 500


def test_the_committed_study_holds():
    found = ledger.check(ROOT / "docs" / "study")
    assert [str(problem) for problem in found.problems] == []
    assert found.counts[ledger.READ] > 5000


def test_a_number_changed_in_the_report_is_found_with_its_line(study: Path, run: Run):
    path = study / ledger.REPORT
    lines = path.read_text("utf-8").splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("| shannon\\_entropy | 0."))
    lines[at] = lines[at].replace("0.", "0.9", 1)
    path.write_text("\n".join(lines) + "\n", "utf-8")
    done = run("verify", str(study))
    assert done.returncode == 1
    assert done.stdout.startswith(f"report.md:{at + 1}: prints ")


def test_a_number_changed_in_an_artifact_is_found(study: Path, run: Run):
    path = study / "artifacts" / "constants.json"
    value = json.loads(path.read_text("utf-8"))
    value["result"]["weights"]["shipped"]["citation_f1"] += 0.01
    path.write_text(json.dumps(value), "utf-8")
    unsealed = run("verify", str(study))
    assert unsealed.returncode == 1
    assert "no longer has the hash it was sealed with" in unsealed.stdout
    value["parameters"]["seal"] = seal(value["result"])
    path.write_text(json.dumps(value), "utf-8")
    sealed = run("verify", str(study))
    assert sealed.returncode == 1
    assert "but its artifacts say" in sealed.stdout


def test_a_number_changed_in_the_html_and_a_picture_that_is_gone_are_found(study: Path):
    page = study / "report.html"
    text = page.read_text("utf-8")
    page.write_text(text.replace("0.2458", "0.2459", 1), "utf-8")
    (problem,) = ledger.check(study).problems
    assert problem.place == "report.html"
    page.write_text(text, "utf-8")
    listed = json.loads((study / manifest.NAME).read_text("utf-8"))
    made, _ = manifest.read(study)
    manifest.write(study, made, illustrated=not listed["illustrated"])
    report, _ = ledger.addressed(made, illustrated=True)
    (study / ledger.REPORT).write_text(report, "utf-8")
    ledger.write(study, made, illustrated=True)
    gone = [p.place for p in ledger.check(study).problems]
    assert "images/constants-objects.png" in gone


def test_an_address_that_was_changed_is_found(study: Path):
    path = study / ledger.ADDRESSES
    text = path.read_text("utf-8")
    path.write_text(text.replace("weights/shipped", "weights/prior", 1), "utf-8")
    (problem,) = ledger.check(study).problems
    assert problem.place == ledger.ADDRESSES


def test_artifacts_of_another_version_are_one_line(study: Path, run: Run):
    path = study / "artifacts" / "constants.json"
    value = json.loads(path.read_text("utf-8"))
    del value["result"]["weights"]
    value["parameters"]["seal"] = seal(value["result"])
    path.write_text(json.dumps(value), "utf-8")
    done = run("verify", str(study))
    assert done.returncode == 1
    assert "this version cannot print its artifacts (KeyError: 'weights')" in done.stdout


GARBAGE = (b"", b"\xff\xfe", b"[]", b"{}", b"[" * 100_000, b'{"chapters": 3, "illustrated": 1}', b'{"result": NaN}')
PATHS = (b'{"chapters": [{"name": "../../x", "kind": "gates", "title": "t"}], "illustrated": true}',)
KINDS = (b'{"chapters": [{"name": "gates", "kind": "nope", "title": 3}], "illustrated": true}',)


@pytest.mark.parametrize("name", ["study.json", "artifacts/gates.json", "report.md", "addresses.csv", "report.html"])
@pytest.mark.parametrize("data", [*GARBAGE, *PATHS, *KINDS])
def test_garbage_in_any_file_of_a_study_is_a_problem_and_never_a_crash(study: Path, name: str, data: bytes):
    (study / name).write_bytes(data)
    assert ledger.check(study).problems


@pytest.mark.parametrize("name", ["study.json", "artifacts/gates.json", "report.md", "addresses.csv"])
def test_what_is_missing_or_broken_is_one_line(study: Path, run: Run, name: str):
    path = study / name
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    broken = run("verify", str(study))
    assert broken.returncode == 1
    assert len(broken.stdout.splitlines()) == 1
    if name != manifest.NAME:  # without it the folder is no study
        path.unlink()
        gone = run("verify", str(study))
        assert gone.returncode == 1
        assert "Traceback" not in gone.stderr
        assert len(gone.stdout.splitlines()) == 1
