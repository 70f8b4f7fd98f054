"""`./run test --all` leaves a dated artifact: what was run, how it went, on which code."""

from __future__ import annotations

import hashlib
import os
import platform
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from steelyard.lab.study.reproduce import code_digest
from steelyard.support.artifacts import envelope, write_artifact

ROOT = Path(__file__).resolve().parent.parent
ARTIFACT = ROOT / "docs" / "artifacts" / "all-tests.json"
SCHEMA = "steelyard.all-tests/1"
ALL = "STEELYARD_TEST_ALL"
COUNTED = ("passed", "failed", "error", "skipped", "xfailed")


def wanted(config: Any) -> bool:
    """Whether this is a run of everything, seen from the process that collects the results."""
    narrowed = config.getoption("keyword") or config.args_source.name != "TESTPATHS"
    return bool(os.environ.get(ALL)) and not hasattr(config, "workerinput") and not narrowed


def summary(stats: Mapping[str, Sequence[Any]], today: str, seconds: float) -> dict[str, Any]:
    """Counts of all tests, and the slow ones by file: those are what the everyday run leaves out."""
    slow: dict[str, Counter[str]] = {}
    for outcome in COUNTED:
        for report in stats.get(outcome, ()):
            if "full" in getattr(report, "keywords", {}):
                slow.setdefault(report.nodeid.split("::")[0], Counter())[outcome] += 1
    return {
        "date": today,
        "counts": {outcome: len(stats.get(outcome, ())) for outcome in COUNTED},
        "slow": {name: dict(sorted(slow[name].items())) for name in sorted(slow)},
        "minutes": round(seconds / 60, 1),
        "python": platform.python_version(),
    }


def tests_digest() -> str:
    total = hashlib.sha256()
    for path in sorted((ROOT / "tests").rglob("*.py")):
        total.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return total.hexdigest()


def write(stats: Mapping[str, Sequence[Any]], seconds: float) -> None:
    result = summary(stats, datetime.now(UTC).date().isoformat(), seconds)
    inputs = {"package": code_digest(), "tests": tests_digest()}
    write_artifact(ARTIFACT, envelope(SCHEMA, inputs=inputs, parameters={}, result=result))
