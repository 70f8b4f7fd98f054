"""The GitHub Action: its scripts run as GitHub runs them, on honest and on hostile repositories."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest

from tests.integrations.action_runner import ACTION, ROOT, STEPS, Job
from tests.workflow.repositories import commit_all, make_repository

BOATS = """# Boats

The lamps are lit in the evening. The old harbour is made up of many different quays, and all of these quays need to
work together. The water is calm.

They are moored along the quay on every day of the week, and the crews walk to the market behind the old wall.
"""
INJECTION = '$(touch pwned)`touch pwned`"; touch pwned; \'"${IFS}'


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """What the install step makes, without installing anything: this checkout's command, and this interpreter."""
    folder = tmp_path / "programs"
    folder.mkdir()
    for name, command in {"python": "", "steelyard": "-m steelyard"}.items():
        (folder / name).write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" {command} "$@"\n')
        (folder / name).chmod(0o755)
    return folder


@pytest.fixture
def job(tmp_path: Path, programs: Path) -> Job:
    """The action in a checkout with one weak page, whose steps up to the installation are given."""
    checkout = tmp_path / "checkout"
    (checkout / "docs").mkdir(parents=True)
    (checkout / "docs" / "boats.md").write_text(BOATS)
    (checkout / "steelyard.toml").write_text('min_score = 60\nas_of = "2026-07-01"\n')
    make_repository(checkout)
    commit_all(checkout)
    given = {
        "python": {"python-path": sys.executable},
        "install": {"programs": str(programs), "version": "0.1.0"},
    }
    return Job(checkout, tmp_path / "runner temp", {}, given)


def test_no_input_is_written_into_a_script() -> None:
    scripts = [step for step in STEPS if "run" in step]
    assert len(scripts) >= 3
    for step in scripts:
        assert "${{" not in step["run"]
        assert step["run"].startswith("set -euo pipefail\n")
        assert step["shell"] == "bash"


def test_every_action_of_others_has_a_pinned_version() -> None:
    used = [step["uses"] for step in STEPS if "uses" in step]
    assert len(used) == 3
    for name in used:
        assert re.fullmatch(r"[\w./-]+@(v[0-9]+|[0-9a-f]{40})", name), name


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


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((name, INJECTION) for name in ("paths", "since", "min-score", "config")),
        ("paths", "--exit-zero\n--output=pwned"),
        ("paths", "docs --exit-zero"),
        ("since", "main --exit-zero"),
        ("min-score", "90 --exit-zero"),
        ("config", "steelyard.toml --exit-zero"),
    ],
)
def test_an_input_is_never_run_and_never_an_option(job: Job, name: str, value: str) -> None:
    job.inputs = {name: value}
    before = sorted(job.checkout.rglob("*"))
    job.run()
    assert job.code == 2  # no such path, revision, number or file
    assert sorted(job.checkout.rglob("*")) == before


@pytest.mark.parametrize(("name", "value"), [("version", INJECTION), ("extras", INJECTION), ("version", "1 @ x")])
def test_a_version_is_checked_before_anything_is_installed(job: Job, name: str, value: str) -> None:
    del job.given["install"]
    job.inputs = {name: value}
    assert job.run().code == 2
    assert f"::error title=steelyard::{name}: write" in job.log
    assert not (job.checkout / "pwned").exists()


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


def test_only_pages_that_changed_since_a_revision_are_checked(job: Job) -> None:
    (job.checkout / "docs" / "new.md").write_text(BOATS)
    job.inputs = {"since": "main"}
    assert job.run().code == 1
    report = json.loads(Path(job.outputs["report"]).read_text())
    assert [page["source"] for page in report["pages"]] == ["docs/new.md"]
    commit_all(job.checkout)
    assert job.run().code == 0
    assert (job.outputs["failed"], job.outputs["score"]) == ("false", "")


def test_paths_are_given_one_a_line(job: Job) -> None:
    spaced = job.checkout / "my docs"
    spaced.mkdir()
    (spaced / "a b.md").write_text(BOATS)
    job.inputs = {"paths": "my docs\r\n\ndocs/boats.md\n"}
    assert job.run().code == 1
    assert job.outputs["failed-pages"] == "2"


def test_without_a_path_the_working_directory_is_checked(job: Job) -> None:
    inner = job.checkout / "a site"
    inner.mkdir()
    (inner / "page.md").write_text(BOATS)
    job.inputs = {"paths": "", "working-directory": "a site"}
    assert job.run().code == 1
    report = json.loads(Path(job.outputs["report"]).read_text())
    assert [page["source"] for page in report["pages"]] == ["page.md"]


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


@pytest.mark.full
def test_the_action_installs_itself(job: Job) -> None:
    del job.given["install"]
    job.environment = {"PYTHONPATH": "", "PIP_REQUIRE_VIRTUALENV": "0"}
    job.run()
    if re.search(r"connection broken|timed out|Max retries|Temporary failure|ProxyError", job.log):
        pytest.skip("the package index cannot be reached")
    assert job.code == 1, job.log
    assert job.steps["install"]["programs"].startswith(str(job.temporary))
    assert os.path.isfile(os.path.join(job.steps["install"]["programs"], "steelyard"))
    assert job.outputs["failed-pages"] == "1"
