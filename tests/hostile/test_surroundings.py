"""What lies around the pages is not ours: modules, programs and configurations there are never run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from steelyard.support.children import Child, isolated_python, list_module_paths
from tests.conftest import ROOT, SENTENCE
from tests.web.running import start_server
from tests.web.test_serve import ask

# As the installed command starts: Python does not look into the working directory by itself.
COMMAND = [sys.executable, "-P", "-c", "from steelyard.cli.main import main; main()"]
# What our own processes import first, then everything that the standard library has, and what is ours.
SHADOWS = ("steelyard", "multiprocessing", "sitecustomize", "usercustomize", "click", "re2", "trafilatura", "pyarrow")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A repository whose author hopes that somebody imports a module there."""
    code = f"open({str(tmp_path / 'PWNED')!r}, 'a').write(__name__)\n"
    for name in {*SHADOWS, *sys.stdlib_module_names}:
        (tmp_path / f"{name}.py").write_text(code)
    (tmp_path / "docs").mkdir()
    return tmp_path


def write_pages(tree: Path, number: int) -> None:
    for at in range(number):
        (tree / "docs" / f"{at}.md").write_text(f"# Page {at}\n\n{SENTENCE * 2}\n")
    (tree / "docs" / "page.html").write_text(f"<h1>Tides</h1><p>{SENTENCE * 9}</p>")


def run_in(tree: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "STEELYARD_STORE": str(tree / "store.sqlite")}
    return subprocess.run(
        [*COMMAND, *arguments], cwd=tree, capture_output=True, text=True, timeout=300, check=False, env=environment
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "docs", "--no-cache", "--jobs", "2"),
        ("score", "docs", "--jobs", "2", "--format", "json"),
        ("audit", "--from-dir", "docs", "--jobs", "2", "--format", "json"),
        ("filter", "rows.jsonl", "-o", "kept.jsonl", "--jobs", "2", "--batch-size", "1"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_a_module_beside_the_pages_is_not_imported(tree: Path, arguments: Sequence[str]) -> None:
    write_pages(tree, 3)
    (tree / "rows.jsonl").write_text(f"{json.dumps({'text': SENTENCE * 30})}\n" * 3)
    done = run_in(tree, *arguments)
    assert done.returncode in (0, 1), done.stderr
    assert "died" not in done.stdout + done.stderr
    assert not (tree / "PWNED").exists()


def test_the_app_and_its_audits_import_nothing_from_the_folder_they_are_started_in(tree: Path) -> None:
    write_pages(tree, 3)
    store = {"STEELYARD_STORE": str(tree / "store.sqlite")}
    with start_server("--allow-private", cwd=tree, command=COMMAND, **store) as (_, url):
        assert ask(url + "/api/score", {"text": SENTENCE * 20})[0] == 200
        number = json.loads(ask(url + "/api/audits", {"url": url + "/"})[1])["number"]
        deadline = time.monotonic() + 120
        while json.loads(ask(f"{url}/api/audits/{number}")[1])["state"] in ("waiting", "running"):
            assert time.monotonic() < deadline
            time.sleep(0.2)
    assert not (tree / "PWNED").exists()


def test_python_dash_m_forgets_the_working_directory_once_it_runs(tmp_path: Path) -> None:
    (tmp_path / "click.py").write_text("open('PWNED', 'w')")
    subprocess.run(
        [sys.executable, "-m", "steelyard", "--version"], cwd=tmp_path, capture_output=True, check=True, timeout=600,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert not (tmp_path / "PWNED").exists()


def test_a_process_of_ours_has_the_paths_of_this_one_without_those_that_depend_on_the_directory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", ".", "folder", *sys.path])
    child = Child()
    try:
        paths = child.ask(_list_paths)
    finally:
        child.stop()
    assert paths == list_module_paths()
    assert not {"", ".", "folder", str(tmp_path)} & set(paths)


def _list_paths() -> list[str]:
    return sys.path


def test_every_python_that_is_started_is_isolated() -> None:
    """Two programs are not ours and have their own rules: a scorer that somebody names, and git."""
    allowed = {"support/children.py", "lab/scorers/process.py", "support/git_folder.py"}
    starts = (
        "subprocess.Popen(",
        "subprocess.run(",
        "create_subprocess_exec(",
        "multiprocessing",
        "os.spawn",
        "os.exec",
    )
    for path in sorted((ROOT / "steelyard").rglob("*.py")):
        text = path.read_text("utf-8")
        if any(start in text for start in starts) and path.relative_to(ROOT / "steelyard").as_posix() not in allowed:
            assert "multiprocessing" not in text, path
            assert "isolated_python(" in text or '"-I"' in text, path


def test_an_isolated_python_ignores_variables_that_name_code(tmp_path: Path) -> None:
    mark = tmp_path / "PWNED"
    (tmp_path / "sitecustomize.py").write_text(f"open({str(mark)!r}, 'w')")
    subprocess.run(
        isolated_python("import steelyard"), cwd=tmp_path, check=True, timeout=600,
        env={**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONSTARTUP": str(tmp_path / "sitecustomize.py")},
    )  # fmt: skip
    assert not mark.exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_plots_open_no_settings_of_the_working_directory_and_run_no_program_for_fonts(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "matplotlibrc")
    (tmp_path / "fc-list").write_text(f"#!/bin/sh\necho >{tmp_path}/PWNED\n")
    (tmp_path / "fc-list").chmod(0o755)
    code = (
        "from steelyard.support.plots.plot import Panel, Plot, Series\n"
        "print(len(Plot('x', [Panel('x', [Series('a', (1, 2), [1, 2])], 'x', 'y')]).render()))"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
        env={"PATH": f"{tmp_path}:{os.defpath}", "PYTHONPATH": str(ROOT), "HOME": str(tmp_path)},
    )  # fmt: skip
    assert done.stdout == "2\n", done.stderr
    assert not (tmp_path / "PWNED").exists()
