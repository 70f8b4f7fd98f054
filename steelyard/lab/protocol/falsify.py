"""Falsify: the five gates on any scorer; our own goes the same way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from steelyard.lab.corpus.corpus import SPLITS, CorpusPage
from steelyard.lab.protocol.capture import AGAIN, NO_EDIT, NOT_ASKED, Capture, GaveUp, Plan, Row, capture, header
from steelyard.lab.protocol.curves import curves
from steelyard.lab.protocol.gain import gains, long_sources
from steelyard.lab.protocol.gates import DRAWS, Verdict, judge, passed, survives
from steelyard.lab.protocol.gates.base import FEWEST_SOURCES
from steelyard.lab.protocol.strategies import gate_records
from steelyard.lab.protocol.variants import BASE, VARIANTS
from steelyard.lab.scorers.base import CRASHED, POINTS, Scorer

ALL = "all"
SAME = 1e-9  # points
SHOWN = 3  # examples of each kind of failure in the report


@dataclass(frozen=True)
class Falsified:
    """How a scorer came out: verdicts on all sources and on each split, and everything it did wrong."""

    scorer: str
    capture: Capture
    verdicts: Mapping[str, tuple[Verdict, ...]]
    failures: Mapping[str, tuple[Row, ...]]
    unstable: tuple[tuple[str, float, float], ...]
    gave_up: str = ""
    draws: int = DRAWS
    seed: int = 0

    @property
    def gates(self) -> dict[str, Verdict]:
        """Gate by gate, on all sources."""
        return {v.gate: v for v in self.verdicts[ALL]}

    @property
    def survives(self) -> bool:
        """Five passes on all sources, no failed call, the same answer twice."""
        return survives(self.verdicts[ALL]) and not self.failures and not self.unstable

    @property
    def crashed_throughout(self) -> tuple[Row, ...]:
        """The failed calls of a scorer that crashed on every page it was given; empty when it ever answered."""
        answered = self.capture.values() or set(self.failures) != {CRASHED}
        return () if answered else self.failures[CRASHED]

    def record(self) -> dict[str, Any]:
        """Everything, as it stands in the artifact."""
        responses = self.capture.responses()
        enough = len(responses) >= FEWEST_SOURCES
        long = long_sources(responses)
        return {
            "scorer": self.scorer,
            "survives": self.survives,
            "passed": passed(self.verdicts[ALL]),
            "sources": len(responses),
            "long_sources": len(long),
            "verdicts": {split: gate_records(verdicts) for split, verdicts in self.verdicts.items()},
            "curves": curves(responses, draws=self.draws, seed=self.seed) if enough else {},
            "gains": gains(long) if len(long) >= FEWEST_SOURCES else [],
            "failures": {
                kind: {
                    "calls": len(rows),
                    "examples": [f"{r['source']} ({r['variant']}): {r['detail']}" for r in rows[:SHOWN]],
                }
                for kind, rows in self.failures.items()
            },
            "not_deterministic": {
                "sources": len(self.unstable),
                "examples": [
                    f"{source}: {first!r}, then {second!r}" for source, first, second in self.unstable[:SHOWN]
                ],
            },
            "gave_up": self.gave_up,
            "scale": _scale(self.capture),
        }


def falsify(
    pages: Sequence[CorpusPage],
    scorer: Scorer,
    *,
    corpus: str,
    digest: str,
    plan: Plan | None = None,
    draws: int = DRAWS,
    jobs: int | None = None,
    quiet: bool = True,
) -> Falsified:
    """Capture the scorer on every variant, and on the untouched page once more, and judge it."""
    plan = plan or Plan()
    plan = Plan(plan.view, plan.arm, plan.seed, (*VARIANTS, AGAIN))
    head = header(pages, digest, corpus, scorer, plan)
    gave_up = ""
    try:
        taken = capture(pages, scorer, head, plan, jobs=jobs, quiet=quiet)
    except GaveUp as error:
        taken, gave_up = Capture(head, tuple(error.rows)), str(error)
    return judged(taken, gave_up=gave_up, draws=draws, seed=plan.seed)


def judged(taken: Capture, *, gave_up: str = "", draws: int = DRAWS, seed: int = 0) -> Falsified:
    """The verdicts on a capture, whoever's scorer it is of."""
    kinds: dict[str, list[Row]] = {}
    for row in taken.failures():
        if row["failed"] not in (NO_EDIT, NOT_ASKED):
            kinds.setdefault(row["failed"], []).append(row)
    verdicts = {split or ALL: judge(taken.responses(split=split), draws=draws, seed=seed) for split in (None, *SPLITS)}
    return Falsified(
        scorer=str(taken.header.parameters["name"]),
        capture=taken,
        verdicts=verdicts,
        failures={kind: tuple(rows) for kind, rows in kinds.items()},
        unstable=tuple(_unstable(taken)),
        gave_up=gave_up,
        draws=draws,
        seed=seed,
    )


def _unstable(taken: Capture) -> list[tuple[str, float, float]]:
    found = []
    for source, variants in taken.values().items():
        if BASE.name in variants and AGAIN.name in variants:
            first, second = variants[BASE.name][POINTS], variants[AGAIN.name][POINTS]
            if abs(first - second) > SAME:
                found.append((source, first, second))
    return found


def _scale(taken: Capture) -> dict[str, float | None]:
    """The lowest and the highest points given: a scale of 0 to 1 read as 0 to 100 shows here."""
    points = [v[POINTS] for variants in taken.values().values() for v in variants.values()]
    return {"lowest": min(points), "highest": max(points)} if points else {"lowest": None, "highest": None}
