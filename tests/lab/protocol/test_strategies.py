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
from steelyard.lab.protocol.anchors import PUBLISHED
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
    fit_families,
    list_baselines,
    measure_sensitivity,
    select_strategy,
)
from steelyard.lab.protocol.variants import DOSES, LEVERS
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
    held_out: Sequence[float | None] = PASSING,
    held_out_pearson: float = 0.95,
) -> StrategyResult:
    train, test = (
        SplitResult(Alignment({}, r, None, None, None), verdicts(f))
        for r, f in ((pearson, figures), (held_out_pearson, held_out))
    )
    strategy = Strategy(name, kind, raw, np.zeros(len(NAMES)))
    return StrategyResult(strategy, train, test, gain)


def name_of(chosen: StrategyResult | None) -> str | None:
    return chosen.strategy.name if chosen else None


@pytest.fixture(scope="module")
def compared(english: Capture, french: Capture) -> dict[str, Any]:
    return compare_strategies(english, french=french, draws=20)


# ── selection ──


def test_the_gates_come_before_alignment() -> None:
    for i, gate in enumerate(GATES):
        failing = [*PASSING]
        failing[i] = gate.bound + (1 if gate.is_upper_bound else -1)
        assert (
            name_of(select_strategy([candidate("fails", pearson=0.99, figures=failing), candidate("passes")]))
            == "passes"
        )


def test_undefined_is_not_feasible() -> None:
    gap: list[float | None] = [*PASSING]
    gap[2] = None
    assert (
        name_of(select_strategy([candidate("undefined", pearson=0.99, figures=gap), candidate("passes")])) == "passes"
    )
    assert select_strategy([candidate("undefined", figures=gap)]) is None
    assert measure_sensitivity([candidate("undefined", figures=gap)])["saturation"] == {"low": None, "high": None}


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


def test_when_none_is_feasible_none_is_selected() -> None:
    assert select_strategy([candidate("fails", figures=(1.0, *PASSING[1:]))]) is None
    assert select_strategy([]) is None


def test_the_held_out_figures_have_no_say() -> None:
    worst = (9.0, -9.0, 9.0, 9.0, 0.9)
    candidates = [candidate("a", pearson=0.93, held_out=worst, held_out_pearson=0.1), candidate("b", pearson=0.92)]
    assert name_of(select_strategy(candidates)) == "a"


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


def test_on_the_demo_the_ends_are_where_the_selection_changes(train: ComponentValues) -> None:
    candidates = [evaluate_strategy(s, train, train, draws=0) for s in fit_families(train)]
    for gate in GATES:
        low, high = swept(candidates, gate.name, gate.bound)
        found = measure_sensitivity(candidates)[gate.name]
        assert found["low"] == (None if low is None else pytest.approx(low, abs=2e-6))
        assert found["high"] == (None if high is None else pytest.approx(high, abs=2e-6))


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


def test_a_component_that_never_moves_is_not_the_best_one() -> None:
    moving = synthetic.component_values({("quotation-1", "citation_f1"): 30.0})
    assert find_best_single(moving).name == "only citation_f1"


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
    assert found.french is None


def test_alignment_is_the_correlation_with_the_anchors(train: ComponentValues) -> None:
    responses = train.responses(sqrt, fit.load_weights("shipped"))
    found = align(responses, draws=50)
    given = [responses.delta(e, 1) for e in (*LEVERS, "technical_terms", "keyword_stuffing")]
    r = float(np.corrcoef(given, PUBLISHED)[0, 1])
    assert found.pearson == pytest.approx(r, abs=1e-12)
    assert list(found.responses.values()) == given
    assert found.interval is not None
    low, high = found.interval
    assert low <= r <= high
    assert align(responses, draws=50) == found
    assert align(responses, draws=50, seed=1).interval != found.interval


def test_the_exact_permutation_has_its_floor_at_one_in_120() -> None:
    ordered = dict(zip((*LEVERS, "technical_terms", "keyword_stuffing"), (5.0, 4.0, 3.0, 2.0, 1.0), strict=True))
    found = align(synthetic.responses({f"{edit}-1": v for edit, v in ordered.items()}), draws=0)
    assert found.permutation_p == pytest.approx(1 / 120)
    assert found.spearman == pytest.approx(1.0)


def test_responses_that_do_not_vary_have_no_alignment() -> None:
    found = align(synthetic.responses(dict.fromkeys(synthetic.SOUND, 0.0)), draws=10)
    assert (found.pearson, found.interval, found.spearman, found.permutation_p) == (None, None, None, None)
    assert round_floats(found.record())["interval"] == [None, None]


# ── the study ──


def test_the_study_holds_no_nan_and_is_the_same_the_second_time(
    english: Capture, french: Capture, compared: Mapping[str, Any]
) -> None:
    assert round_floats(compared) == round_floats(compare_strategies(english, french=french, draws=20))


def test_the_records_agree_with_the_verdicts(
    compared: Mapping[str, Any], train: ComponentValues, held_out: ComponentValues
) -> None:
    assert compared["sources"] == {"train": len(train), "test": len(held_out), "french": 12}
    for entry in compared["strategies"].values():
        for split in ("train", "test", "french"):
            gates = entry[split]["gates"]
            assert gates["passed"] == sum(gates[g.name]["status"] == PASS for g in GATES)
    chosen = compared["strategies"][compared["selected"]]
    assert chosen["train"]["gates"]["passed"] == 5


def test_refits_to_outcomes_are_tried_when_there_are_outcomes(english: Capture, compared: Mapping[str, Any]) -> None:
    assert compared["undefined"] == ["refits to outcomes: no outcome records were given (--outcomes)"]
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


def test_a_gate_passed_on_the_record_is_a_gate_passed(train: ComponentValues) -> None:
    found = evaluate_strategy(list_baselines(train)[0], train, train, draws=0)
    assert found.is_feasible() == (count_passed(found.train.verdicts) == 5)


def test_too_few_sources_in_a_half_are_refused(english: Capture) -> None:
    kept = {r["source"] for r in english.rows if r["variant"] == "base" and r["split"] == TRAIN}
    few = Capture(english.header, tuple(r for r in english.rows if r["source"] in kept))
    with pytest.raises(TooFewSources, match="21 training and 0 test sources"):
        split_train_test(few)


def test_a_capture_of_another_scorer_holds_no_readings(english: Capture) -> None:
    other = Capture(english.header, tuple({**r, "values": {"points": 1.0}} for r in english.rows))
    with pytest.raises(SteelyardError, match="holds no component readings"):
        read_component_values(other)
