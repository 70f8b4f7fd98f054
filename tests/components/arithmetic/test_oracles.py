"""The oracle files themselves: one form, and made by the pinned libraries."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
FILES = sorted((ROOT / "tests" / "oracles").glob("*.json"))


def test_the_oracle_files_are_found():
    assert len(FILES) >= 5


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_an_oracle_file_is_written_with_sorted_keys_and_names_no_machine(path: Path):
    text = path.read_text("utf-8")
    assert text == json.dumps(json.loads(text), indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    assert not re.search(r"://|NaN|Infinity|\"/", text)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_an_oracle_file_was_made_by_the_locked_versions(path: Path):
    lock = (ROOT / "tests" / "oracles" / "requirements.txt").read_text("utf-8")
    pinned = dict(re.findall(r"^([a-z0-9-]+)==(\S+)", lock, re.MULTILINE))
    libraries = json.loads(path.read_text("utf-8"))["libraries"]
    assert libraries
    assert libraries.items() <= pinned.items()


def test_the_lock_names_no_index_and_no_path_of_a_machine():
    lock = (ROOT / "tests" / "oracles" / "requirements.txt").read_text("utf-8")
    assert not re.search(r"://|--(extra-)?index|--find-links|--trusted-host|(^|\s)/\w", lock)
    assert len(re.findall("==", lock)) > 20


@pytest.mark.full
def test_the_libraries_still_give_the_committed_values():
    """Makes their environment when it is missing, which takes a few minutes and the package index."""
    command = [sys.executable, str(ROOT / "tools" / "oracles.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", env=dict(os.environ), check=False)
    assert done.returncode == 0, done.stdout + done.stderr
