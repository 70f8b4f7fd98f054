"""Count what a run does: cases by kind, refusals by reason, faults; add up processes; write the counts as JSON."""

from __future__ import annotations

import hashlib
import platform
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

from fuzz.kinds import KINDS
from fuzz.seeds import ROOT
from steelyard import __version__
from steelyard.native.core import describe_core
from steelyard.support.artifacts import write_artifact

SCHEMA = "steelyard.fuzz/1"
SOURCES = ("steelyard", "core/src", "fuzz")
# What only the kind `repository` runs.
NOT_RUN = ("steelyard/corpora", "steelyard/cli", "steelyard/site", "steelyard/web")
PACKAGES = ("google-re2", "lxml", "trafilatura", "lightgbm", "pathspec")


@dataclass
class Tally:
    """Counts of one process, or of several added up."""

    cases: Counter[str] = field(default_factory=Counter)
    bytes_of_pages: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    sampled: Counter[str] = field(default_factory=Counter)
    repeated: int = 0  # cases made again and left out
    seconds: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))  # of the processor, by kind
    traits: int = 0
    highest_ratio: float = 0.0
    faults: list[dict[str, Any]] = field(default_factory=list)

    @property
    def pages(self) -> int:
        """The number of distinct pages."""
        return sum(count for kind, count in self.cases.items() if KINDS[kind].is_page)

    def add(self, other: Tally) -> None:
        """Add the counts of another process."""
        self.cases += other.cases
        self.refused += other.refused
        self.sampled += other.sampled
        for kind, seconds in other.seconds.items():
            self.seconds[kind] += seconds
        self.bytes_of_pages += other.bytes_of_pages
        self.repeated += other.repeated
        self.traits = max(self.traits, other.traits)
        self.highest_ratio = max(self.highest_ratio, other.highest_ratio)
        known = {fault["name"]: fault for fault in self.faults}
        for fault in other.faults:
            if fault["name"] in known:
                known[fault["name"]]["times"] += fault["times"]
            else:
                self.faults.append(fault)

    def to_dict(self) -> dict[str, Any]:
        """Return the counts for the artifact."""
        others = {kind: n for kind, n in sorted(self.cases.items()) if not KINDS[kind].is_page}
        return {
            "pages": self.pages,
            "pages_by_kind": {kind: n for kind, n in sorted(self.cases.items()) if KINDS[kind].is_page},
            "mean_bytes_per_page": round(self.bytes_of_pages / self.pages, 1) if self.pages else None,
            "other_inputs": sum(others.values()),
            "other_inputs_by_kind": others,
            "refused": dict(sorted(self.refused.items())),
            "sampled": dict(sorted(self.sampled.items())),
            "processor_seconds_by_kind": {kind: round(seconds, 1) for kind, seconds in sorted(self.seconds.items())},
            "distinct_traits": self.traits,
            "highest_time_ratio": round(self.highest_ratio, 1),
            "faults": len(self.faults),
            "fault_list": self.faults,
        }


def write_result(path: Path, tally: Tally, run: Mapping[str, Any], seconds: float) -> None:
    """Write what a run did, with everything needed to do it again."""
    result = {
        "schema": SCHEMA,
        "run": dict(run),
        "seconds": round(seconds),
        "versions": {
            "steelyard": __version__,
            "source": _hash_source(() if "repository" in run["kinds"] else NOT_RUN),
            "core": describe_core(),
            "python": platform.python_version(),
            **{name: _find_version(name) for name in PACKAGES},
        },
        **tally.to_dict(),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    write_artifact(path, result)


def _hash_source(left_out: tuple[str, ...]) -> str:
    """Return a hash of the code that was run, so that figures of different code are never added up."""
    found = hashlib.sha256()
    for file in sorted(file for folder in SOURCES for file in (ROOT / folder).rglob("*")):
        name = file.relative_to(ROOT).as_posix()
        if file.is_file() and "__pycache__" not in file.parts and not name.startswith(left_out):
            found.update(f"{name}\0".encode() + hashlib.sha256(file.read_bytes()).digest())
    return found.hexdigest()[:16]


def _find_version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
