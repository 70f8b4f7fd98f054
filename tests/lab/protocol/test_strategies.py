"""The strategy comparison: selected on training figures alone, and how firmly each constant holds the selection."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from steelyard.components import NAMES
from steelyard.components.arithmetic.numbers import mean
from steelyard.errors import SteelyardError
from steelyard.lab.corpus import TEST, TRAIN
from steelyard.lab.protocol import fit
from steelyard.lab.protocol.alignment import Alignment, align
from steelyard.lab.protocol.capture import Capture
from steelyard.lab.protocol.component_values import (
    FAMILIES,
    ComponentValues,
    TooFewSources,
    raw,
    read_component_values,
    split_train_test,
    sqrt,
)
from steelyard.lab.protocol.gates import GATES, Verdict, count_passed
from steelyard.lab.protocol.gates.base import FAIL, PASS, UNDEFINED
from steelyard.lab.protocol.strategies import (
    BASELINE,
    CALIBRATED,
    CORRELATED,
    FITTED,
    SplitResult,
    Strategy,
    StrategyResult,
    compare_strategies,
    evaluate_strategy,
    find_best_single,
    list_baselines,
    measure_sensitivity,
    select_strategy,
)
from steelyard.lab.protocol.variants import DOSES, INTERVENTIONS, LEVERS
from steelyard.lab.study.studies.observational import refit_to_outcomes, simulate_outcomes
from steelyard.support.artifacts import round_floats
from tests.lab.protocol import synthetic

PASSING = (-2.0, -0.25, 1.5, -1.0, 0.125)  # a figure for every gate


def verdicts(figures: Sequence[float | None]) -> tuple[Verdict, ...]:
    found = []
    for gate, figure in zip(GATES, figures, strict=True):
        status = UNDEFINED if figure is None else PASS if gate.passes(figure) else FAIL
        found.append(Verdict(gate.name, status, figure, gate.bound, None, None, {}))
    return tuple(found)


def candidate(
    name: str,
    *,
    pearson: float | None = 0.95,
    gain: float = 5.0,
    figures: Sequence[float | None] = PASSING,
    kind: str = FITTED,
) -> StrategyResult:
    """A strategy with these training figures; its test figures are the worst, and have no say."""
    train, test = (
        SplitResult(Alignment({}, r, None, None, None), verdicts(f))
        for r, f in ((pearson, figures), (-1.0, (9.0, -9.0, 9.0, 9.0, 0.9)))
    )
    return StrategyResult(Strategy(name, kind, raw, np.zeros(len(NAMES))), train, test, gain)


def name_of(chosen: StrategyResult | None) -> str | None:
    return chosen.strategy.name if chosen else None


@pytest.fixture(scope="module")
def compared(english: Capture, french: Capture) -> dict[str, Any]:
    return compare_strategies(english, french=french, draws=20)


# ── selection ──


@pytest.mark.parametrize("at", range(len(GATES)))
def test_the_gates_come_before_alignment_and_undefined_is_not_feasible(at: int) -> None:
    beyond = GATES[at].bound + (1 if GATES[at].is_upper_bound else -1)
    for figure in (beyond, None):
        failing: list[float | None] = [*PASSING]
        failing[at] = figure
        fails = candidate("fails", pearson=0.99, figures=failing)
        assert name_of(select_strategy([fails, candidate("passes")])) == "passes"
        assert select_strategy([fails]) is None
    assert measure_sensitivity([fails])[GATES[at].name] == {"low": None, "high": None}
    assert select_strategy([]) is None


@pytest.mark.parametrize("best", [0.93, 0.99])
def test_of_those_that_pass_the_best_aligned_is_taken_whatever_its_levers_gain(best: float) -> None:
    candidates = [
        candidate("bounded", pearson=best - 0.001, gain=1.0),
        candidate("aligned", pearson=best, gain=9.0),
        candidate("undefined", pearson=None, gain=0.0),
    ]
    assert name_of(select_strategy(candidates)) == "aligned"


def test_a_baseline_is_never_selected() -> None:
    others = [candidate("released", kind=BASELINE), candidate("Pearson fit", kind=CALIBRATED)]
    assert select_strategy(others) is None
    assert name_of(select_strategy(others, kinds=(FITTED, CALIBRATED))) == "Pearson fit"


def test_changing_every_test_page_changes_nothing_that_is_selected(
    english: Capture, compared: Mapping[str, Any]
) -> None:
    rng = random.Random(0)
    split = {r["source"]: r["split"] for r in english.rows if r["variant"] == "base"}
    rows = []
    for row in english.rows:
        if split[row["source"]] == TEST:
            row = {**row, "values": {k: rng.uniform(0, 100) for k in row["values"]}}  # noqa: PLW2901
        rows.append(row)
    changed = compare_strategies(Capture(english.header, tuple(rows)), draws=20)
    for key in ("selected", "selected_with_calibrated", "sensitivity"):
        assert changed[key] == compared[key]
    for name, entry in compared["strategies"].items():
        assert changed["strategies"][name]["weights"] == entry["weights"]
        assert changed["strategies"][name]["ridge"] == entry["ridge"]
        assert changed["strategies"][name]["train"] == entry["train"]
        assert changed["strategies"][name]["largest_gain"] == entry["largest_gain"]
        assert changed["strategies"][name]["test"] != entry["test"]


# ── sensitivity ──


def swept(candidates: Sequence[StrategyResult], gate: str, bound: float) -> tuple[float | None, float | None]:
    """Both ends of the constant's interval, by trying every constant that could matter, from the bound outwards."""
    chosen = name_of(select_strategy(candidates))
    at = [g.name for g in GATES].index(gate)
    figures = {t.train.verdicts[at].statistic for t in candidates}
    step = 1e-6
    tries = sorted({f + side for f in figures if f is not None for side in (-step, 0.0, step)} | {bound})
    same = [name_of(select_strategy(candidates, {gate: c})) == chosen for c in tries]
    here = tries.index(bound)
    low = next((tries[i] for i in range(here, -1, -1) if not same[i]), None)
    high = next((tries[i] for i in range(here, len(tries)) if not same[i]), None)
    return low, high


@pytest.mark.parametrize("seed", range(15))
def test_the_intervals_are_those_a_sweep_of_the_constant_finds(seed: int) -> None:
    rng = random.Random(seed)

    def figures() -> list[float | None]:
        drawn: list[float | None] = [
            rng.choice((-2.0, -1.0, 0.5)) + rng.random(),
            -rng.random(),
            rng.uniform(0, 4),
            rng.uniform(-3, 3),
            rng.uniform(0, 0.5),
        ]
        if rng.random() < 0.1:
            drawn[2] = None
        return drawn

    candidates = [
        candidate(str(i), pearson=rng.uniform(0.92, 0.97), gain=rng.uniform(3, 9), figures=figures(), kind=kind)
        for i, kind in enumerate([FITTED] * 5 + [BASELINE] * 2)
    ]
    found = measure_sensitivity(candidates)
    for gate in GATES:
        low, high = swept(candidates, gate.name, gate.bound)
        assert found[gate.name]["low"] == (None if low is None else pytest.approx(low, abs=2e-6))
        assert found[gate.name]["high"] == (None if high is None else pytest.approx(high, abs=2e-6))


def test_the_papers_own_interval_comes_out() -> None:
    """Table tab:ab: the worst steps of the three families; any constant in (−0.69, −0.36] selects the square root."""
    rows = {"sqrt": (0.949, -0.36), "raw": (0.956, -0.74), "recalibrated": (0.995, -0.69), "quantile": (0.882, -2.27)}
    candidates = [candidate(n, pearson=r, figures=(-7.0, s, 0.96, -1.0, 0.05)) for n, (r, s) in rows.items()]
    assert name_of(select_strategy(candidates)) == "sqrt"
    assert measure_sensitivity(candidates)["dose-response"] == {"low": -0.69, "high": -0.36}


# ── strategies ──


def test_the_released_weights_are_our_own_content(english: Capture, french: Capture) -> None:
    for captured in (english, french):
        found = read_component_values(captured).responses(sqrt, fit.load_weights("shipped"))
        content = captured.responses(lambda values: values["content"])
        assert found.sources == content.sources
        for variant, column in content.points.items():
            assert found.points[variant] == pytest.approx(column, abs=1e-9)


def test_every_family_is_refitted_and_every_baseline_is_fixed(
    compared: Mapping[str, Any], train: ComponentValues
) -> None:
    strategies = compared["strategies"]
    kinds = {name: entry["kind"] for name, entry in strategies.items()}
    assert [n for n, kind in kinds.items() if kind == FITTED] == list(FAMILIES)
    assert [n for n, kind in kinds.items() if kind == BASELINE][:3] == ["released", "prior", "equal"]
    assert [n for n, kind in kinds.items() if kind == CALIBRATED] == [CORRELATED]
    assert strategies["released"]["weights"] == pytest.approx(
        dict(zip(NAMES, fit.load_weights("shipped").tolist(), strict=True)), abs=1e-12
    )
    for name, make in FAMILIES.items():
        expected = fit.fit_nested(train, make(train))
        assert strategies[name]["ridge"] == expected.ridge
        assert list(strategies[name]["weights"].values()) == expected.weights.tolist()
    for entry in strategies.values():
        assert sum(entry["weights"].values()) == pytest.approx(1, abs=1e-9)


def test_no_raw_weighting_of_the_grid_aligns_better_than_the_pearson_fit(train: ComponentValues) -> None:
    matrix = train.matrix(raw)
    found = fit.correlate(matrix, fit.fit_correlation(matrix).weights)
    assert found is not None
    others = [fit.fit_weights(matrix, ridge).weights for ridge in (fit.LIMIT, *fit.LAMBDAS)]
    assert all(found >= (fit.correlate(matrix, weights) or -1.0) for weights in [*others, fit.load_weights("prior")])
    assert found > 0.99


def test_the_best_single_component_aligns_best_alone(train: ComponentValues) -> None:
    found = find_best_single(train)
    matrix = train.matrix(raw)
    alone = {name: fit.correlate(matrix, np.eye(len(NAMES))[i]) for i, name in enumerate(NAMES)}
    best = max((v, n) for n, v in alone.items() if v is not None)[1]
    assert found.name == f"only {best}"
    assert found.weights.sum() == found.weights[NAMES.index(best)] == 1.0
    moving = synthetic.component_values({("quotation-1", "citation_f1"): 30.0})
    assert find_best_single(moving).name == "only citation_f1"  # the others never move


def test_the_largest_gain_is_a_single_levers_over_the_untouched_training_pages(train: ComponentValues) -> None:
    strategy = list_baselines(train)[0]
    found = evaluate_strategy(strategy, train, train, draws=0)
    content = train.responses(sqrt, strategy.weights)
    expected = max(
        mean([a - b for a, b in zip(content.points[f"{lever}-{dose}"], content.points["base"], strict=True)])
        for lever in LEVERS
        for dose in DOSES
    )
    assert found.largest_gain == pytest.approx(expected, abs=1e-9)
    assert found.largest_gain_interval is None  # without resamples
    assert found.french is None
    assert found.is_feasible() == (count_passed(found.train.verdicts) == 5)


def test_alignment_is_the_correlation_with_the_anchors(train: ComponentValues) -> None:
    responses = train.responses(sqrt, fit.load_weights("shipped"))
    found = align(responses, draws=50)
    deltas = [responses.delta(edit, 1) for edit in INTERVENTIONS]
    r = float(np.corrcoef(deltas, (42.6, 32.8, 27.7, 18.5, -8.8))[0, 1])  # the anchors as the paper prints them
    assert found.pearson == pytest.approx(r, abs=1e-12)
    assert list(found.responses.values()) == deltas
    assert found.interval is not None
    low, high = found.interval
    assert low <= r <= high
    assert align(responses, draws=50) == found
    assert align(responses, draws=50, seed=1).interval != found.interval
    ordered = {f"{edit}-1": 5.0 - at for at, edit in enumerate(INTERVENTIONS)}
    perfect = align(synthetic.responses(ordered), draws=0)
    assert perfect.spearman == pytest.approx(1.0)
    assert perfect.permutation_p == pytest.approx(1 / 120)
    still = align(synthetic.responses(dict.fromkeys(synthetic.SOUND, 0.0)), draws=10)
    assert (still.pearson, still.interval, still.spearman, still.permutation_p) == (None, None, None, None)
    assert round_floats(still.record())["interval"] == [None, None]


# ── the study ──


def test_the_records_agree_with_the_verdicts(
    compared: Mapping[str, Any], train: ComponentValues, held_out: ComponentValues
) -> None:
    round_floats(compared)  # refuses NaN
    assert compared["sources"] == {"train": len(train), "test": len(held_out), "french": 12}
    for entry in compared["strategies"].values():
        for split in ("train", "test", "french"):
            gates = entry[split]["gates"]
            assert gates["passed"] == sum(gates[g.name]["status"] == PASS for g in GATES)
            assert gates["passed_by_estimate"] == sum(gates[g.name]["by_estimate"] is True for g in GATES)
    chosen = compared["strategies"][compared["selected"]]  # by the paper's rule
    assert chosen["train"]["gates"]["passed_by_estimate"] == 5


def test_refits_to_outcomes_are_tried_when_there_are_outcomes(english: Capture, compared: Mapping[str, Any]) -> None:
    assert compared["undefined"] == [
        "refits to outcomes: no records with enough outcomes were given (--outcomes, --records)"
    ]
    found = compare_strategies(
        english, refits=refit_to_outcomes(simulate_outcomes(read_component_values(english).base, 0)), draws=0
    )
    assert found["undefined"] == []
    names = set(found["strategies"]) - set(compared["strategies"])
    assert names == {"outcomes, moderate", "outcomes, aggressive"}
    assert all(found["strategies"][n]["kind"] == BASELINE for n in names)
    assert found["selected"] == compared["selected"]
    assert found["strategies"]["sqrt"]["french"] is None
    round_floats(found)


def test_too_few_sources_in_a_half_and_another_scorer_are_refused(english: Capture) -> None:
    kept = {r["source"] for r in english.rows if r["variant"] == "base" and r["split"] == TRAIN}
    few = Capture(english.header, tuple(r for r in english.rows if r["source"] in kept))
    with pytest.raises(TooFewSources, match="21 training and 0 test sources"):
        split_train_test(few)
    other = Capture(english.header, tuple({**r, "values": {"points": 1.0}} for r in english.rows))
    with pytest.raises(SteelyardError, match="holds no component readings"):
        read_component_values(other)
