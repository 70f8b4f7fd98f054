"""Which core is used, and what happens when the native one is missing or does not fit."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
import tomllib
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import steelyard
from steelyard.errors import CoreUnavailable, UnknownName
from steelyard.native import core
from steelyard.scoring import editions
from steelyard.scoring.page import FORMULAS
from steelyard.text import characters

ROOT = Path(__file__).parents[2]
PAGE = "# Tides\n\nHigh water comes twice a day, said Anna Weir in 2024."


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """What was found in one test must not answer in the next."""
    core.load_module.cache_clear()
    core._open.cache_clear()
    yield
    core.load_module.cache_clear()
    core._open.cache_clear()


def fake(monkeypatch: pytest.MonkeyPatch, **changes: Any) -> types.ModuleType:
    """Install a module that fits, apart from the changes."""
    module = types.ModuleType("steelyard_core")
    own = {
        "VERSION": steelyard.__version__, "FORMULAS": FORMULAS, "CHARACTERS": characters.read_table(),
        "INTERFACE": core.INTERFACE,
    }  # fmt: skip
    for name, value in {**own, "probe": lambda texts, numbers: ([], []), **changes}.items():
        setattr(module, name, value)
    monkeypatch.setitem(sys.modules, "steelyard_core", module)
    return module


def test_without_the_core_the_python_code_is_used_silently(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STEELYARD_CORE", raising=False)
    monkeypatch.setitem(sys.modules, "steelyard_core", None)  # as if it were not installed
    assert core.choose_core() == "python"
    assert steelyard.score(PAGE, as_of="2026-07-01").words == 12


def test_requiring_the_core_without_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEELYARD_CORE", "native")
    monkeypatch.setitem(sys.modules, "steelyard_core", None)
    with pytest.raises(CoreUnavailable, match=r"cannot be imported.*pip install 'steelyard\[native\]'"):
        steelyard.score(PAGE)
    monkeypatch.setenv("STEELYARD_CORE", "rust")
    with pytest.raises(UnknownName, match="python"):
        core.choose_core()


def test_a_core_that_does_not_fit_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    misfits: list[tuple[dict[str, Any], str]] = [
        ({"VERSION": "9.9.9"}, "it is version 9.9.9, and this package is"),
        ({"INTERFACE": 1}, "it was built from other sources"),
        ({"CHARACTERS": "alpha: 41"}, "it was built with other data"),
        ({"FORMULAS": FORMULAS + 1}, "it was built with other data"),
        ({}, "its zlib compresses differently"),
    ]
    for changes, reason in misfits:
        core.load_module.cache_clear()
        fake(monkeypatch, **changes)
        monkeypatch.setenv("STEELYARD_CORE", "native")
        with pytest.raises(CoreUnavailable, match=reason):
            core.choose_core()
        monkeypatch.delenv("STEELYARD_CORE")
        with pytest.warns(UserWarning, match=f"the native core is not used: {reason}"):
            assert core.choose_core() == "python"


def run_command(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "steelyard", *arguments]
    return subprocess.run(
        command, env={**os.environ, **variables}, capture_output=True, text=True, check=False, timeout=120, cwd=ROOT
    )


def test_the_command_exits_2_when_the_required_core_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "steelyard_core.py").write_text("raise ImportError('no such library')\n", "utf-8")
    page = ROOT / "examples" / "site" / "index.md"
    path = f"{tmp_path}{os.pathsep}{ROOT}"
    refused = run_command("score", str(page), STEELYARD_CORE="native", PYTHONPATH=path)
    assert refused.returncode == 2
    assert "requires the native core, but it cannot be imported (no such library)" in refused.stderr
    assert "bug" not in refused.stderr
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"text": "High water comes twice a day."}\n', "utf-8")
    out = tmp_path / "out.jsonl"
    filtered = run_command("filter", str(rows), "-o", str(out), STEELYARD_CORE="native", PYTHONPATH=path)
    assert (filtered.returncode, out.exists()) == (2, False)
    unknown = run_command("score", str(page), STEELYARD_CORE="rust")
    assert unknown.returncode == 2
    assert "unknown STEELYARD_CORE 'rust' (known: python, native)" in unknown.stderr
    assert "bug" not in unknown.stderr
    assert "Traceback" not in refused.stderr
    assert run_command("score", str(page), STEELYARD_CORE="", PYTHONPATH=path).returncode == 0


def test_any_number_of_threads_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("steelyard_core")
    monkeypatch.setenv("STEELYARD_CORE", "native")
    pages = [PAGE, "", "Too short."] * 5
    for edition in editions.NAMES:
        expected = steelyard.score_many(pages, as_of="2026-07-01", edition=edition)
        for threads in (-1, 0, 3, 10**9):
            found = steelyard.score_many(pages, as_of="2026-07-01", edition=edition, threads=threads)
            assert repr(found) == repr(expected), (edition, threads)


def test_the_version_names_the_core_in_use() -> None:
    assert "core: python" in run_command("--version", STEELYARD_CORE="python").stdout
    pytest.importorskip("steelyard_core")
    assert "core: native " in run_command("--version", STEELYARD_CORE="native").stdout


def test_the_core_is_built_where_cargo_is() -> None:
    """Otherwise a build that fails would leave its tests out, and the run green."""
    if shutil.which("cargo") is None:
        pytest.skip("no cargo here")
    assert core.find_misfit(importlib.import_module("steelyard_core")) == ""


def test_the_two_distributions_have_one_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    crate = tomllib.loads((ROOT / "core" / "Cargo.toml").read_text("utf-8"))["package"]
    assert crate["version"] == steelyard.__version__
    assert project["optional-dependencies"]["native"] == [f"steelyard-core=={steelyard.__version__}"]
