"""The environments of engines and rivals: every package pinned by its hashes, and no address of an index."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.conftest import ROOT

LOCKS = sorted(
    [*(ROOT / "tests" / "corpora" / "engines" / "locks").glob("*.txt"), *(ROOT / "benchmarks" / "locks").glob("*.txt")]
)
SOURCE_ONLY = "--no-binary pyspark"  # Spark publishes no wheel


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: f"{path.parent.parent.name}-{path.stem}")
def test_a_lock_pins_every_package(lock: Path):
    text = lock.read_text("utf-8")
    pins = text.removeprefix(f"{SOURCE_ONLY}\n").replace(" \\\n    --hash", " --hash").splitlines()
    assert len(pins) > 5
    assert all(re.fullmatch(r"[a-z0-9-]+==[\w.]+( ; .+?)?( --hash=sha256:[0-9a-f]{64})+", pin) for pin in pins if pin)
    assert "://" not in text


def test_every_engine_and_rival_has_its_lock():
    from benchmarks.rivals import RIVALS
    from steelyard.lab.scorers.peers import ADAPTERS

    assert all(rival.lock.is_file() for rival in RIVALS)
    names = {path.stem for path in LOCKS}
    own = {rival.lock.stem for rival in RIVALS if rival.lock.parent != ADAPTERS}
    assert own | {"ray", "spark", "tables", "datatrove"} == names
    scripts = {path.stem for path in (ROOT / "benchmarks" / "rival_scripts").glob("*.py")}
    assert {rival.script for rival in RIVALS} <= scripts
