"""CONTRIBUTING.md tells where things are: every place that it names is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import steelyard

PACKAGE = Path(steelyard.__file__).parent
ROOT = PACKAGE.parent
DOCUMENT = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
EXAMPLES = {"xx": "en", "EDITION": "2026", "NAME": "2026"}  # what stands for one of several


def read_rows(heading: str) -> list[list[str]]:
    """Return the cells of the table below a heading."""
    lines = DOCUMENT.partition(f"## {heading}\n")[2].partition("\n## ")[0].splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines if line.startswith("|")]
    return rows[2:]


def find_paths(cell: str) -> list[Path]:
    """Return the files and folders that a cell names."""
    names = [n for n in re.findall(r"`([^` *]+)`", cell) if n.endswith("/") or re.search(r"\.(py|toml|md|rs|html)$", n)]
    return [find_path(name) for name in names]


def find_path(name: str) -> Path:
    """Return the file or folder of a name, in the package or beside it."""
    example = re.sub("xx(?=/)|EDITION|NAME", lambda m: EXAMPLES[m[0]], name)
    return next((p for p in (PACKAGE / example, ROOT / example) if p.exists()), PACKAGE / example)


@pytest.mark.parametrize(("heading", "cells"), [("Where things are", 1), ("To add something", 2)])
def test_every_place_that_is_named_exists(heading: str, cells: int) -> None:
    rows = read_rows(heading)
    named = [path for row in rows for path in find_paths(" ".join(row[:cells]))]
    assert len(named) > len(rows) > 10
    assert not [path for path in named if not path.exists()]


def test_every_package_is_described() -> None:
    described = {path for row in read_rows("Where things are") for path in find_paths(row[0])}
    packages = {p for p in PACKAGE.iterdir() if p.suffix == ".py" or (p / "__init__.py").is_file()}
    assert packages - described - {PACKAGE / "__main__.py"} == set()


def test_every_table_and_constant_is_in_the_file_named_after_it() -> None:
    for what, where, _ in read_rows("To add something"):
        for names, path in re.findall(r"((?:`[A-Z_]{4,}`(?:, | or | and )?)+) in `([^`]+)`", where):
            source = find_path(path).read_text("utf-8")
            for name in re.findall(r"`(\w+)`", names):
                assert re.search(rf"(?m)^(?:(?:pub )?const )?{name}\b", source), f"{what}: no {name} in {path}"


def test_every_folder_of_tests_exists() -> None:
    for what, _, folders in read_rows("To add something"):
        for folder in folders.strip("`").split():
            assert (ROOT / "tests" / folder).is_dir(), f"{what}: no tests/{folder}"
