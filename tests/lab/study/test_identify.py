"""Identifiability: which weights the evidence fixes, held out, and by definitions that can be checked."""

from __future__ import annotations

from typing import Any

import pytest

from steelyard.components import NAMES
from steelyard.lab.protocol import fit
from steelyard.lab.protocol.alignment import align
from steelyard.lab.protocol.component_values import ComponentValues, sqrt
from steelyard.lab.protocol.gates import GATES, judge
from steelyard.lab.protocol.gates.base import PASS
from steelyard.lab.study.studies import identify as identifiability
from steelyard.lab.study.studies.identify import ENTROPY, FLOOR, evaluate_weights, findings, identify
from steelyard.support.artifacts import round_floats

SHORT = (0.0, 0.02, 0.08, 0.12, 0.25, 0.5)


@pytest.fixture(scope="module")
def identified(train: ComponentValues, held_out: ComponentValues, french_values: ComponentValues) -> dict[str, Any]:
    """On half of the grid, for the sake of time."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(identifiability, "GRID", SHORT)
        return identify(train, held_out, french_values)


def test_an_outcome_is_what_gates_and_alignment_say(train: ComponentValues, held_out: ComponentValues) -> None:
    weights = fit.load_weights("shipped")
    found = evaluate_weights(weights, train, held_out)
    responses = held_out.responses(sqrt, weights)
    verdicts = judge(responses, draws=0)
    assert found["pearson"] == align(responses, draws=0).pearson
    assert found["train_pearson"] == pytest.approx(fit.correlate(train.matrix(sqrt), weights), abs=1e-9)
    assert found["train_cosine"] == fit.cosine(train.matrix(sqrt), weights)
    assert found["gates"] == sum(v.status == PASS for v in verdicts)
    assert found["not_passed"] == [v.gate for v in verdicts if v.status != PASS]
    on_train = judge(train.responses(sqrt, weights), draws=0)
    assert found["train_not_passed"] == [v.gate for v in on_train if v.status != PASS]
    assert found["survives"] == (found["gates"] == len(GATES))
    assert found["stuffing_dose_8"] == responses.delta("keyword_stuffing", 8)


def test_the_reference_is_the_nested_refit_and_the_released_vector_stands_beside_it(
    identified: dict[str, Any], train: ComponentValues, held_out: ComponentValues
) -> None:
    nested = fit.fit_nested(train, sqrt)
    assert identified["ridge"] == nested.ridge
    assert identified["reference"] == evaluate_weights(nested.weights, train, held_out)
    assert identified["released"] == evaluate_weights(fit.load_weights("shipped"), train, held_out)


def test_left_out_means_refitted_with_that_weight_at_zero(
    identified: dict[str, Any], train: ComponentValues, held_out: ComponentValues
) -> None:
    for name in NAMES:
        without = fit.fit_weights(train.matrix(sqrt), identified["ridge"], zero=(NAMES.index(name),))
        assert without.weights[NAMES.index(name)] == 0.0
        expected = evaluate_weights(without.weights, train, held_out)
        assert identified["components"][name]["left_out"]["pearson"] == expected["pearson"]
        assert identified["components"][name]["left_out"]["gates"] == expected["gates"]


def test_without_the_quotation_carrier_the_alignment_falls_most(identified: dict[str, Any]) -> None:
    left_out = {name: entry["left_out"]["pearson"] for name, entry in identified["components"].items()}
    assert min(left_out, key=lambda name: left_out[name]) == "quotable_density"
    assert left_out["quotable_density"] < identified["reference"]["pearson"] - 0.05


def test_admissible_is_five_gates_and_the_floor_and_the_interval_its_outermost_values(
    identified: dict[str, Any],
) -> None:
    for name, entry in identified["components"].items():
        assert [p["weight"] for p in entry["profile"]] == list(SHORT)
        for point in entry["profile"]:
            assert point["admissible"] == (point["gates"] == len(GATES) and point["pearson"] >= FLOOR)
        admitted = [p["weight"] for p in entry["profile"] if p["admissible"]]
        assert entry["admissible"] == ([admitted[0], admitted[-1]] if admitted else None)
        low, high = entry["admissible"] or (1.0, 0.0)
        assert entry["released_inside"] == (low <= identified["released"]["weights"][name] <= high)


def test_without_a_ridge_the_training_fit_is_better_and_the_held_out_control_weaker(identified: dict[str, Any]) -> None:
    free, reference = identified["unregularised"], identified["reference"]
    assert free["train_cosine"] > reference["train_cosine"]
    assert free["zeroed"] == [n for n, w in free["weights"].items() if w < fit.ZERO]
    assert "shannon_entropy" in free["zeroed"]


def test_silent_components_keep_the_priors_proportions_without_a_ridge(
    identified: dict[str, Any], train: ComponentValues
) -> None:
    """Nothing but the prior speaks for them: no start of the solver may."""
    prior, free = fit.load_weights("prior"), fit.fit_weights(train.matrix(sqrt), fit.LIMIT).weights
    silent = [NAMES.index(n) for n in identified["plateau"]["silent"]]
    assert len(silent) >= 3
    scale = free[silent[0]] / prior[silent[0]]
    assert free[silent] == pytest.approx(scale * prior[silent], abs=1e-4)
    factors = identified["unregularised"]["silent_over_prior"]
    assert list(factors) == identified["plateau"]["silent"]
    assert list(factors.values()) == pytest.approx([scale] * len(silent), abs=0.01)
    assert f"{len(silent)} more, which no edit moves, are at " in " ".join(findings(identified).lines)


def test_the_entropies_are_merged_both_ways(
    identified: dict[str, Any], train: ComponentValues, held_out: ComponentValues, french_values: ComponentValues
) -> None:
    merges = identified["entropy_merge"]
    assert list(merges) == ["only information_density", "only shannon_entropy"]
    for kept, left in (ENTROPY, ENTROPY[::-1]):
        found = merges[f"only {kept}"]
        assert found["weights"][left] == 0.0
        assert found["weights"][kept] > 0.2
        refit = fit.fit_nested(train, sqrt, zero=(NAMES.index(left),)).weights
        assert list(found["weights"].values()) == refit.tolist()
        assert found["pearson"] == align(held_out.responses(sqrt, refit), draws=0).pearson
        assert found["french_pearson"] == align(french_values.responses(sqrt, refit), draws=0).pearson


def test_the_study_holds_no_nan_and_is_the_same_the_second_time(
    identified: dict[str, Any], train: ComponentValues, held_out: ComponentValues, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second time without French pages and on two values of the grid; what both have must agree."""
    round_floats(identified)
    few = (0.0, 0.12)
    monkeypatch.setattr(identifiability, "GRID", few)
    again = identify(train, held_out)
    for key in ("ridge", "reference", "released", "unregularised", "plateau"):
        assert again[key] == identified[key]
    for name in NAMES:
        points = [p for p in identified["components"][name]["profile"] if p["weight"] in few]
        assert again["components"][name]["profile"] == points
    assert {m["french_pearson"] for m in again["entropy_merge"].values()} == {None}
    round_floats(again)
