"""Calibration as constrained alignment (Eq. fit): cosine to the anchors, ridge to the prior, no negative weight."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from steelyard.components import NAMES
from steelyard.lab.protocol.anchors import PUBLISHED
from steelyard.lab.protocol.readings import Array, Readings, Transform
from steelyard.lab.stats.correlation import pearson
from steelyard.scoring import weighting

GAMMA = np.array(PUBLISHED)
LAMBDAS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
_TINY = 1e-12
# Under a weak ridge the slope is all but flat: at scipy's own tolerance (1e-5) a weight was 0.0003 from its place.
_PRECISION = {"maxiter": 2000, "ftol": 1e-15, "gtol": 1e-9}
Bound = tuple[float, float | None]


def vector(name: str) -> Array:
    """One of the project's weightings in the order of the components."""
    weights = weighting.load(name).weights
    return np.array([weights[n] for n in NAMES])


@dataclass(frozen=True)
class Fit:
    """Weights that sum to one, the strength they were fitted under, and the cosine they reach on the fitted sources."""

    weights: Array
    ridge: float
    cosine: float


def cosine(matrix: Array, weights: Array, gamma: Array = GAMMA) -> float:
    response = matrix @ weights
    length = float(np.linalg.norm(response) * np.linalg.norm(gamma))
    return float(response @ gamma) / length if length > _TINY else 0.0


def fit(
    matrix: Array, ridge: float, *, zero: tuple[int, ...] = (), prior: Array | None = None, gamma: Array = GAMMA
) -> Fit:
    """Eq. fit from several starts; `zero` holds some weights at 0. `gamma` are the anchors, one for a row."""
    w0 = vector("prior") if prior is None else prior
    bounds: list[Bound] = [(0.0, 0.0) if i in zero else (0.0, None) for i in range(len(w0))]

    def objective(w: Array) -> tuple[float, Array]:
        value, slope = _negative_cosine(matrix, w, gamma)
        return value + ridge * float((w - w0) @ (w - w0)), slope + 2 * ridge * (w - w0)

    free = [i for i in range(len(w0)) if i not in zero]
    best = _lowest(objective, _starts(w0, free, ridge), bounds)
    weights = best / best.sum()
    return Fit(weights, ridge, cosine(matrix, weights, gamma))


def profile(matrix: Array, ridge: float, held: int, value: float) -> Fit:
    """The same with one weight held at a share of the sum and the others refitted; at 0 it is leaving the weight out.

    w_i = c / (1 - c) times the sum of the others, so that c is the weight after normalisation and the ridge still
    acts at the unnormalised scale, as in Eq. fit.
    """
    w0 = vector("prior")
    free = [i for i in range(len(w0)) if i != held]
    ratio = value / (1 - value)

    def spread(v: Array) -> Array:
        w = np.zeros(len(w0))
        w[free] = v
        w[held] = ratio * v.sum()
        return w

    def objective(v: Array) -> tuple[float, Array]:
        w = spread(v)
        cost, slope = _negative_cosine(matrix, w)
        slope = slope + 2 * ridge * (w - w0)
        return cost + ridge * float((w - w0) @ (w - w0)), slope[free] + ratio * slope[held]

    starts = [start[free] for start in _starts(w0, free, ridge)]
    best = spread(_lowest(objective, starts, [(0.0, None)] * len(free)))
    weights = best / best.sum()
    weights[held] = value  # to the last bit: it is what the profile is of
    return Fit(weights, ridge, cosine(matrix, weights))


def _negative_cosine(matrix: Array, w: Array, anchors: Array = GAMMA) -> tuple[float, Array]:
    response = matrix @ w
    length, wanted = float(np.linalg.norm(response)), np.linalg.norm(anchors)
    if length < _TINY or wanted < _TINY:
        return 0.0, np.zeros_like(w)
    gamma = anchors / wanted
    value = float(response @ gamma) / length
    return -value, -matrix.T @ (gamma / length - value * response / length**2)


def _starts(w0: Array, free: list[int], ridge: float) -> list[Array]:
    """The prior and the even weighting; where hardly any ridge holds the fit, every component leading too.

    The cosine alone is not convex. From the weakest strength of the grid on all starts end in one point: a test
    compares them.
    """
    even = np.zeros(len(w0))
    even[free] = 1 / len(free)
    corners = []
    for i in free:
        corner = 0.5 * even
        corner[i] += 0.5
        corners.append(corner)
    start = w0.copy()
    start[[i for i in range(len(w0)) if i not in free]] = 0.0
    return [start, even, *(corners if ridge < min(LAMBDAS) else ())]


def _lowest(objective: object, starts: list[Array], bounds: list[Bound]) -> Array:
    """The best of the local minima; the first of equals, so that runs agree."""
    best, lowest = starts[0], np.inf
    for start in starts:
        found = minimize(objective, start, jac=True, method="L-BFGS-B", bounds=bounds, options=_PRECISION)
        if found.fun < lowest - 1e-10 and found.x.sum() > _TINY:
            best, lowest = np.maximum(found.x, 0.0), float(found.fun)
    return best


def alignment(matrix: Array, weights: Array, gamma: Array = GAMMA) -> float | None:
    """Pearson correlation of the responses with the anchors."""
    return pearson((matrix @ weights).tolist(), gamma.tolist())


def nested(train: Readings, transform: Transform, *, zero: tuple[int, ...] = (), gamma: Array = GAMMA) -> Fit:
    """The fit on all training sources with the strength that aligns best on an inner half it was not fitted on.

    Of strengths that align equally well the greater one: the prior is given up only for cause. `gamma` may hold the
    anchors of the first interventions alone.
    """
    inner, outer = halves(train)
    rows = len(gamma)
    fitted, held_out = inner.matrix(transform)[:rows], outer.matrix(transform)[:rows]

    def score(ridge: float) -> float:
        return alignment(held_out, fit(fitted, ridge, zero=zero, gamma=gamma).weights, gamma) or -1.0

    best = max(sorted(LAMBDAS), key=lambda ridge: (round(score(ridge), 6), ridge))
    return fit(train.matrix(transform)[:rows], best, zero=zero, gamma=gamma)


def halves(readings: Readings) -> tuple[Readings, Readings]:
    """Two halves by the hash of the source's name: the same for every family and every run."""
    order = sorted(range(len(readings)), key=lambda i: hashlib.sha256(readings.sources[i].encode()).digest())
    middle = len(order) // 2
    return readings.part(sorted(order[:middle])), readings.part(sorted(order[middle:]))
