"""Robustness: every row can be made again by hand, and no perturbation is larger than a tenth."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from steelyard.lab.protocol import fit
from steelyard.lab.protocol.alignment import align
from steelyard.lab.protocol.component_values import Array, ComponentValues, Transform, power, raw, sqrt
from steelyard.lab.protocol.gates import count_passed, judge
from steelyard.lab.study.studies import robustness
from steelyard.support.artifacts import round_floats


def held_out_figures(weights: Array, transform: Transform, test: ComponentValues) -> dict[str, Any]:
    responses = test.responses(transform, weights)
    verdicts = {v.gate: v for v in judge(responses, draws=0)}
    return {
        "pearson": align(responses, draws=0).pearson,
        "stuffing_dose_1": responses.delta("keyword_stuffing", 1),
        "stuffing_dose_8": responses.delta("keyword_stuffing", 8),
        "worst_step": verdicts["dose-response"].statistic,
        "saturation": verdicts["saturation"].statistic,
        "gates": count_passed(tuple(verdicts.values())),
    }


def shorter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(robustness, "RESPLITS", 2)
    monkeypatch.setattr(robustness, "PERTURBATIONS", 10)


@pytest.fixture(scope="module")
def found(train: ComponentValues, held_out: ComponentValues) -> dict[str, Any]:
    with pytest.MonkeyPatch.context() as patched:
        shorter(patched)
        return robustness.study_robustness(train, held_out)


def test_every_strength_of_the_grid_is_fitted_on_train_and_shown_on_test(
    found: dict[str, Any], train: ComponentValues, held_out: ComponentValues
) -> None:
    nested = fit.fit_nested(train, sqrt)
    assert found["reference"] == {"ridge": nested.ridge, **held_out_figures(nested.weights, sqrt, held_out)}
    assert [r["ridge"] for r in found["ridges"]] == list(fit.LAMBDAS)
    for row in found["ridges"]:
        weights = fit.fit_weights(train.matrix(sqrt), row["ridge"]).weights
        assert row == {"ridge": row["ridge"], **held_out_figures(weights, sqrt, held_out)}


def test_one_half_is_the_square_root_and_one_the_raw_family(
    found: dict[str, Any], train: ComponentValues, held_out: ComponentValues
) -> None:
    rows = {r["exponent"]: r for r in found["exponents"]}
    assert tuple(rows) == robustness.EXPONENTS
    assert rows[0.5] == {"exponent": 0.5, **found["reference"]}
    nested = fit.fit_nested(train, raw)
    expected = held_out_figures(nested.weights, raw, held_out)
    assert {k: rows[1.0][k] for k in expected} == pytest.approx(expected, abs=1e-6)
    assert power(0.5)(train.base) == pytest.approx(sqrt(train.base))


def test_every_resplit_is_another_partition_of_the_same_sources(
    train: ComponentValues, held_out: ComponentValues, monkeypatch: pytest.MonkeyPatch
) -> None:
    halves: list[tuple[tuple[str, ...], tuple[str, ...]]] = []
    real, seen = fit.fit_nested, []

    def record_fit(chosen: ComponentValues, transform: Transform) -> fit.Fit:
        seen.append(chosen.sources)
        return real(chosen, transform)

    def figures(weights: Array, transform: Transform, test: ComponentValues) -> dict[str, Any]:
        halves.append((seen[-1], test.sources))
        return {}

    monkeypatch.setattr(fit, "fit_nested", record_fit)
    monkeypatch.setattr(robustness, "_evaluate", figures)
    monkeypatch.setattr(robustness, "RESPLITS", 4)
    robustness._resplit(train.join(held_out), len(train), 0)
    everything = {*train.sources, *held_out.sources}
    assert len(halves) == 4
    for first, second in halves:
        assert len(first) == len(train)
        assert not set(first) & set(second)
        assert {*first, *second} == everything
    assert len({first for first, _ in halves}) == 4


def test_a_perturbed_weighting_differs_by_a_tenth_at_most(
    held_out: ComponentValues, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed: list[Array] = []

    def figures(weights: Array, transform: Transform, test: ComponentValues) -> dict[str, Any]:
        changed.append(weights)
        return {"pearson": weights[0], "stuffing_dose_8": -weights[1], "gates": 5 - len(changed) % 2}

    monkeypatch.setattr(robustness, "_evaluate", figures)
    shipped = fit.load_weights("shipped")
    found = robustness._perturb(shipped, held_out, 0)
    ratios = np.array(changed) / shipped
    assert len(changed) == 200
    assert np.array(changed).sum(axis=1) == pytest.approx(1)
    # Before the weights were made to sum to one every ratio was within a tenth of 1.
    assert (ratios.max(axis=1) / ratios.min(axis=1)).max() <= 1.1 / 0.9
    assert ratios.std() > 0.04
    assert found["worst_pearson"] == min(w[0] for w in changed)
    assert found["best_pearson"] == max(w[0] for w in changed)
    assert found["worst_stuffing_dose_8"] == max(-w[1] for w in changed)
    assert found["fewest_gates"] == 4


def test_the_summary_is_of_its_rows() -> None:
    rows = [
        {"pearson": 0.9, "stuffing_dose_1": 0.1, "stuffing_dose_8": -1.0, "gates": 4},
        {"pearson": 0.8, "stuffing_dose_1": -0.1, "stuffing_dose_8": -3.0, "gates": 5},
    ]
    assert robustness.summarize(rows) == {
        "n": 2, "lowest_pearson": 0.8, "highest_pearson": 0.9, "mean_pearson": pytest.approx(0.85),
        "weakest_stuffing_dose_8": -1.0, "strongest_stuffing_dose_8": -3.0, "control_holds": 1, "all_gates": 1,
    }  # fmt: skip


def test_on_the_demo_the_negative_control_holds_everywhere(found: dict[str, Any]) -> None:
    rows = [*found["resplits"], *found["ridges"], *found["exponents"], found["reference"]]
    assert max(r["stuffing_dose_8"] for r in rows) < 0
    assert max(r["stuffing_dose_1"] for r in rows) < 0
    assert found["perturbations"]["worst_stuffing_dose_8"] < 0


def test_the_study_holds_no_nan_and_is_the_same_the_second_time(
    found: dict[str, Any], train: ComponentValues, held_out: ComponentValues, monkeypatch: pytest.MonkeyPatch
) -> None:
    shorter(monkeypatch)
    assert round_floats(robustness.study_robustness(train, held_out)) == round_floats(found)
    other = robustness._resplit(train.join(held_out), len(train), seed=1)
    assert other != found["resplits"]
