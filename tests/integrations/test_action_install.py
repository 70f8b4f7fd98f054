"""How the action installs Steelyard: from the locks, and without running anything that is in the checkout."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.integrations.action_runner import Job
from tests.integrations.conftest import INJECTION
from tests.packaging.hostile import list_imported, plant_modules

# Plays `-m venv`, pip and the question for the version; what that says is in the file `version`.
STAND_IN = """#!/usr/bin/env bash
here={here}
printf '%s\\n' "$PWD" >>"$here/folders"
printf '%s\\n' "$*" >>"$here/calls"
case "$*" in
  "-I -m venv "*) mkdir -p "$4/bin" && cp "$0" "$4/bin/python" ;;
  *" pip check") [ ! -e "$here/conflict" ] ;;
  "-I -c "*) cat "$here/version" ;;
esac
"""
UNREACHABLE = re.compile(r"connection broken|timed out|Max retries|Temporary failure|ProxyError")


@pytest.fixture
def installer(tmp_path: Path, job: Job) -> Path:
    """The folder of a stand-in for Python, with which the job's install step runs."""
    folder = tmp_path / "stand-in"
    folder.mkdir()
    (folder / "version").write_text("0.1.0\n")
    python = folder / "python"
    python.write_text(STAND_IN.format(here=shlex.quote(str(folder))))
    python.chmod(0o755)
    del job.given["install"]
    job.given["python"] = {"python-path": str(python)}
    job.given["check"] = {"exit-code": "0"}
    return folder


def list_installs(folder: Path) -> list[list[str]]:
    calls = [shlex.split(call) for call in (folder / "calls").read_text().splitlines()]
    return [call[call.index("install") + 1 :] for call in calls if "install" in call]


def list_locks(folder: Path) -> list[str]:
    return [Path(call[-1]).stem for call in list_installs(folder) if "-r" in call]


def test_a_version_and_extras_are_checked_before_anything_is_installed(job: Job, installer: Path) -> None:
    without_lock = ("postgresql", "html,", "html,,lsp", "html;lsp", "HTML", "../html", "html\nlsp")
    for name, value, reason in (
        ("version", INJECTION, ""),
        ("version", "1 @ x", ""),
        ("extras", INJECTION, ""),
        *(("extras", value, "choose from html, lsp, ") for value in without_lock),
    ):
        job.inputs, job.log = {name: value}, ""
        assert job.run().code == 2, value
        assert f"::error title=steelyard::{name}: {reason}" in job.log
        assert not (installer / "calls").exists()
        assert not (job.checkout / "pwned").exists()


def test_every_python_is_isolated_and_starts_outside_the_checkout(job: Job, installer: Path) -> None:
    assert job.run().code == 0, job.log
    assert set((installer / "folders").read_text().splitlines()) == {str(job.temporary)}
    calls = (installer / "calls").read_text().splitlines()
    assert len(calls) >= 5
    assert all(call.startswith("-I ") for call in calls)


def test_dependencies_come_from_the_lock_that_holds_the_extras(job: Job, installer: Path) -> None:
    for extras, lock in (("", "scorer"), ("html", "html"), ("mcp,html", "use"), ("web", "use"), ("lab,html", "use")):
        (installer / "calls").unlink(missing_ok=True)
        job.inputs = {"extras": extras}
        assert job.run().code == 0, job.log
        assert list_locks(installer) == ["setup", lock], extras
        *locked, own = list_installs(installer)
        assert all("--require-hashes" in call and "--only-binary" in call for call in locked)
        assert own[-1] == str(ROOT)
        assert {"--no-deps", "--no-build-isolation"} <= set(own)


def test_every_extra_that_can_be_chosen_is_in_the_lock_that_is_used_for_it(job: Job, installer: Path) -> None:
    job.inputs = {"extras": "all"}
    assert job.run().code == 2
    told = re.search(r"choose from ([a-z, ]+?),? separated", job.log)
    assert told
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    for extra in told[1].split(", "):
        (installer / "calls").unlink(missing_ok=True)
        job.inputs = {"extras": extra}
        assert job.run().code == 0, extra
        lock = (ROOT / "requirements" / f"{list_locks(installer)[-1]}.txt").read_text("utf-8")
        for requirement in declared[extra]:
            package = re.split(r"[^\w.-]", requirement)[0].lower().replace("_", "-")
            assert re.search(rf"^{re.escape(package)}==", lock, re.MULTILINE), (extra, package)


def test_another_version_brings_no_dependency_that_is_not_locked(job: Job, installer: Path) -> None:
    job.inputs = {"version": "0.0.9"}
    (installer / "version").write_text("0.0.9\n")
    assert job.run().code == 0, job.log
    assert list_locks(installer) == ["setup", "html"]
    own = list_installs(installer)[-1]
    assert own[-1] == "steelyard==0.0.9"
    assert {"--no-deps", "--only-binary"} <= set(own)
    (installer / "conflict").touch()
    assert job.run().code == 2
    assert "::error title=steelyard::version 0.0.9 needs other packages" in job.log


def test_only_a_version_is_written_to_the_outputs(job: Job, installer: Path) -> None:
    evil = ("0.1.0\nprograms=/tmp/evil", "0.1.0\r", "", "::warning::x", "0.1.0 ", "${{ x }}", "0.1.0\n\nx<<E\ny\nE")
    for version in evil:
        job.log = ""
        (installer / "version").write_text(version)
        assert job.run().code == 2, version
        assert "::error title=steelyard::" in job.log
        assert job.steps["install"] == {}


@pytest.mark.parametrize("by_environment", [pytest.param(False, marks=pytest.mark.full), True])
def test_nothing_in_the_checkout_runs_while_the_environment_is_made(job: Job, by_environment: bool) -> None:
    """The real Python and pip, without an index: the installation ends at the first package."""
    del job.given["install"]
    environment = plant_modules(job.checkout)
    job.environment = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "", **(environment if by_environment else {})}
    job.run()
    assert list_imported(job.checkout) == []
    assert job.code != 0
    assert "No matching distribution found" in job.log


@pytest.mark.full
def test_the_action_installs_itself_beside_a_hostile_checkout(job: Job) -> None:
    del job.given["install"]
    job.environment = {**plant_modules(job.checkout), "PIP_REQUIRE_VIRTUALENV": "0"}
    job.run()
    if UNREACHABLE.search(job.log):
        pytest.skip("the package index cannot be reached")
    assert list_imported(job.checkout) == []
    assert job.code == 1, job.log
    assert job.steps["install"]["programs"].startswith(str(job.temporary))
    assert (Path(job.steps["install"]["programs"]) / "steelyard").is_file()
    assert job.outputs["failed-pages"] == "1"
