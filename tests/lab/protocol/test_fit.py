"""Calibration (Eq. fit), the families it is done in, and the two facts the paper proves about them."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.optimize
from scipy.optimize import approx_fprime, minimize, nnls

from steelyard.components import NAMES
from steelyard.lab.protocol import fit
from steelyard.lab.protocol.anchors import PUBLISHED
from steelyard.lab.protocol.component_values import (
    FAMILIES,
    Array,
    ComponentValues,
    fit_hybrid,
    fit_quantile,
    power,
    raw,
    sqrt,
)
from steelyard.lab.protocol.variants import DOSES
from steelyard.lab.study.studies.identify import GRID, describe_plateau
from steelyard.scoring.page import transform
from tests.lab.protocol import synthetic

PRIOR = fit.load_weights("prior")
QUOTABLE = NAMES.index("quotable_density")
STATISTIC = NAMES.index("statistic_density")
each_ridge = pytest.mark.parametrize("ridge", [min(fit.LAMBDAS), 0.3, max(fit.LAMBDAS)])
each_family = pytest.mark.parametrize("family", FAMILIES)


class Minimised(NamedTuple):
    objective: Callable[[Array], tuple[float, Array]]
    x: Array
    value: float
    bounds: list[tuple[float, float | None]]


@pytest.fixture
def minimised(monkeypatch: pytest.MonkeyPatch) -> list[Minimised]:
    """Every minimisation of the fit, as it was asked for and as it ended."""
    seen: list[Minimised] = []

    def watched(objective: Any, start: Array, **options: Any) -> Any:
        found = minimize(objective, start, **options)
        seen.append(Minimised(objective, found.x, float(found.fun), options["bounds"]))
        return found

    monkeypatch.setattr(scipy.optimize, "minimize", watched)
    return seen


@pytest.fixture(scope="session")
def matrix(train: ComponentValues) -> Array:
    return train.matrix(sqrt)


def random_matrix(seed: int) -> Array:
    return np.random.default_rng(seed).normal(5, 20, (5, len(NAMES)))


# ── the objective ──


def written_out(matrix: Array, ridge: float, w: Array) -> float:
    """Eq. fit, from the paper."""
    response = matrix @ w
    gamma = np.array(PUBLISHED)
    return float(
        -(response @ gamma) / (np.linalg.norm(response) * np.linalg.norm(gamma)) + ridge * sum((w - PRIOR) ** 2)
    )


@pytest.mark.parametrize("ridge", [0.01, 1.0, 10.0])
def test_the_objective_is_the_papers_and_its_slope_is_its_derivative(
    matrix: Array, minimised: list[Minimised], ridge: float
) -> None:
    fit.fit_weights(matrix, ridge)
    rng = np.random.default_rng(0)
    for point in rng.dirichlet(np.ones(len(NAMES)), 20) * rng.uniform(0.2, 3, (20, 1)):
        value, slope = minimised[0].objective(point)
        assert value == pytest.approx(written_out(matrix, ridge, point), abs=1e-12)
        numeric = approx_fprime(point, lambda w: minimised[0].objective(w)[0], 1e-7)
        assert slope == pytest.approx(numeric, rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("value", [0.0, 0.12, 0.5])
def test_the_profile_minimises_the_papers_objective_with_one_weight_tied_to_the_others(
    matrix: Array, minimised: list[Minimised], value: float
) -> None:
    fit.fit_holding_one(matrix, 1.0, QUOTABLE, value)
    rng = np.random.default_rng(1)
    free = [i for i in range(len(NAMES)) if i != QUOTABLE]
    for point in rng.dirichlet(np.ones(len(free)), 20) * rng.uniform(0.2, 3, (20, 1)):
        cost, slope = minimised[0].objective(point)
        w = np.zeros(len(NAMES))
        w[QUOTABLE], w[free] = value / (1 - value) * point.sum(), point
        assert cost == pytest.approx(written_out(matrix, 1.0, w), abs=1e-12)
        numeric = approx_fprime(point, lambda v: minimised[0].objective(v)[0], 1e-7)
        assert slope == pytest.approx(numeric, rel=1e-4, abs=1e-4)


@each_ridge
@each_family
def test_every_fit_ends_where_no_allowed_step_goes_down(
    train: ComponentValues, minimised: list[Minimised], family: str, ridge: float
) -> None:
    fit.fit_weights(train.matrix(FAMILIES[family](train)), ridge)
    best = min(minimised, key=lambda m: m.value)
    _, slope = best.objective(best.x)
    inside = best.x > 0
    assert np.abs(slope[inside]).max() < 1e-6
    assert slope[~inside].min(initial=0.0) > -1e-6


# ── what comes out ──


@each_ridge
@pytest.mark.parametrize("zero", [(), (0,), (QUOTABLE,), (3, 5, 10)])
def test_weights_are_not_negative_sum_to_one_and_are_zero_where_they_are_held(
    matrix: Array, ridge: float, zero: tuple[int, ...]
) -> None:
    for m in (matrix, random_matrix(0), random_matrix(1)):
        fitted = fit.fit_weights(m, ridge, zero=zero)
        assert fitted.weights.min() >= 0
        assert all(fitted.weights[i] == 0.0 for i in zero)
        assert fitted.weights.sum() == pytest.approx(1, abs=1e-12)
        assert fitted.cosine == fit.cosine(m, fitted.weights)
        assert fitted.ridge == ridge


def test_a_profile_holds_its_value_exactly_and_at_zero_leaves_the_component_out(matrix: Array) -> None:
    for held in range(len(NAMES)):
        for value in GRID if held in (0, QUOTABLE, STATISTIC) else (0.0,):
            weights = fit.fit_holding_one(matrix, 1.0, held, value).weights
            assert weights[held] == value
            assert weights.sum() == pytest.approx(1, abs=1e-12)
            assert weights.min() >= 0
        without = fit.fit_weights(matrix, 1.0, zero=(held,)).weights
        assert fit.fit_holding_one(matrix, 1.0, held, 0.0).weights == pytest.approx(without, abs=1e-5)


def test_an_infinite_ridge_gives_the_prior(matrix: Array) -> None:
    distances = [np.abs(fit.fit_weights(matrix, ridge).weights - PRIOR).max() for ridge in (1.0, 1e2, 1e4, 1e6)]
    assert distances == sorted(distances, reverse=True)
    assert distances[-1] < 1e-6


def test_without_a_ridge_no_weighting_aligns_better(matrix: Array) -> None:
    """Over a cone the best cosine is that of the nearest point, which least squares without negatives finds."""
    for m in (matrix, random_matrix(0), random_matrix(1)):
        best, _ = nnls(m, fit.GAMMA)
        assert fit.fit_weights(m, fit.LIMIT).cosine == pytest.approx(fit.cosine(m, best), abs=1e-6)


def test_the_limit_is_the_best_aligned_weighting_nearest_to_the_prior(matrix: Array) -> None:
    """Many align best: the limit of a vanishing ridge is one of them, and the solver's start has no say in it."""
    best, _ = nnls(matrix, fit.GAMMA)
    along = matrix @ best / np.linalg.norm(matrix @ best)
    across = (np.eye(5) - np.outer(along, along)) @ matrix
    nearest, _ = nnls(np.vstack([1e5 * across, np.eye(len(NAMES))]), np.concatenate([np.zeros(5), PRIOR]))
    assert fit.fit_weights(matrix, fit.LIMIT).weights == pytest.approx(nearest / nearest.sum(), abs=1e-3)


@pytest.mark.parametrize("scale", [1e-3, 0.5, 40.0])
def test_the_cosine_does_not_know_the_scale(matrix: Array, scale: float) -> None:
    weights = fit.load_weights("shipped")
    assert fit.cosine(matrix, scale * weights) == pytest.approx(fit.cosine(matrix, weights), abs=1e-12)
    assert fit.cosine(scale * matrix, weights) == pytest.approx(fit.cosine(matrix, weights), abs=1e-12)
    assert fit.fit_weights(scale * matrix, 0.3).weights == pytest.approx(fit.fit_weights(matrix, 0.3).weights, abs=1e-6)


def test_a_matrix_that_answers_nothing_leaves_the_prior() -> None:
    silent = np.zeros((5, len(NAMES)))
    assert fit.fit_weights(silent, 1.0).weights == pytest.approx(PRIOR, abs=1e-9)
    assert fit.cosine(silent, PRIOR) == 0.0
    assert fit.correlate(silent, PRIOR) is None


@each_ridge
@each_family
def test_two_starts_end_where_all_of_them_do(
    train: ComponentValues, monkeypatch: pytest.MonkeyPatch, family: str, ridge: float
) -> None:
    m = train.matrix(FAMILIES[family](train))
    two = fit.fit_weights(m, ridge).weights
    starts = fit._list_starts
    monkeypatch.setattr(fit, "_list_starts", lambda w0, free, ridge: starts(w0, free, 0.0))
    assert len(fit._list_starts(PRIOR, list(range(len(NAMES))), ridge)) == 2 + len(NAMES)
    assert two == pytest.approx(fit.fit_weights(m, ridge).weights, abs=1e-6)


def test_no_profile_is_better_than_the_profile_at_the_best_value(matrix: Array) -> None:
    def cost(w: Array) -> float:
        return written_out(matrix, 1.0, w)

    values = np.linspace(0, 0.5, 26)
    costs = [cost(fit.fit_holding_one(matrix, 1.0, QUOTABLE, float(v)).weights) for v in values]
    best = int(np.argmin(costs))
    # One valley: the cost falls to it and rises after it.
    assert all(a >= b - 1e-9 for a, b in itertools.pairwise(costs[: best + 1]))
    assert all(a <= b + 1e-9 for a, b in itertools.pairwise(costs[best:]))
    simplex = np.random.default_rng(0).dirichlet(np.ones(len(NAMES)), 2000)
    assert min(cost(w) for w in simplex) >= min(costs)


# ── the strength ──


def test_nested_selection_takes_the_strength_that_aligns_best_on_the_other_half(train: ComponentValues) -> None:
    inner, outer = fit.split_inner_halves(train)
    scores = {
        ridge: fit.correlate(outer.matrix(sqrt), fit.fit_weights(inner.matrix(sqrt), ridge).weights) or 0.0
        for ridge in fit.LAMBDAS
    }
    chosen = fit.fit_nested(train, sqrt)
    assert scores[chosen.ridge] >= max(scores.values()) - 1e-6
    assert (chosen.weights == fit.fit_weights(train.matrix(sqrt), chosen.ridge).weights).all()
    # Nothing answers anything: every strength leaves the prior, and the greatest is taken.
    assert fit.fit_nested(synthetic.component_values({}), sqrt).ridge == max(fit.LAMBDAS)


def test_the_inner_halves_do_not_depend_on_the_order_of_the_sources(train: ComponentValues) -> None:
    inner, outer = fit.split_inner_halves(train)
    assert set(inner.sources) | set(outer.sources) == set(train.sources)
    assert not set(inner.sources) & set(outer.sources)
    assert abs(len(inner) - len(outer)) <= 1
    turned = fit.split_inner_halves(train.select(list(range(len(train)))[::-1]))
    assert set(turned[0].sources) == set(inner.sources)


# ── Proposition: the optimum is a plateau ──


def test_weightings_that_differ_by_a_vector_of_the_kernel_align_alike(matrix: Array) -> None:
    found = describe_plateau(matrix)
    assert found["rank"] == np.linalg.matrix_rank(matrix) == 5
    assert found["kernel_dimension"] == 6 == found["at_least"]
    kernel = np.linalg.svd(matrix)[2][found["rank"] :]
    assert len(kernel) == found["kernel_dimension"]
    weights = fit.fit_weights(matrix, 1.0).weights
    for direction in kernel:
        moved = weights + 0.02 * direction
        assert fit.correlate(matrix, moved) == pytest.approx(fit.correlate(matrix, weights), abs=1e-9)
        assert fit.cosine(matrix, moved) == pytest.approx(fit.cosine(matrix, weights), abs=1e-9)
    for rank in range(6):
        rng = np.random.default_rng(rank)
        plateau = describe_plateau(rng.normal(size=(5, rank)) @ rng.normal(size=(rank, len(NAMES))) * 30)
        assert (plateau["rank"], plateau["kernel_dimension"]) == (rank, len(NAMES) - rank)
        assert plateau["kernel_dimension"] >= plateau["at_least"]
    away = np.linalg.svd(matrix)[2][0]
    assert fit.correlate(matrix, weights + 0.02 * away) != pytest.approx(fit.correlate(matrix, weights), abs=1e-6)


def test_a_component_that_answers_nothing_is_called_silent(train: ComponentValues) -> None:
    found = describe_plateau(train.matrix(sqrt))["silent"]
    assert {"mmr_score", "ndcg_score", "semantic_redundancy"} <= set(found)
    assert "quotable_density" not in found


# ── Lemma: from the floor the dose ratio is the square root ──


def dosed(step: float) -> ComponentValues:
    """A lever that adds `step` to its carrier with every dose, from a page that has none of it."""
    floor = {(variant, "quotable_density"): 0.0 for variant in ("base", *(f"neutral_filler-{k}" for k in DOSES))}
    doses = {(f"quotation-{k}", "quotable_density"): min(100.0, k * step) for k in DOSES}
    return synthetic.component_values({**floor, **doses})


@pytest.mark.parametrize("weights", ["shipped", "equal"])
@pytest.mark.parametrize("step", [0.5, 3.0, 12.5, 20.0, 50.0, 100.0])
def test_from_the_floor_the_dose_ratio_is_the_square_root_of_the_dose_until_the_cap_binds(
    step: float, weights: str
) -> None:
    for family, exponent in ((sqrt, 0.5), (raw, 1.0)):
        responses = dosed(step).responses(family, fit.load_weights(weights))
        for dose in DOSES:
            ratio = responses.delta("quotation", dose) / responses.delta("quotation", 1)
            assert ratio == pytest.approx(min(dose, 100 / step) ** exponent, abs=1e-9), (dose, exponent)


# ── families ──


def test_the_square_root_is_the_products_own_transform_and_raw_is_none() -> None:
    values = np.random.default_rng(0).choice([0.0, 12.5, 25.0, 77.7, 100.0], (30, len(NAMES)))
    assert sqrt(values) == pytest.approx(np.array([[transform(v) for v in row] for row in values.tolist()]), abs=1e-12)
    assert (raw(values) == values).all()
    assert power(1.0)(values) == pytest.approx(values, abs=1e-12)


def test_the_quantile_family_is_the_empirical_distribution_of_the_training_pages(train: ComponentValues) -> None:
    transform = fit_quantile(train)
    for variant in ("base", "quotation-1", "keyword_stuffing-8"):
        found = transform(train.values[variant])
        for i in range(len(NAMES)):
            column = train.base[:, i].tolist()
            naive = [100 * sum(v <= x for v in column) / len(column) for x in train.values[variant][:, i].tolist()]
            assert found[:, i].tolist() == pytest.approx(naive, abs=1e-9)
    assert set(transform(np.full((1, len(NAMES)), -1.0))[0]) == {0.0}
    assert set(transform(np.full((1, len(NAMES)), 101.0))[0]) == {100.0}


def test_the_hybrid_has_no_value_at_the_ceiling_for_a_saturated_component() -> None:
    shannon = NAMES.index("shannon_entropy")
    train = synthetic.component_values({("base", "shannon_entropy"): [100.0] * 8 + [90.0] * 4})
    found = fit_hybrid(train)(train.base)
    # Four of twelve lie below and eight share the ceiling: the middle of them is (4 + 12) / 24.
    assert found[:8, shannon] == pytest.approx(transform(100 * 16 / 24), abs=1e-9)
    assert found[8:, shannon] == pytest.approx(transform(100 * 4 / 24), abs=1e-9)
    assert found.max() < 100
    others = [i for i in range(len(NAMES)) if i != shannon]
    assert found[:, others] == pytest.approx(sqrt(train.base)[:, others], abs=1e-12)
    half = synthetic.component_values({("base", "shannon_entropy"): [100.0] * 6 + [90.0] * 6})  # not yet saturated
    assert fit_hybrid(half)(half.base) == pytest.approx(sqrt(half.base), abs=1e-12)


@each_family
def test_a_family_is_read_off_the_training_pages_and_changes_no_input(train: ComponentValues, family: str) -> None:
    transform = FAMILIES[family](train)
    before = train.base.copy()
    found = transform(train.base)
    assert (train.base == before).all()
    assert found.shape == train.base.shape
    assert 0 <= found.min() <= found.max() <= 100
    order = np.argsort(train.base[:, QUOTABLE])
    assert (np.diff(found[order, QUOTABLE]) >= -1e-9).all()
