"""Surroundings: a repository, folder or corpus made by a stranger around good pages, and commands that are run there.

A case is a plan in lines, so that a smaller case is one with fewer lines:

    add links 17
    run check 4
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from fuzz.case import Case, Depth, Fault, Kind, Outcome
from fuzz.surroundings.commands import COMMANDS
from fuzz.surroundings.features import FEATURES
from fuzz.surroundings.place import Place, make_place, remove_place
from fuzz.surroundings.policy import find_faults
from fuzz.surroundings.tracer import Trace, trace

RAN = "ran "  # begins the name of the count of a command
RUNS = 6  # commands in one place
# As the installed command starts: Python does not look into the working directory by itself.
START = (sys.executable, "-P", "-c", "from steelyard.cli.main import main; main()")


class Repositories(Kind):
    name = "repository"
    share = 0.0  # only when it is asked for: it needs strace, and a second for each command
    batch = 1

    def __init__(self) -> None:
        self._deck: list[str] = []  # commands that have still to be dealt, so that all are run equally often

    def make(self, rng: random.Random, kept: Sequence[bytes]) -> bytes:
        features = rng.sample(list(FEATURES), rng.randint(1, 5))
        if len(self._deck) < RUNS:
            self._deck += rng.sample(list(COMMANDS), len(COMMANDS))
        commands, self._deck = self._deck[:RUNS], self._deck[RUNS:]
        lines = [*(f"add {name}" for name in features), *(f"run {name}" for name in commands)]
        return "".join(f"{line} {rng.randrange(10_000)}\n" for line in lines).encode()

    def check(self, cases: Sequence[Case], *, depth: Depth = Depth.REPORTED) -> Outcome:
        faults: list[Fault] = []
        counts: Counter[str] = Counter()
        for case in cases:
            with tempfile.TemporaryDirectory(prefix="steelyard-place-") as folder:
                place = make_place(Path(folder).resolve() / "case")
                try:
                    for check, message in _check_plan(case.data.decode("utf-8", "replace"), place, counts):
                        faults.append(Fault(case, check, message))
                finally:
                    remove_place(place)
        return Outcome(faults, [frozenset()] * len(cases), counts=counts)


def _check_plan(plan: str, place: Place, counts: Counter[str]) -> Iterator[tuple[str, str]]:
    steps = [line.split(" ") for line in plan.splitlines() if line.count(" ") == 2]
    seeds = {(kind, name): int(seed) for kind, name, seed in steps if seed.isdecimal()}
    for name, add in FEATURES.items():
        if ("add", name) in seeds:
            add(random.Random(seeds["add", name]), place)
            counts[f"surrounded by {name}"] += 1
    place.mark.unlink(missing_ok=True)  # git may have met a hook while the place was made
    for name, choose in COMMANDS.items():
        if ("run", name) in seeds:
            invocation = choose(random.Random(seeds["run", name]), place)
            before = place.hash_outside()
            command = [*START, *invocation.arguments]
            environment = place.environment()
            done = trace(command, place.tree, environment, talk=invocation.talk, number=invocation.signal)
            counts[f"{RAN}{name}"] += 1
            done = _without_signal(done, invocation.signal)
            for check, message in find_faults(done, place, invocation.outputs, before):
                yield check, f"{' '.join(invocation.arguments)}: {message}"


def _without_signal(done: Trace, signal: int | None) -> Trace:
    """Return a trace in which a program that was ended by our own signal ended well."""
    if signal is not None and done.code in (-signal, 128 + signal):
        return Trace(0, done.output, done.accesses)
    return done
