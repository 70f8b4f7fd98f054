"""The GitHub Action: its scripts run as GitHub runs them, on honest and on hostile repositories."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.check.shared import commit_all
from tests.conftest import ROOT
from tests.integrations.action_runner import ACTION, STEPS, Job
from tests.integrations.conftest import BOATS, INJECTION
from tests.packaging.hostile import list_imported, plant_modules


def test_no_input_is_written_into_a_script() -> None:
    scripts = [step for step in STEPS if "run" in step]
    assert len(scripts) >= 3
    for step in scripts:
        assert "${{" not in step["run"]
        assert step["run"].startswith("set -euo pipefail\n")
        assert step["shell"] == "bash"


def test_every_input_is_used_and_every_input_and_output_is_described() -> None:
    text = (ROOT / "action.yml").read_text("utf-8")
    for name, entry in (*ACTION["inputs"].items(), *ACTION["outputs"].items()):
        assert entry["description"], name
    for name in ACTION["inputs"]:
        assert f"inputs.{name} " in text, name


def test_a_weak_page_fails_with_annotations_on_its_lines(job: Job) -> None:
    job.run()
    assert job.code == 1
    assert re.search(r"^::error file=docs/boats\.md,line=1,.*the score .* is below 60", job.log, re.MULTILINE)
    assert re.search(r"^::warning file=docs/boats\.md,line=3,.*statistic_density", job.log, re.MULTILINE)
    assert re.search(r"^::warning file=docs/boats\.md,line=6,.*self_containment", job.log, re.MULTILINE)
    assert "docs/boats.md" in job.summary
    outputs = job.outputs
    report = json.loads(Path(outputs["report"]).read_text("utf-8"))
    assert [page["source"] for page in report["pages"]] == ["docs/boats.md"]
    assert outputs["score"] == outputs["median-score"] == f"{report['pages'][0]['score']:.2f}"
    assert (outputs["failed"], outputs["failed-pages"]) == ("true", "1")
    assert json.loads(Path(outputs["sarif"]).read_text("utf-8"))["version"] == "2.1.0"
    assert "boats.md" in Path(outputs["summary"]).read_text("utf-8")


def test_pages_that_pass_give_the_lowest_and_the_median_score(job: Job) -> None:
    for name, words in (("b", 40), ("c", 300)):
        (job.checkout / "docs" / f"{name}.md").write_text("# Ink\n\n" + "Ink dries slowly on damp paper. " * words)
    job.inputs = {"min-score": "0", "paths": "docs"}
    job.run()
    scores = sorted(page["score"] for page in json.loads(Path(job.outputs["report"]).read_text())["pages"])
    assert len(scores) == 3
    assert job.code == 0
    assert (job.outputs["failed"], job.outputs["failed-pages"]) == ("false", "0")
    assert job.outputs["score"] == f"{scores[0]:.2f}"
    assert job.outputs["median-score"] == f"{scores[1]:.2f}"


def test_findings_need_not_fail_the_job_but_an_unreadable_page_does(job: Job) -> None:
    job.inputs = {"fail-on-findings": "false"}
    assert job.run().code == 0
    assert job.outputs["failed"] == "true"
    (job.checkout / "docs" / "binary.md").write_bytes(bytes(range(256)) * 20)
    assert job.run().code == 2
    assert job.outputs["failed-pages"] == "2"


def test_a_wrong_configuration_fails_the_job_and_says_why(job: Job) -> None:
    (job.checkout / "steelyard.toml").write_text("min_scor = 60\n")
    assert job.run().code == 2
    assert "did you mean 'min_score'" in job.log
    assert (job.outputs["failed"], job.outputs["report"], job.outputs["score"]) == ("true", "", "")


def test_an_input_is_never_run_and_never_an_option(job: Job) -> None:
    before = sorted(job.checkout.rglob("*"))
    for name, value in (
        *((name, INJECTION) for name in ("paths", "since", "min-score", "config")),
        ("paths", "--exit-zero\n--output=pwned"),
        ("paths", "docs --exit-zero"),
        ("since", "main --exit-zero"),
        ("min-score", "90 --exit-zero"),
        ("config", "steelyard.toml --exit-zero"),
    ):
        job.inputs = {name: value}
        job.run()
        assert job.code == 2, (name, value)  # no such path, revision, number or file
        assert sorted(job.checkout.rglob("*")) == before


def test_hostile_file_names_and_pages_add_no_command_and_no_output(job: Job) -> None:
    docs = job.checkout / "docs"
    names = [
        f"{INJECTION}.md",
        "a b.md",
        "x\nfailed=false\nscore=100.md",
        "-o.md",
        "::error::y.md",
        "%0A::set-output name=x::y.md",
    ]
    for name in names:
        (docs / name.replace("/", "")).write_text(BOATS + "\n::add-mask::harbour\n##[set-env name=A]b\n")
    (docs / "##[add-mask]z.md").write_bytes(bytes(8))  # which is no text
    job.run()
    assert job.code == 2
    assert "## [add-mask]z.md: not text" in job.log
    assert job.outputs["failed-pages"] == str(len(names) + 2)
    assert float(job.outputs["score"]) < 60
    assert not list(job.checkout.rglob("pwned"))
    for line in job.log.splitlines():
        if line.lstrip().startswith("::"):
            assert re.match(r"::(error|warning|notice) file=docs/[^:]*,line=", line), line
        assert "##[" not in line


@pytest.mark.parametrize("by_environment", [False, True])
def test_no_module_of_the_checkout_is_imported_by_the_check(job: Job, by_environment: bool) -> None:
    environment = plant_modules(job.checkout)
    if by_environment:
        job.environment = environment
    (job.checkout / "docs" / "page.html").write_text("<html><body><article><p>Ink dries.</p></article></body></html>")
    job.run()
    assert list_imported(job.checkout) == []
    assert job.code == 1, job.log
    assert job.outputs["failed-pages"] == "2"


def test_a_path_with_a_line_break_is_no_output(tmp_path: Path) -> None:
    script = ROOT / "integrations" / "github" / "write_outputs.py"
    for ending in ("\nfailed=false", "\n", "\r", "\u2028x"):
        folder = tmp_path / f"reports{ending}"
        folder.mkdir()
        (folder / "report.json").write_text('{"pages": [], "errors": []}')
        command = [sys.executable, "-I", str(script), str(folder), "0"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (1, "")
        assert "the output report has a line break" in done.stderr


def test_only_pages_that_changed_since_a_revision_are_checked(job: Job) -> None:
    (job.checkout / "docs" / "new.md").write_text(BOATS)
    job.inputs = {"since": "main"}
    assert job.run().code == 1
    report = json.loads(Path(job.outputs["report"]).read_text())
    assert [page["source"] for page in report["pages"]] == ["docs/new.md"]
    commit_all(job.checkout)
    assert job.run().code == 0
    assert (job.outputs["failed"], job.outputs["score"]) == ("false", "")


def test_paths_are_given_one_a_line_and_without_one_the_working_directory_is_checked(job: Job) -> None:
    spaced = job.checkout / "my docs"
    spaced.mkdir()
    (spaced / "a b.md").write_text(BOATS)
    job.inputs = {"paths": "my docs\r\n\ndocs/boats.md\n"}
    assert job.run().code == 1
    assert job.outputs["failed-pages"] == "2"
    job.inputs = {"paths": "", "working-directory": "my docs"}
    assert job.run().code == 1
    report = json.loads(Path(job.outputs["report"]).read_text())
    assert [page["source"] for page in report["pages"]] == ["a b.md"]


def test_findings_are_uploaded_only_on_request_and_not_from_forks(job: Job) -> None:
    job.inputs = {"fail-on-findings": "false"}
    uploads = "github/codeql-action/upload-sarif@"
    assert not [use for use in job.run().used if use["uses"].startswith(uploads)]
    job.inputs["upload-sarif"] = "true"
    (upload,) = [use for use in job.run().used if use["uses"].startswith(uploads)]
    assert upload["sarif_file"] == job.outputs["sarif"]
    job.used.clear()
    job.is_fork = True
    assert not [use for use in job.run().used if use["uses"].startswith(uploads)]


def test_a_second_run_uses_the_cache(job: Job) -> None:
    job.run()
    (cache,) = [use for use in job.used if use["uses"].startswith("actions/cache@")]
    folder = Path(cache["path"])
    entries = sorted(path for path in folder.rglob("*") if path.is_file())
    assert entries
    written = {path: path.stat().st_ino for path in entries}
    job.run()
    assert {path: path.stat().st_ino for path in folder.rglob("*") if path.is_file()} == written
