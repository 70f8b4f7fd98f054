"""The hook, run by pre-commit itself in a repository: it installs this package, and checks what is staged."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.check.shared import commit_all, git, make_repository
from tests.conftest import ROOT
from tests.environments import LOCKS, find_python
from tests.integrations.conftest import BOATS

HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
UNREACHABLE = re.compile(
    r"connection broken|timed out|Max retries|Temporary failure|ProxyError|No matching distribution"
)

Hook = Callable[..., subprocess.CompletedProcess[str]]


def test_the_hook_runs_the_check_once_on_the_files_it_is_given() -> None:
    (hook,) = HOOKS
    assert hook["id"] == "steelyard-check"
    assert hook["entry"] == "steelyard check"
    assert hook["language"] == "python"
    assert hook["require_serial"] is True
    assert hook.get("pass_filenames", True) is True


def test_the_extra_that_the_hook_installs_exists() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    (dependency,) = HOOKS[0]["additional_dependencies"]
    assert dependency == ".[html]"
    assert "html" in extras


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """This package as a repository, as it is now, with what its archive needs."""
    folder = make_repository(tmp_path_factory.mktemp("source") / "steelyard")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    included = project["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    for name in (*included, "pyproject.toml", ".pre-commit-hooks.yaml"):
        path = ROOT / name.lstrip("/")
        target = folder / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            shutil.copytree(path, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(path, target)
    commit_all(folder)
    return folder


@pytest.fixture
def hook(tmp_path: Path, source: Path, tmp_path_factory: pytest.TempPathFactory) -> Hook:
    """`hook()`: pre-commit on what is staged in `tmp_path / "site"`. The hook's environment is made once."""
    python = find_python("pre-commit", LOCKS / "pre_commit.txt")
    site = make_repository(tmp_path / "site")
    revision = git(source, "rev-parse", "HEAD").strip()
    config = {"repos": [{"repo": str(source), "rev": revision, "hooks": [{"id": "steelyard-check"}]}]}
    (site / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
    home = tmp_path_factory.getbasetemp() / "pre-commit-home"
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}

    def run() -> subprocess.CompletedProcess[str]:
        git(site, "add", "--all")
        done = subprocess.run(
            [python, "-m", "pre_commit", "run", "--color=never"],
            cwd=site,
            env={**environment, "PRE_COMMIT_HOME": str(home)},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode and UNREACHABLE.search(done.stdout + done.stderr):
            pytest.skip("the package index cannot be reached")
        return done

    return run


@pytest.mark.full
def test_a_weak_page_stops_the_commit_and_its_repair_lets_it_pass(hook: Hook, tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / "docs").mkdir()
    (site / "docs" / "a b$(touch pwned).md").write_text(BOATS)
    (site / "notes.txt").write_text(BOATS)  # no page
    (site / "steelyard.toml").write_text("min_score = 60\n")
    done = hook()
    assert done.returncode == 1, done.stdout + done.stderr
    assert "docs/a b$(touch pwned).md:6:1: warning: self_containment" in done.stdout
    assert "1 page checked, 1 failed" in done.stdout
    assert "notes.txt" not in done.stdout
    assert not list(site.rglob("pwned"))
    (site / "steelyard.toml").write_text("min_score = 10\n")
    assert hook().returncode == 0


@pytest.mark.full
def test_html_pages_are_read_as_well(hook: Hook, tmp_path: Path) -> None:
    site = tmp_path / "site"
    paragraphs = "".join(f"<p>{part}</p>" for part in BOATS.split("\n\n")[1:])
    (site / "page.html").write_text(
        f"<html><head><title>Boats</title></head><body><article>{paragraphs}</article></body></html>"
    )
    (site / "steelyard.toml").write_text("min_score = 60\n")
    done = hook()
    assert done.returncode == 1, done.stdout + done.stderr
    assert "page.html" in done.stdout
    assert "1 page checked, 1 failed" in done.stdout


@pytest.mark.full
def test_a_commit_without_pages_is_not_checked(hook: Hook, tmp_path: Path) -> None:
    (tmp_path / "site" / "program.py").write_text("print()\n")
    done = hook()
    assert done.returncode == 0
    assert "no files to check" in done.stdout
