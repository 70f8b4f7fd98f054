"""The models, each with its settings fixed before anything was evaluated. All are deterministic and use one thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize

from steelyard.errors import MissingExtra
from steelyard.lab.ranking.prepare import Array

Predict = Callable[[Array], Array]
TREES, LEAVES, RATE = 200, 15, 0.03  # the paper's
RIDGE = 1.0
PAIRWISE = 1.0
MOST_GRADES = 30  # LightGBM's table of gains ends there
TREE_SETTINGS: dict[str, Any] = {
    "num_leaves": LEAVES,
    "learning_rate": RATE,
    "min_data_in_leaf": 20,
    "num_threads": 1,
    "deterministic": True,
    "force_row_wise": True,
    "verbosity": -1,
}


@dataclass(frozen=True, slots=True)
class Model:
    """How a model is fitted: rows and truth of the training groups in, a function from rows to scores out."""

    name: str
    fit: Callable[[Sequence[Array], Sequence[Array], int], Predict]


def centred(truth: Sequence[Array]) -> Array:
    """Visibility less its mean within the group: what is common to a group cannot be predicted from its sources."""
    return np.concatenate([t - t.mean() for t in truth])


def _scaled(rows: Sequence[Array]) -> tuple[Array, Array, Array]:
    stacked = np.concatenate(list(rows))
    mean, spread = stacked.mean(axis=0), stacked.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    return (stacked - mean) / spread, mean, spread


def ridge(rows: Sequence[Array], truth: Sequence[Array], seed: int) -> Predict:
    x, mean, spread = _scaled(rows)
    weights = np.linalg.solve(x.T @ x + RIDGE * np.eye(x.shape[1]), x.T @ centred(truth))
    return lambda new: ((new - mean) / spread) @ weights


def pairwise(rows: Sequence[Array], truth: Sequence[Array], seed: int) -> Predict:
    """Logistic regression on the difference of every pair of sources of a group that are not equally visible."""
    _, mean, spread = _scaled(rows)
    differences = []
    for x, y in zip(rows, truth, strict=True):
        more, less = np.nonzero(y[:, None] > y[None, :])
        differences.append((x[more] - x[less]) / spread)
    pairs = np.concatenate(differences)

    def cost(w: Array) -> tuple[float, Array]:
        margin = pairs @ w
        slope = -1.0 / (1.0 + np.exp(np.clip(margin, -50, 50)))
        value = float(np.logaddexp(0.0, -margin).sum() + 0.5 * PAIRWISE * w @ w)
        return value, pairs.T @ slope + PAIRWISE * w

    found = minimize(cost, np.zeros(pairs.shape[1]), jac=True, method="L-BFGS-B")
    weights: Array = found.x
    return lambda new: ((new - mean) / spread) @ weights


def gbm(rows: Sequence[Array], truth: Sequence[Array], seed: int) -> Predict:
    lightgbm = library()
    data = lightgbm.Dataset(np.concatenate(list(rows)), centred(truth), params={"verbosity": -1})
    booster = lightgbm.train({**TREE_SETTINGS, "objective": "regression", "seed": seed}, data, TREES)
    return lambda new: np.asarray(booster.predict(new, num_threads=1))


def lambdamart(rows: Sequence[Array], truth: Sequence[Array], seed: int) -> Predict:
    booster = boosted(rows, truth, seed)
    return lambda new: np.asarray(booster.predict(new, num_threads=1))


def boosted(rows: Sequence[Array], truth: Sequence[Array], seed: int, names: Sequence[str] | None = None) -> Any:
    """LightGBM's ranker, fitted to the order within each group."""
    lightgbm = library()
    labels = np.concatenate([grades(t) for t in truth])
    data = lightgbm.Dataset(
        np.concatenate(list(rows)),
        labels,
        group=[len(t) for t in truth],
        feature_name=list(names) if names else "auto",
        params={"verbosity": -1},
    )
    return lightgbm.train({**TREE_SETTINGS, "objective": "lambdarank", "seed": seed}, data, TREES)


def grades(truth: Array) -> Array:
    """The number of less visible sources of the group, as equal steps up to 30."""
    below: Array = (truth[:, None] > truth[None, :]).sum(axis=1)
    return np.minimum(below, MOST_GRADES)


def library() -> Any:
    try:
        import lightgbm
    except ImportError as error:
        raise MissingExtra("rank", "lightgbm") from error
    return lightgbm


RIDGE_MODEL = Model("ridge", ridge)
PAIRWISE_MODEL = Model("pairwise logistic", pairwise)
GBM_MODEL = Model("GBM", gbm)
LAMBDAMART = Model("LambdaMART", lambdamart)
MODELS = (RIDGE_MODEL, PAIRWISE_MODEL, GBM_MODEL, LAMBDAMART)
