"""Strategy comparison: fitted families and baselines on one capture; selected on train, confirmed on test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.components import NAMES
from steelyard.components.arithmetic.numbers import mean
from steelyard.lab.protocol import fit
from steelyard.lab.protocol.alignment import Alignment, align
from steelyard.lab.protocol.families import FAMILIES, raw, sqrt
from steelyard.lab.protocol.gates import DRAWS, GATES, Verdict, judge, passed, survives
from steelyard.lab.protocol.gates.base import Gate
from steelyard.lab.protocol.readings import Array, Readings, Transform
from steelyard.lab.protocol.variants import DOSES, LEVERS, named

FITTED, BASELINE = "fitted", "baseline"
FLOOR = 0.94  # the paper's split-stability floor: alignments above it are not told apart


@dataclass(frozen=True)
class Strategy:
    """A transform and a weighting: everything that turns readings into points."""

    name: str
    kind: str
    transform: Transform
    weights: Array
    ridge: float | None = None


@dataclass(frozen=True)
class Tried:
    """A strategy with how it came out on both splits."""

    strategy: Strategy
    train: Alignment
    test: Alignment
    train_gates: tuple[Verdict, ...]
    test_gates: tuple[Verdict, ...]
    largest_gain: float  # of a single lever at any dose over the untouched training pages
    french: Alignment | None = None
    french_gates: tuple[Verdict, ...] = ()

    @property
    def feasible(self) -> bool:
        return survives(self.train_gates)


def fitted(train: Readings) -> list[Strategy]:
    """The four families, each refitted on the training sources."""
    strategies = []
    for name, make in FAMILIES.items():
        transform = make(train)
        found = fit.nested(train, transform)
        strategies.append(Strategy(name, FITTED, transform, found.weights, found.ridge))
    return strategies


def baselines(train: Readings, observational: Mapping[str, Array] | None = None) -> list[Strategy]:
    """Fixed weightings: released, prior, equal, the best single component, and refits to outcomes where given."""
    listed = [
        Strategy("released", BASELINE, sqrt, fit.vector("shipped")),
        Strategy("prior", BASELINE, raw, fit.vector("prior")),
        Strategy("equal", BASELINE, raw, fit.vector("equal")),
        best_single(train),
    ]
    listed += [Strategy(name, BASELINE, raw, weights) for name, weights in (observational or {}).items()]
    return listed


def best_single(train: Readings) -> Strategy:
    """The component that aligns best alone on the training sources."""
    matrix = train.matrix(raw)
    aligned = [fit.alignment(matrix, one) for one in np.eye(len(NAMES))]
    best = max(range(len(NAMES)), key=lambda i: -1.0 if aligned[i] is None else float(aligned[i] or 0.0))
    return Strategy(f"only {NAMES[best]}", BASELINE, raw, np.eye(len(NAMES))[best])


def tried(
    strategy: Strategy,
    train: Readings,
    test: Readings,
    *,
    french: Readings | None = None,
    draws: int = DRAWS,
    seed: int = 0,
) -> Tried:
    """One strategy through alignment and gates on both splits; French beside, never counted."""
    on_train = train.responses(strategy.transform, strategy.weights)
    on_test = test.responses(strategy.transform, strategy.weights)
    on_french = french.responses(strategy.transform, strategy.weights) if french else None
    return Tried(
        strategy,
        align(on_train, draws=draws, seed=seed),
        align(on_test, draws=draws, seed=seed),
        judge(on_train, draws=draws, seed=seed),
        judge(on_test, draws=draws, seed=seed),
        max(mean(on_train.gain(named(lever, dose))) for lever in LEVERS for dose in DOSES),
        align(on_french, draws=draws, seed=seed) if on_french else None,
        judge(on_french, draws=0) if on_french else (),
    )


def select(candidates: Sequence[Tried], bounds: Mapping[str, float] | None = None) -> Tried | None:
    """The fitted strategy that is chosen, from training figures alone.

    First the gates. Of those that pass all five, those whose alignment reaches the floor (or, when none does, the best
    aligned). Of those, the one that gives a single lever least: a bounded attacker is what the score is for.
    """
    feasible = [t for t in candidates if t.strategy.kind == FITTED and _feasible(t, bounds or {})]
    if not feasible:
        return None
    aligned = [t for t in feasible if (t.train.pearson or -1.0) >= FLOOR]
    if not aligned:
        return max(feasible, key=lambda t: t.train.pearson or -1.0)
    return min(aligned, key=lambda t: t.largest_gain)


def best_aligned(candidates: Sequence[Tried]) -> Tried | None:
    """The feasible fitted strategy that alignment alone would choose."""
    feasible = [t for t in candidates if t.strategy.kind == FITTED and t.feasible]
    return max(feasible, key=lambda t: t.train.pearson or -1.0) if feasible else None


def _feasible(candidate: Tried, bounds: Mapping[str, float]) -> bool:
    for gate, verdict in zip(GATES, candidate.train_gates, strict=True):
        if verdict.statistic is None or not gate.passes(verdict.statistic, bounds.get(gate.name)):
            return False
    return True


def sensitivity(candidates: Sequence[Tried]) -> dict[str, dict[str, float | None]]:
    """For each gate the interval of its constant over which the selection stays what it is.

    The selection can change only where the constant passes the figure of a fitted strategy, so only those are tried,
    walking away from the constant on either side; None where no change is found.
    """
    chosen = select(candidates)
    found: dict[str, dict[str, float | None]] = {}
    for at, gate in enumerate(GATES):
        values = (t.train_gates[at].statistic for t in candidates if t.strategy.kind == FITTED)
        figures = sorted({v for v in values if v is not None})

        def changes(figure: float, side: int, gate: Gate = gate) -> bool:
            """At the figure itself, or just beyond it: which of the two depends on the gate's direction."""
            return any(select(candidates, {gate.name: c}) is not chosen for c in (figure, figure + side * 1e-9))

        found[gate.name] = {
            "low": next((f for f in reversed(figures) if f <= gate.bound and changes(f, -1)), None),
            "high": next((f for f in figures if f >= gate.bound and changes(f, 1)), None),
        }
    return found


def record(candidate: Tried) -> dict[str, Any]:
    """One strategy as it stands in the artifact."""
    strategy = candidate.strategy
    return {
        "kind": strategy.kind,
        "ridge": strategy.ridge,
        "weights": dict(zip(NAMES, strategy.weights.tolist(), strict=True)),
        "largest_gain": candidate.largest_gain,
        "train": {**candidate.train.record(), "gates": gate_records(candidate.train_gates)},
        "test": {**candidate.test.record(), "gates": gate_records(candidate.test_gates)},
        "french": None
        if candidate.french is None
        else {**candidate.french.record(), "gates": gate_records(candidate.french_gates)},
    }


def gate_records(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    return {
        "passed": passed(tuple(verdicts)),
        **{
            v.gate: {
                "status": v.status,
                "statistic": v.statistic,
                "bound": v.bound,
                "margin": v.margin,
                "interval": [v.interval.low, v.interval.high] if v.interval else None,
                "parts": dict(v.parts),
                "reason": v.reason,
            }
            for v in verdicts
        },
    }
