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


def test_the_oracle_files_have_sorted_keys_name_no_machine_and_are_of_the_locked_versions():
    lock = (ROOT / "tests" / "oracles" / "requirements.txt").read_text("utf-8")
    assert not re.search(r"://|--(extra-)?index|--find-links|--trusted-host|(^|\s)/\w", lock)
    pinned = dict(re.findall(r"^([a-z0-9-]+)==(\S+)", lock, re.MULTILINE))
    assert len(pinned) > 20
    assert len(FILES) >= 5
    for path in FILES:
        text = path.read_text("utf-8")
        assert text == json.dumps(json.loads(text), indent=1, sort_keys=True, ensure_ascii=False) + "\n", path
        assert not re.search(r"://|NaN|Infinity|\"/", text), path
        libraries = json.loads(text)["libraries"]
        assert libraries, path
        assert libraries.items() <= pinned.items(), path


@pytest.mark.full
def test_the_libraries_still_give_the_committed_values():
    """Makes their environment when it is missing, which takes a few minutes and the package index."""
    command = [sys.executable, str(ROOT / "tools" / "oracles.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", env=dict(os.environ), check=False)
    assert done.returncode == 0, done.stdout + done.stderr
