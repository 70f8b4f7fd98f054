"""./run from a directory that others filled: nothing in it is imported, and nothing in it configures a tool."""

import shlex
import sys
from pathlib import Path

import pytest

from tests.packaging.checkout import NO_CARGO, Checkout
from tests.packaging.hostile import list_imported, plant_modules

PAGE = "# Tides\n\nThe sea rises twice a day, and the harbour empties between.\n"


@pytest.fixture(params=[pytest.param("by directory", marks=pytest.mark.full), "by environment"])
def hostile(request: pytest.FixtureRequest, checkout: Checkout, tmp_path: Path) -> Path:
    """A directory full of modules, which the environment may name as well."""
    folder = tmp_path / "hostile"
    folder.mkdir()
    environment = plant_modules(folder)
    if request.param == "by environment":
        checkout.environment |= environment
    return folder


def real_program(checkout: Checkout, name: str, target: Path) -> None:
    checkout.program(name, f'#!/bin/sh\nexec {shlex.quote(str(target))} "$@"\n')


def test_no_module_of_the_callers_directory_runs_during_set_up(checkout: Checkout, hostile: Path):
    """The real Python and pip, without an index: the set-up ends at the first package."""
    real_program(checkout, "python3", Path(sys.executable))
    checkout.environment |= {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": ""}
    code, _, err = checkout.run("score", "-", cwd=hostile, stdin=PAGE)
    assert list_imported(hostile) == []
    assert code == 2
    assert "No matching distribution found" in err


def test_no_module_of_the_callers_directory_runs_after_set_up(checkout: Checkout, hostile: Path):
    assert checkout.run("score", "-", cwd=hostile, stdin=PAGE)[0] == 0
    console_script = Path(sys.executable).with_name("steelyard")
    real_program(checkout, "steelyard", console_script)
    (checkout.root / ".venv" / "bin" / "steelyard").write_bytes((checkout.bin / "steelyard").read_bytes())
    code, out, err = checkout.run("score", "-", "--format", "csv", cwd=hostile, stdin=PAGE)
    assert code == 0, err
    assert out
    assert list_imported(hostile) == []


@pytest.mark.parametrize("command", ["demo", "bench", "docs", "falsify", "filter", "score", "test", "vulnerabilities"])
def test_outside_the_checkout_every_python_is_isolated(checkout: Checkout, tmp_path: Path, command: str):
    stand_in = checkout.bin / "python3"
    stand_in.write_text(stand_in.read_text().replace('echo "$*"', 'echo "$PWD|$PYTHONPATH|$*"', 1))
    checkout.environment["PYTHONPATH"] = str(tmp_path)
    checkout.run(command, cwd=tmp_path)
    calls = [line.split("|", 2) for line in (checkout.bin / "calls").read_text().splitlines()]
    assert len(calls) > 5
    for folder, path, call in calls:
        assert path == ""
        assert call == "-V" or call.startswith("-I ") or Path(folder) == checkout.root, call


def test_cargo_starts_in_the_core_whatever_the_callers_directory_configures(checkout: Checkout, tmp_path: Path):
    """cargo and rustup read .cargo/config.toml and rust-toolchain.toml where they start, and run what these name."""
    (checkout.root / "core").mkdir()
    seen = checkout.bin / "cargo-folder"
    checkout.program("cargo", f'#!/bin/sh\nprintf %s "$PWD" >{shlex.quote(str(seen))}\n')
    assert checkout.run("core", cwd=tmp_path)[0] == 0
    assert seen.read_text() == str(checkout.root / "core")


def test_a_search_path_for_directories_does_not_lead_elsewhere(checkout: Checkout, tmp_path: Path):
    """`cd NAME` prefers a NAME below CDPATH, and prints where it went."""
    other = tmp_path / "other" / checkout.root.name
    other.mkdir(parents=True)
    checkout.environment["CDPATH"] = str(other.parent)
    process = checkout.start("score", "x.md", cwd=checkout.root.parent, program=f"{checkout.root.name}/run")
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    assert out.split()[-2:] == ["score", "x.md"]
    assert not (other / ".cache").exists()


def test_wheels_alone_are_installed_unless_the_user_says_otherwise(checkout: Checkout):
    """pip would fetch the build back end of another package from the index, and no lock holds that."""
    stand_in = checkout.bin / "python3"
    stand_in.write_text(stand_in.read_text().replace('echo "$*"', 'echo "${PIP_ONLY_BINARY-unset}|$*"', 1))
    checkout.run("score")
    checkout.environment["PIP_ONLY_BINARY"] = ""
    checkout.run("bench")
    installs = [line for line in (checkout.bin / "calls").read_text().splitlines() if "pip install" in line]
    assert [line.split("|")[0] for line in installs] == [":all:"] * 3 + [""]


def test_the_help_is_that_of_the_script(checkout: Checkout, tmp_path: Path):
    code, out, err = checkout.run("help", cwd=tmp_path)
    assert code == 0, err
    assert out.startswith("The only set-up:")
    assert NO_CARGO not in out
