"""The extension for VS Code: its manifest; in the slow tests its modules with the real server, and its package."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from steelyard import __version__
from steelyard.advice.kinds import KINDS
from steelyard.check.lsp.checks import LANGUAGES
from steelyard.check.lsp_command import command
from steelyard.check.use import NO_EVIDENCE
from steelyard.languages import CODES
from steelyard.scoring.editions import NAMES as EDITIONS
from tests.conftest import ROOT

FOLDER = ROOT / "integrations" / "vscode"
MANIFEST: dict[str, Any] = json.loads((FOLDER / "package.json").read_text("utf-8"))
SETTINGS: dict[str, dict[str, Any]] = MANIFEST["contributes"]["configuration"]["properties"]
LOCK: dict[str, Any] = json.loads((FOLDER / "package-lock.json").read_text("utf-8"))
MADE = ("node_modules", "dist", "*.vsix")
UNREACHABLE = re.compile(r"ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|network")
Npm = Callable[..., str]


def test_the_settings_offer_what_the_server_knows() -> None:
    assert SETTINGS["steelyard.edition"]["enum"] == ["", *EDITIONS]
    assert SETTINGS["steelyard.language"]["enum"] == ["", "auto", *CODES]
    assert SETTINGS["steelyard.kind"]["enum"] == ["", "auto", *KINDS]
    options = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
    source = (FOLDER / "src" / "settings.ts").read_text("utf-8")
    assert {*re.findall(r'"(--[a-z-]+)"', source)} <= options
    (listed,) = re.findall(r"LANGUAGES = \[(.*?)\]", source)
    assert set(json.loads(f"[{listed}]")) <= set(LANGUAGES)


def test_a_folder_chooses_no_program() -> None:
    assert SETTINGS["steelyard.path"]["scope"] == "machine"
    trust = MANIFEST["capabilities"]["untrustedWorkspaces"]
    assert trust["supported"] == "limited"
    assert trust["restrictedConfigurations"] == ["steelyard.path"]
    assert "shell: false" in (FOLDER / "src" / "extension.ts").read_text("utf-8")


def test_the_extension_has_the_version_of_the_package_and_locks_all_it_uses() -> None:
    assert MANIFEST["version"] == LOCK["version"] == __version__
    assert NO_EVIDENCE in " ".join((FOLDER / "README.md").read_text("utf-8").split())
    for name, package in LOCK["packages"].items():
        assert not name or package["integrity"].startswith("sha512-"), name
        assert "resolved" not in package, "the lock names a registry"
    used = {**MANIFEST["dependencies"], **MANIFEST["devDependencies"]}
    assert all(re.fullmatch(r"[\d.]+", version) for version in used.values())


@pytest.fixture(scope="module")
def npm(tmp_path_factory: pytest.TempPathFactory) -> Npm:
    """`npm("run", "package")` in a copy of the extension with its locked packages, of which no script has run."""
    program = shutil.which("npm")
    if program is None:
        pytest.skip("npm is not installed (Debian: apt-get install npm)")
    folder = tmp_path_factory.mktemp("extension") / "vscode"
    shutil.copytree(FOLDER, folder, ignore=shutil.ignore_patterns(*MADE))
    steelyard = Path(sys.executable).with_name("steelyard")

    def run(*arguments: str) -> str:
        done = subprocess.run(
            [program, *arguments],
            cwd=folder,
            env={**os.environ, "STEELYARD_COMMAND": str(steelyard), "STEELYARD_AS_OF": "2026-07-01"},
            capture_output=True,
            text=True,
            check=False,
            timeout=900,
        )
        if done.returncode and arguments[0] == "ci" and UNREACHABLE.search(done.stderr):
            pytest.skip("the registry of npm cannot be reached")
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + str(folder)

    run("ci", "--ignore-scripts", "--no-audit", "--no-fund")
    return run


@pytest.mark.full
def test_the_extension_works_with_the_real_server(npm: Npm) -> None:
    told = npm("test")
    assert re.search(r"pass (\d+)", told)
    assert re.search(r"fail 0\b", told)
    assert re.search(r"skipped 0\b", told)


@pytest.mark.full
def test_the_package_holds_the_extension_and_nothing_else(npm: Npm) -> None:
    folder = Path(npm("run", "package").splitlines()[-1])
    with zipfile.ZipFile(folder / "steelyard.vsix") as package:
        names = set(package.namelist())
        assert b"restrictedConfigurations" in package.read("extension/package.json")
    files = {name for name in names if name.startswith("extension/")}
    assert files == {"extension/package.json", "extension/readme.md", "extension/dist/extension.js"}
