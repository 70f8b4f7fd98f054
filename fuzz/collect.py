"""`python -m fuzz.collect`: write the committed corpus again.

From cases made from the examples alone, the smallest are kept that together do everything seen: match every pattern,
trigger every guard, constant and detector, and draw every kind of error.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import shutil
import sys
import time

from fuzz.case import Case, Kind
from fuzz.check_pages import choose_core
from fuzz.kinds import KINDS
from fuzz.seeds import CORPUS

BUDGETS = {"markdown": 110_000, "html": 60_000, "front-matter": 20_000, "comments": 20_000}  # bytes
OTHER_BUDGET = 6_000
LEFT_OUT = ("long", "long-html", "model", "answer")  # large, or without traits
MIN_NEW = 3  # traits that a page must add to be worth its bytes


def collect(kind: Kind, seconds: float, seed: int) -> list[bytes]:
    """Return the cases to keep of one kind."""
    rng = random.Random(seed)
    found: list[tuple[bytes, frozenset[str]]] = []
    seen: set[str] = set()
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        options = kind.choose_options(rng)
        kept = [data for data, _ in found]
        cases = [Case(kind.name, kind.make(rng, kept), options) for _ in range(kind.batch)]
        for case, traits in zip(cases, kind.check(cases).traits, strict=True):
            if not traits <= seen:
                seen |= traits
                found.append((case.data, traits))
    return _select(found, BUDGETS.get(kind.name, OTHER_BUDGET), MIN_NEW if kind.is_page else 1)


def _select(found: list[tuple[bytes, frozenset[str]]], budget: int, fewest: int) -> list[bytes]:
    """Select cases by the traits that each byte adds, until nothing is added or the budget is used up."""
    selected: list[bytes] = []
    covered: set[str] = set()
    while found:
        data, traits = max(found, key=lambda one: (len(one[1] - covered) / (len(one[0]) + 200), one[0]))
        found.remove((data, traits))
        if len(traits - covered) < fewest:
            break
        if len(data) <= budget:
            budget -= len(data)
            selected.append(data)
            covered |= traits
    return selected


def main() -> int:
    """Collect all kinds and replace the corpus."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.collect", description=__doc__)
    parser.add_argument("--seconds", type=float, default=120.0, help="for each kind (default: %(default)g)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    choose_core()
    for name, kind in KINDS.items():
        if name in LEFT_OUT:
            continue
        cases = collect(kind, options.seconds, options.seed)
        folder = CORPUS / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for data in cases:
            (folder / hashlib.sha256(data).hexdigest()[:12]).write_bytes(data)
        print(f"{name}: {len(cases)} cases, {sum(map(len, cases)):,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
