"""The audit of dependencies, with a database of our own: it needs no network."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from steelyard.errors import SteelyardError
from tests.conftest import ROOT
from tools.vulnerabilities import LOCKS, answer, read_database


def make_advisory(package: str, version: str) -> dict[str, object]:
    ranges = [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "99"}]}]
    affected = {"package": {"name": package, "ecosystem": "PyPI"}, "versions": [version], "ranges": ranges}
    return {"id": "MADE-UP-1", "schema_version": "1.4.0", "summary": "made up", "affected": [affected]}


def test_an_advisory_is_found_by_package_and_version(tmp_path: Path) -> None:
    (tmp_path / "1.json").write_text(json.dumps(make_advisory("Some_Package", "1.2")))
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.writestr("2.json", json.dumps(make_advisory("other", "3")))
    advisories = read_database(tmp_path)
    ask = lambda name, version: answer(advisories, {"package": {"name": name}, "version": version})  # noqa: E731
    assert ask("some-package", "1.2")["vulns"][0]["id"] == "MADE-UP-1"
    assert ask("some-package", "1.3") == ask("another", "1.2") == {}
    assert ask("other", "3")


def test_an_empty_database_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SteelyardError, match="holds no advisories"):
        read_database(tmp_path)


def test_every_locked_package_of_users_is_in_the_audited_locks() -> None:
    def names(lock: str) -> set[str]:
        return set(re.findall(r"^([a-z0-9-]+)==", (ROOT / "requirements" / lock).read_text("utf-8"), re.MULTILINE))

    audited = set().union(*map(names, LOCKS))
    for lock in (ROOT / "requirements").glob("*.txt"):
        assert names(lock.name) <= audited, lock


@pytest.mark.full
@pytest.mark.parametrize(("version", "code"), [("", 1), ("0.0.1", 0)])
def test_the_audit_without_a_network(tmp_path: Path, version: str, code: int) -> None:
    locked = re.search(r"^click==(\S+)", (ROOT / "requirements" / "dev.txt").read_text("utf-8"), re.MULTILINE)
    assert locked
    (tmp_path / "1.json").write_text(json.dumps(make_advisory("click", version or locked[1])))
    command = [sys.executable, "-m", "tools.vulnerabilities", "--database", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == code, done.stderr
    assert ("MADE-UP-1" in done.stdout) == bool(code)


@pytest.mark.full
def test_the_list_of_dependencies_is_the_same_each_time(tmp_path: Path) -> None:
    for name in ("a.json", "b.json"):
        command = [sys.executable, "-m", "tools.vulnerabilities", "--sbom", str(tmp_path / name)]
        subprocess.run(command, cwd=ROOT, capture_output=True, check=True, timeout=600)
    first, second = ((tmp_path / name).read_bytes() for name in ("a.json", "b.json"))
    assert first == second
    assert {c["name"] for c in json.loads(first)["components"]} >= {"click", "google-re2", "pathspec"}
