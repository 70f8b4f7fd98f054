"""Strategy comparison: fitted families and baselines on one capture; selected on train, confirmed on test.

The rule is the paper's (Eq. constrained): of the fitted families that pass all gates on the training sources, the one
that aligns best there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.components import NAMES
from steelyard.components.arithmetic.numbers import mean
from steelyard.lab.protocol import fit
from steelyard.lab.protocol.alignment import Alignment, align
from steelyard.lab.protocol.capture import Capture
from steelyard.lab.protocol.component_values import (
    FAMILIES,
    Array,
    ComponentValues,
    Transform,
    raw,
    read_component_values,
    split_train_test,
    sqrt,
)
from steelyard.lab.protocol.gates import DRAWS, GATES, Verdict, judge, record_verdicts
from steelyard.lab.protocol.gates.base import Gate
from steelyard.lab.protocol.lever_gains import estimate_largest_mean
from steelyard.lab.protocol.variants import DOSES, LEVERS, variant_name

# A calibrated strategy is fitted to the anchors as well, but is one of the paper's baselines and never selected.
FITTED, CALIBRATED, BASELINE = "fitted", "calibrated", "baseline"
CORRELATED = "raw, Pearson fit"


@dataclass(frozen=True)
class Strategy:
    """A transform and a weighting: everything that turns component values into points."""

    name: str
    kind: str
    transform: Transform
    weights: Array
    ridge: float | None = None


@dataclass(frozen=True)
class SplitResult:
    """Alignment and verdicts of a strategy on one set of sources."""

    alignment: Alignment
    verdicts: tuple[Verdict, ...]

    def record(self) -> dict[str, Any]:
        return {**self.alignment.record(), "gates": record_verdicts(self.verdicts)}


@dataclass(frozen=True)
class StrategyResult:
    """A strategy with its results on both splits, and on French pages, which never count."""

    strategy: Strategy
    train: SplitResult
    test: SplitResult
    largest_gain: float  # of a single lever at any dose over the untouched training pages
    french: SplitResult | None = None
    largest_gain_interval: Sequence[float] | None = None

    @property
    def train_pearson(self) -> float:
        pearson = self.train.alignment.pearson
        return -1.0 if pearson is None else pearson

    def is_feasible(self, bounds: Mapping[str, float] | None = None) -> bool:
        """Return whether all gates pass on the training split; `bounds` replaces the bounds of the named gates."""
        return all(
            verdict.statistic is not None and gate.passes(verdict.statistic, (bounds or {}).get(gate.name))
            for gate, verdict in zip(GATES, self.train.verdicts, strict=True)
        )

    def record(self) -> dict[str, Any]:
        """Return the result as it is written to artifacts."""
        return {
            "kind": self.strategy.kind,
            "ridge": self.strategy.ridge,
            "weights": dict(zip(NAMES, self.strategy.weights.tolist(), strict=True)),
            "largest_gain": self.largest_gain,
            "largest_gain_interval": self.largest_gain_interval and list(self.largest_gain_interval),
            "train": self.train.record(),
            "test": self.test.record(),
            "french": self.french.record() if self.french else None,
        }


def compare_strategies(
    capture: Capture,
    *,
    french: Capture | None = None,
    refits: Mapping[str, Array] | None = None,
    draws: int = DRAWS,
    seed: int = 0,
) -> dict[str, Any]:
    """Evaluate every family and baseline, select one, and measure how much each gate's bound decides that.

    Args:
        capture: The pages, scored by our own scorer.
        french: French pages, which never count.
        refits: Weights that were fitted to outcomes, by name: further baselines.
        draws: Resamples of the bootstrap.
        seed: Of the resampling.
    """
    train, test = split_train_test(capture)
    french_values = read_component_values(french) if french else None
    results = [
        evaluate_strategy(s, train, test, french=french_values, draws=draws, seed=seed)
        for s in (*fit_families(train), *list_baselines(train, refits))
    ]
    selected = select_strategy(results)
    with_calibrated = select_strategy(results, kinds=(FITTED, CALIBRATED))
    return {
        "sources": {"train": len(train), "test": len(test), "french": len(french_values) if french_values else 0},
        "selected": selected.strategy.name if selected else None,
        "selected_with_calibrated": with_calibrated.strategy.name if with_calibrated else None,
        "sensitivity": measure_sensitivity(results),
        "order": [r.strategy.name for r in results],
        "strategies": {r.strategy.name: r.record() for r in results},
        "undefined": []
        if refits
        else ["refits to outcomes: no records with enough outcomes were given (--outcomes, --records)"],
    }


def fit_families(train: ComponentValues) -> list[Strategy]:
    """Refit each of the four families on the training sources."""
    strategies = []
    for name, make_transform in FAMILIES.items():
        transform = make_transform(train)
        fitted = fit.fit_nested(train, transform)
        strategies.append(Strategy(name, FITTED, transform, fitted.weights, fitted.ridge))
    return strategies


def list_baselines(train: ComponentValues, refits: Mapping[str, Array] | None = None) -> list[Strategy]:
    """Return released, prior, equal, the best single component, the Pearson fit, and refits to outcomes."""
    return [
        Strategy("released", BASELINE, sqrt, fit.load_weights("shipped")),
        Strategy("prior", BASELINE, raw, fit.load_weights("prior")),
        Strategy("equal", BASELINE, raw, fit.load_weights("equal")),
        find_best_single(train),
        Strategy(CORRELATED, CALIBRATED, raw, fit.fit_correlation(train.matrix(raw)).weights),
        *(Strategy(name, BASELINE, raw, weights) for name, weights in (refits or {}).items()),
    ]


def find_best_single(train: ComponentValues) -> Strategy:
    """Return the component that aligns best alone on the training sources."""
    matrix = train.matrix(raw)
    aligned = [fit.correlate(matrix, alone) for alone in np.eye(len(NAMES))]
    best = max(range(len(NAMES)), key=lambda i: -1.0 if (r := aligned[i]) is None else r)
    return Strategy(f"only {NAMES[best]}", BASELINE, raw, np.eye(len(NAMES))[best])


def evaluate_strategy(
    strategy: Strategy,
    train: ComponentValues,
    test: ComponentValues,
    *,
    french: ComponentValues | None = None,
    draws: int = DRAWS,
    seed: int = 0,
) -> StrategyResult:
    """Put one strategy through alignment and gates on both splits, and on French pages if given."""

    def evaluate(values: ComponentValues, gate_draws: int = draws) -> SplitResult:
        responses = values.responses(strategy.transform, strategy.weights)
        return SplitResult(align(responses, draws=draws, seed=seed), judge(responses, draws=gate_draws, seed=seed))

    on_train = train.responses(strategy.transform, strategy.weights)
    gains = [on_train.gain(variant_name(lever, dose)) for lever in LEVERS for dose in DOSES]
    on_french = evaluate(french, gate_draws=0) if french else None
    interval = estimate_largest_mean(gains, draws=draws, seed=seed)
    return StrategyResult(strategy, evaluate(train), evaluate(test), max(map(mean, gains)), on_french, interval)


def select_strategy(
    results: Sequence[StrategyResult],
    bounds: Mapping[str, float] | None = None,
    kinds: Sequence[str] = (FITTED,),
) -> StrategyResult | None:
    """Select from training figures alone: of the strategies that pass all gates, the one that aligns best.

    Args:
        results: The strategies with their figures.
        bounds: Bounds of the named gates instead of their own.
        kinds: Which kinds of strategies are candidates.
    """
    feasible = [r for r in results if r.strategy.kind in kinds and r.is_feasible(bounds)]
    return max(feasible, key=lambda r: r.train_pearson, default=None)


def measure_sensitivity(results: Sequence[StrategyResult]) -> dict[str, dict[str, float | None]]:
    """Return for each gate the interval of its bound over which the selection stays what it is.

    The selection can change only where the bound crosses the figure of a fitted strategy, so only those are tried,
    moving away from the bound on either side; None where no change is found.
    """
    selected = select_strategy(results)

    def changes(gate: Gate, figure: float, side: int) -> bool:
        """Try the figure itself and just beyond it: which of the two decides depends on the gate's direction."""
        bounds = (figure, figure + side * 1e-9)
        return any(select_strategy(results, {gate.name: bound}) is not selected for bound in bounds)

    intervals: dict[str, dict[str, float | None]] = {}
    for position, gate in enumerate(GATES):
        values = (r.train.verdicts[position].statistic for r in results if r.strategy.kind == FITTED)
        figures = sorted({v for v in values if v is not None})
        intervals[gate.name] = {
            "low": next((f for f in reversed(figures) if f <= gate.bound and changes(gate, f, -1)), None),
            "high": next((f for f in figures if f >= gate.bound and changes(gate, f, 1)), None),
        }
    return intervals
