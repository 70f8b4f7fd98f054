"""The models, with settings that were fixed before any evaluation. All are deterministic and use one thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy  # loads scipy.optimize on first use, which takes half a second

from steelyard.errors import MissingExtra
from steelyard.lab.ranking.prepare import Array

Predict = Callable[[Array], Array]
TREES, LEAVES, RATE = 200, 15, 0.03  # the paper's
RIDGE = 1.0
PAIRWISE = 1.0
MAX_GRADES = 30  # LightGBM's table of gains ends there
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
    """A name, and a function that fits rows and truth of the training groups and returns one from rows to scores."""

    name: str
    fit: Callable[[Sequence[Array], Sequence[Array], int], Predict]


def centre(truth: Sequence[Array]) -> Array:
    """Subtract the mean visibility of each group: what a group has in common cannot be predicted from its sources."""
    return np.concatenate([t - t.mean() for t in truth])


def _standardise(rows: Sequence[Array]) -> tuple[Array, Array, Array]:
    stacked = np.concatenate(list(rows))
    mean, spread = stacked.mean(axis=0), stacked.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    return (stacked - mean) / spread, mean, spread


def fit_ridge(rows: Sequence[Array], truth: Sequence[Array], seed: int) -> Predict:
    x, mean, spread = _standardise(rows)
    weights = np.linalg.solve(x.T @ x + RIDGE * np.eye(x.shape[1]), x.T @ centre(truth))
    return lambda new: ((new - mean) / spread) @ weights


def fit_pairwise(rows: Sequence[Array], truth: Sequence[Array], seed: int) -> Predict:
    """Fit a logistic regression to the differences of all pairs in a group that are not equally visible."""
    _, mean, spread = _standardise(rows)
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

    weights: Array = scipy.optimize.minimize(cost, np.zeros(pairs.shape[1]), jac=True, method="L-BFGS-B").x
    return lambda new: ((new - mean) / spread) @ weights


def _train_trees(settings: dict[str, Any], rows: Sequence[Array], labels: Array, trees: int, **options: Any) -> Any:
    lightgbm = import_lightgbm()
    data = lightgbm.Dataset(np.concatenate(list(rows)), labels, params={"verbosity": -1}, **options)
    return lightgbm.train({**TREE_SETTINGS, **settings}, data, trees)


def fit_gbm(rows: Sequence[Array], truth: Sequence[Array], seed: int) -> Predict:
    booster = _train_trees({"objective": "regression", "seed": seed}, rows, centre(truth), TREES)
    return lambda new: np.asarray(booster.predict(new, num_threads=1))


def fit_lambdamart(rows: Sequence[Array], truth: Sequence[Array], seed: int) -> Predict:
    booster = fit_booster(rows, truth, seed)
    return lambda new: np.asarray(booster.predict(new, num_threads=1))


def fit_booster(
    rows: Sequence[Array],
    truth: Sequence[Array],
    seed: int,
    names: Sequence[str] | None = None,
    *,
    trees: int | None = None,
    leaves: int = LEAVES,
) -> Any:
    """Fit LightGBM's ranker to the order within each group, with TREES trees unless told otherwise."""
    labels, sizes = np.concatenate([grade(t) for t in truth]), [len(t) for t in truth]
    settings = {"objective": "lambdarank", "seed": seed, "num_leaves": leaves}
    feature_names = list(names) if names else "auto"
    return _train_trees(settings, rows, labels, trees or TREES, group=sizes, feature_name=feature_names)


def grade(truth: Array) -> Array:
    """Return for every source the number of less visible ones in its group, at most 30."""
    below: Array = (truth[:, None] > truth[None, :]).sum(axis=1)
    return np.minimum(below, MAX_GRADES)


def import_lightgbm() -> Any:
    try:
        import lightgbm
    except ImportError as error:
        raise MissingExtra("rank", "lightgbm") from error
    return lightgbm


RIDGE_MODEL = Model("ridge", fit_ridge)
PAIRWISE_MODEL = Model("pairwise logistic", fit_pairwise)
GBM_MODEL = Model("GBM", fit_gbm)
LAMBDAMART = Model("LambdaMART", fit_lambdamart)
