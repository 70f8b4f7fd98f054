"""What others supply is named so that it cannot be replaced: actions by commit, images by digest, packages by hash."""

from __future__ import annotations

import fnmatch
import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from steelyard.cli.main import COMMANDS
from tests.conftest import ROOT, run_here

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
DOCKERFILE = ROOT / "Dockerfile"
SCRIPTS = [ROOT / "action.yml", *WORKFLOWS, DOCKERFILE, ROOT / "run"]
OWN = "OWNER/steelyard"


def read_commands(path: Path) -> list[str]:
    """Return the commands of a file: continued lines are one, and `&&` separates two."""
    text = re.sub(r"\\\n\s*", " ", path.read_text("utf-8"))
    lines = [line.strip() for line in text.splitlines() if not line.lstrip().startswith("#")]
    return [command.strip() for line in lines for command in line.split("&&")]


def find_jobs(path: Path) -> dict[str, Any]:
    jobs: dict[str, Any] = yaml.safe_load(path.read_text("utf-8"))["jobs"]
    return jobs


def test_every_action_is_named_by_a_commit_with_its_version_beside_it() -> None:
    commits: dict[str, set[str]] = {}
    for path in (ROOT / "action.yml", *WORKFLOWS, ROOT / "docs" / "check.md"):
        for used in re.findall(r"^\s*(?:- )?uses: (.*)$", path.read_text("utf-8"), re.MULTILINE):
            if used.startswith(f"{OWN}@"):
                continue
            match = re.fullmatch(r"([\w.-]+/[\w./-]+)@([0-9a-f]{40}) # v\d+\.\d+\.\d+", used)
            assert match, f"{path.name}: {used}"
            commits.setdefault(match[1], set()).add(match[2])
    assert len(commits) >= 8
    assert not {name: found for name, found in commits.items() if len(found) > 1}


def test_every_image_is_named_by_its_digest() -> None:
    named = re.findall(r"^FROM (.*)$", DOCKERFILE.read_text("utf-8"), re.MULTILINE)
    assert len(named) == 2
    for image in named:
        assert re.fullmatch(r"[a-z]+:[\w.-]+@sha256:[0-9a-f]{64}( AS \w+)?", image), image
    for path in WORKFLOWS:
        for job in find_jobs(path).values():
            assert "container" not in job
            assert "services" not in job


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_every_package_is_installed_by_hash_or_brings_nothing_with_it(path: Path) -> None:
    """Without isolation pip fetches no build back end, from wheels alone it needs none."""
    for command in read_commands(path):
        if re.search(r"\bpip(\[@\]\}\")? (install|wheel)\b", command) and '"$@"' not in command:
            locked = {"--require-hashes", "--only-binary"}
            alone = [{"--no-deps", option} for option in ("--no-build-isolation", "--only-binary", "--no-index")]
            assert any(options <= set(command.split()) for options in (locked, *alone)), command
        if re.search(r"\bpip_install (?!\(\))", command):
            assert "--require-hashes" in command or "--no-deps --no-build-isolation" in command, command
        if re.search(r"-m build\b", command):
            assert "--no-isolation" in command, command
        if "npm" in command:  # which checks the hashes of its lock, as tests/integrations/test_vscode.py demands
            assert re.search(r"\bnpm (ci --ignore-scripts|run package)$", command), command
        assert not re.search(r"\b(npx|pipx|uvx|curl|wget)\b|\buv (pip )?install", command), command
        if "cargo install" in command:
            assert re.search(r"--locked .*--version \d+\.\d+\.\d+$", command), command


def test_every_python_is_isolated() -> None:
    for path in SCRIPTS[:-1]:
        for command in read_commands(path):
            for option in re.findall(r"\bpython3?\"?,? \"?(-\w+|\S+\.py)", command, re.IGNORECASE):
                assert option == "-I", (path.name, command)


def test_what_can_write_runs_nothing_of_the_package_and_nothing_of_third_parties() -> None:
    """A job that may write to the repository uses GitHub's own actions alone; the upload to the index may not write."""
    checked = 0
    for path in WORKFLOWS:
        assert yaml.safe_load(path.read_text("utf-8"))["permissions"] == {"contents": "read"}
        for job in find_jobs(path).values():
            if "write" not in job.get("permissions", {}).values():
                continue
            checked += 1
            used = [step["uses"] for step in job["steps"] if "uses" in step]
            assert not [use for use in used if use.startswith("actions/checkout@")]
            if job["permissions"].get("contents") == "write":
                assert all(use.startswith("actions/") for use in used)
    assert checked == 3


def test_the_image_gets_every_file_that_it_copies() -> None:
    """.dockerignore leaves out everything but what it names."""
    lines = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    kept = [line.removeprefix("!/") for line in lines if line.startswith("!")]
    copied = re.findall(r"requirements/\w+\.txt", DOCKERFILE.read_text("utf-8"))
    assert len(copied) == 3
    for name in (*copied, "pyproject.toml", "core/pyproject.toml", "core/Cargo.lock", "steelyard/__init__.py"):
        assert (ROOT / name).is_file()
        assert any(fnmatch.fnmatch(name, pattern) or name.startswith(f"{pattern}/") for pattern in kept), name


def test_the_entry_point_of_the_image_is_the_command_and_it_serves_by_default() -> None:
    lines = dict(re.findall(r"^(ENTRYPOINT|CMD) (.*)$", DOCKERFILE.read_text("utf-8"), re.MULTILINE))
    assert json.loads(lines["ENTRYPOINT"]) == ["steelyard"]
    name, *options = json.loads(lines["CMD"])
    assert name in COMMANDS
    assert run_here(name, *options, "--help").returncode == 0
