"""One process of a run: makes cases, leaves out those it had before, checks them in batches, keeps what is new."""

from __future__ import annotations

import gc
import hashlib
import json
import random
import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fuzz import reproducer, seeds
from fuzz.case import Case, Depth, Fault, Kind
from fuzz.check_pages import choose_core, page_checks
from fuzz.checks.pace import stopwatch
from fuzz.kinds import KINDS, models
from fuzz.tally import Tally

# Of the batches, how many go through more than the checks of a score; those of the corpus go through all but the last.
DEPTHS = {Depth.NUMBERS: 0.85, Depth.REPORTED: 0.125, Depth.ALL: 0.025}
MAX_KEPT = 3_000  # cases of one kind that are worth mutating again
MAX_TRIES = 20  # to make a case that was not there before
MEMORY = 6_000_000_000  # bytes; a case that needs more fails instead of the machine
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_NUMBERS = re.compile(r"[0-9]+|'[^']*'|\"[^\"]*\"")


@dataclass(frozen=True, slots=True)
class Lane:
    """The share of a run that one process has: lane `number` of `total`, until so many pages, inputs or seconds."""

    number: int
    total: int
    seed: int
    kinds: tuple[str, ...]
    pages: int | None
    seconds: float | None
    folder: Path  # for reproducers
    scratch: Path
    inputs: int | None = None  # of any kind
    attempt: int = 0  # how often it was started again

    @property
    def running(self) -> Path:
        """The file with the cases that are being checked, for whoever finds this process dead."""
        return self.scratch / f"running-{self.number}.json"


class LaneRun:
    """The work of one process."""

    def __init__(self, lane: Lane, report: Callable[[Tally], None]) -> None:
        self._lane, self._report = lane, report
        self._rng = random.Random(f"{lane.seed} {lane.number} of {lane.total} {lane.attempt}")
        self._seen: set[bytes] = set()
        self._traits: set[str] = set()
        self._kept: defaultdict[str, list[bytes]] = defaultdict(list)
        self._known_faults: Counter[str] = Counter()
        self.tally = Tally()

    def run(self) -> Tally:
        """Fuzz until the pages or the seconds are used up."""
        choose_core()
        gc.set_threshold(100_000, 50, 50)  # results are many and short-lived
        started = time.monotonic()
        kinds = [KINDS[name] for name in self._lane.kinds]
        for kind in kinds:
            options = kind.choose_options(self._rng)
            cases = [Case(kind.name, data, options) for data in seeds.load_corpus(kind.name)]
            self._seen.update(hash_data(case.data) for case in cases)
            for start in range(0, len(cases), kind.batch):
                self._check(kind, cases[start : start + kind.batch], Depth.REPORTED)
        while not self._is_done(time.monotonic() - started):
            (kind,) = self._rng.choices(kinds, [kind.share or 1.0 for kind in kinds])
            options = kind.choose_options(self._rng)
            (depth,) = self._rng.choices(list(DEPTHS), list(DEPTHS.values()))
            self._check(kind, [Case(kind.name, data, options) for data in self._make(kind)], depth)
            self._report(self.tally)
        self._lane.running.unlink(missing_ok=True)
        page_checks().close()
        models.loader().close()
        return self.tally

    def _is_done(self, seconds: float) -> bool:
        lane = self._lane
        enough = lane.pages is not None and self.tally.pages >= lane.pages
        enough = enough or (lane.inputs is not None and self.tally.cases.total() >= lane.inputs)
        return enough or (lane.seconds is not None and seconds >= lane.seconds)

    def _make(self, kind: Kind) -> list[bytes]:
        """Make the cases of a batch, none of which was there before, here or in another lane."""
        cases = []
        for _ in range(kind.batch):
            for _ in range(MAX_TRIES):
                data = self._move_here(kind.make(self._rng, self._kept[kind.name]), kind)
                if (name := hash_data(data)) not in self._seen:
                    self._seen.add(name)
                    cases.append(data)
                    break
                self.tally.repeated += 1
        return cases

    def _move_here(self, data: bytes, kind: Kind) -> bytes:
        """Add letters until the hash belongs to this lane, so that two lanes never check the same page."""
        while kind.is_page and not self._is_here(data):
            data += self._rng.choice(_LETTERS).encode()
        return data

    def _is_here(self, data: bytes) -> bool:
        """Tell whether a page counts in this lane: every page does in exactly one, those of the corpus too."""
        return int.from_bytes(hash_data(data)) % self._lane.total == self._lane.number

    def _check(self, kind: Kind, cases: Sequence[Case], depth: Depth) -> None:
        if not cases:
            return
        write_running(self._lane.running, cases)
        with stopwatch() as seconds:
            outcome = kind.check(cases, depth=depth)
        self.tally.seconds[kind.name] += seconds()
        self._count(kind, cases)
        self.tally.refused += Counter(outcome.refused)
        self.tally.sampled += Counter(outcome.counts)
        for case, traits in zip(cases, outcome.traits, strict=True):
            self._keep(case, traits)
        for fault in outcome.faults:
            self._handle(kind, fault)

    def _count(self, kind: Kind, cases: Sequence[Case]) -> None:
        if kind.is_page:
            cases = [case for case in cases if self._is_here(case.data)]
            self.tally.bytes_of_pages += sum(len(case.data) for case in cases)
        self.tally.cases[kind.name] += len(cases)
        self.tally.highest_ratio = page_checks().highest_ratio

    def _keep(self, case: Case, traits: frozenset[str]) -> None:
        if not traits <= self._traits:
            self._traits |= traits
            self.tally.traits = len(self._traits)
            kept = self._kept[case.kind]
            if len(kept) < MAX_KEPT:
                kept.append(case.data)
            else:
                kept[self._rng.randrange(MAX_KEPT)] = case.data

    def _handle(self, kind: Kind, fault: Fault) -> None:
        """Reduce and save the first case of every fault; count the others."""
        name = f"{fault.case.kind} {fault.check} {_NUMBERS.sub('', fault.message)[:80]}"
        self._known_faults[name] += 1
        if self._known_faults[name] > 1:
            self.tally.faults[[f["name"] for f in self.tally.faults].index(name)]["times"] += 1
            return
        small = reproducer.reduce_fault(kind, fault)
        self._report(self.tally)  # which took a while
        self.tally.faults.append(record_fault(self._lane, small, name))


def hash_data(data: bytes) -> bytes:
    """Return the name under which a case is remembered."""
    return hashlib.blake2b(data, digest_size=8).digest()


def write_running(path: Path, cases: Sequence[Case]) -> None:
    """Write the cases that are about to be checked."""
    path.write_text(json.dumps([case.to_row() for case in cases]), "utf-8")


def read_running(path: Path) -> list[Case]:
    """Return the cases that a dead process was checking."""
    try:
        return list(map(Case.from_row, json.loads(path.read_text("utf-8"))))
    except (OSError, ValueError):
        return []


def record_fault(lane: Lane, fault: Fault, name: str) -> dict[str, Any]:
    """Save a fault, print it with what shows it again, and return its entry in the tally."""
    run = {"seed": lane.seed, "lane": f"{lane.number} of {lane.total}", "attempt": lane.attempt}
    path = reproducer.save_fault(fault, run, lane.folder)
    print(reproducer.describe_fault(fault, path), flush=True)
    entry = {"kind": fault.case.kind, "check": fault.check, "message": fault.message, "times": 1, "file": path.name}
    return {"name": name, **entry}
