"""Calibration as constrained alignment (Eq. fit): cosine to the anchors, ridge to the prior, no negative weight."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import scipy  # loads scipy.optimize on first use, which takes half a second

from steelyard.components import NAMES
from steelyard.lab.protocol.anchors import PUBLISHED
from steelyard.lab.protocol.component_values import Array, ComponentValues, Transform
from steelyard.lab.stats.correlation import pearson
from steelyard.scoring import weighting

GAMMA = np.array(PUBLISHED)
LAMBDAS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
# λ → 0: weak enough to cost the cosine nothing (under 1e-9), strong enough to say where on the plateau the fit ends.
# At 1e-9 the silent components kept whatever weight the start had given them.
LIMIT = 1e-5
ZERO = 0.0005  # a smaller weight is printed as 0.000, and counts as zero
_TINY = 1e-12
# Under a weak ridge the slope is all but flat: at scipy's own tolerance (1e-5) a weight was 0.0003 from its place.
_PRECISION = {"maxiter": 2000, "ftol": 1e-15, "gtol": 1e-9}
Bound = tuple[float, float | None]


@dataclass(frozen=True)
class Fit:
    """Weights that sum to one, the ridge strength, and the cosine they reach on the sources they were fitted to."""

    weights: Array
    ridge: float
    cosine: float


def load_weights(name: str) -> Array:
    """Load one of the project's weightings in the order of the components."""
    weights = weighting.load(name).weights
    return np.array([weights[n] for n in NAMES])


def cosine(matrix: Array, weights: Array, gamma: Array = GAMMA) -> float:
    response = matrix @ weights
    length = float(np.linalg.norm(response) * np.linalg.norm(gamma))
    return float(response @ gamma) / length if length > _TINY else 0.0


def correlate(matrix: Array, weights: Array, gamma: Array = GAMMA) -> float | None:
    """Return Pearson's correlation of the responses with the anchors."""
    return pearson((matrix @ weights).tolist(), gamma.tolist())


def fit_weights(matrix: Array, ridge: float, *, zero: tuple[int, ...] = (), gamma: Array = GAMMA) -> Fit:
    """Solve Eq. fit from several starts.

    Args:
        matrix: Mean responses, intervention x component.
        ridge: Strength of the pull to the prior.
        zero: Components whose weight is held at 0.
        gamma: The anchors, one per row of the matrix.
    """
    prior = load_weights("prior")
    free = [i for i in range(len(prior)) if i not in zero]
    bounds: list[Bound] = [(0.0, None) if i in free else (0.0, 0.0) for i in range(len(prior))]
    best = _minimize(lambda w: _cost(matrix, w, ridge, prior, gamma), _list_starts(prior, free, ridge), bounds)
    weights = best / best.sum()
    return Fit(weights, ridge, cosine(matrix, weights, gamma))


def fit_correlation(matrix: Array) -> Fit:
    """Fit to the anchors by Pearson's correlation instead of the cosine, with no more ridge than picks one point.

    Pearson's correlation is the cosine of centred responses and anchors: the responses may differ from the anchors by
    a constant as well as by a factor.
    """
    return fit_weights(matrix - matrix.mean(axis=0), LIMIT, gamma=GAMMA - GAMMA.mean())


def fit_holding_one(matrix: Array, ridge: float, held: int, value: float) -> Fit:
    """Solve Eq. fit with one weight held at a share of the sum; a share of 0 leaves the component out.

    w_i = c / (1 - c) times the sum of the others, so that c is the weight after normalisation and the ridge still
    acts at the unnormalised scale, as in Eq. fit.
    """
    prior = load_weights("prior")
    free = [i for i in range(len(prior)) if i != held]
    ratio = value / (1 - value)

    def add_held_weight(v: Array) -> Array:
        w = np.zeros(len(prior))
        w[free] = v
        w[held] = ratio * v.sum()
        return w

    def objective(v: Array) -> tuple[float, Array]:
        cost, slope = _cost(matrix, add_held_weight(v), ridge, prior, GAMMA)
        return cost, slope[free] + ratio * slope[held]

    starts = [start[free] for start in _list_starts(prior, free, ridge)]
    best = add_held_weight(_minimize(objective, starts, [(0.0, None)] * len(free)))
    weights = best / best.sum()
    weights[held] = value  # exact to the last bit: it labels the profile
    return Fit(weights, ridge, cosine(matrix, weights))


def fit_nested(
    train: ComponentValues, transform: Transform, *, zero: tuple[int, ...] = (), gamma: Array = GAMMA
) -> Fit:
    """Fit on all training sources with the ridge that aligns best on an inner half it was not fitted on.

    Of ridges that align equally well the strongest wins: the prior is given up only for cause. `gamma` may hold the
    anchors of the first interventions alone.
    """
    rows = len(gamma)
    fitted, held_out = (half.matrix(transform)[:rows] for half in split_inner_halves(train))

    def alignment(ridge: float) -> float:
        return correlate(held_out, fit_weights(fitted, ridge, zero=zero, gamma=gamma).weights, gamma) or -1.0

    best = max(LAMBDAS, key=lambda ridge: (round(alignment(ridge), 6), ridge))
    return fit_weights(train.matrix(transform)[:rows], best, zero=zero, gamma=gamma)


def split_inner_halves(values: ComponentValues) -> tuple[ComponentValues, ComponentValues]:
    """Split in two by the hash of the source's name: the same for every family and every run."""
    order = sorted(range(len(values)), key=lambda i: hashlib.sha256(values.sources[i].encode()).digest())
    middle = len(order) // 2
    return values.select(sorted(order[:middle])), values.select(sorted(order[middle:]))


def _cost(matrix: Array, w: Array, ridge: float, prior: Array, anchors: Array) -> tuple[float, Array]:
    """Return the negative cosine plus the ridge term, and its gradient."""
    response = matrix @ w
    length, wanted = float(np.linalg.norm(response)), np.linalg.norm(anchors)
    value, slope = 0.0, np.zeros_like(w)
    if length >= _TINY and wanted >= _TINY:
        gamma = anchors / wanted
        value = -float(response @ gamma) / length
        slope = -matrix.T @ (gamma / length + value * response / length**2)
    return value + ridge * float((w - prior) @ (w - prior)), slope + 2 * ridge * (w - prior)


def _list_starts(prior: Array, free: Sequence[int], ridge: float) -> list[Array]:
    """Return the prior and the even weighting; under a very weak ridge also one start per leading component.

    The cosine alone is not convex. From the weakest ridge of the grid on all starts end in one point: a test
    compares them.
    """
    even = np.zeros(len(prior))
    even[free] = 1 / len(free)
    start = np.where(even > 0, prior, 0.0)
    corners = 0.5 * even + 0.5 * np.eye(len(prior))[free]
    return [start, even, *(corners if ridge < min(LAMBDAS) else ())]


def _minimize(
    objective: Callable[[Array], tuple[float, Array]], starts: Sequence[Array], bounds: Sequence[Bound]
) -> Array:
    """Return the best of the local minima; the first of equals, so that runs agree."""
    best, lowest = starts[0], np.inf
    for start in starts:
        end = scipy.optimize.minimize(objective, start, jac=True, method="L-BFGS-B", bounds=bounds, options=_PRECISION)
        if end.fun < lowest - 1e-10 and end.x.sum() > _TINY:
            best, lowest = np.maximum(end.x, 0.0), float(end.fun)
    return best
