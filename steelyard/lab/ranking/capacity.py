"""How far the figure of LambdaMART depends on its size: a check of sensitivity, by which nothing is selected."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from steelyard.components.arithmetic.numbers import mean
from steelyard.lab.ranking import models
from steelyard.lab.ranking.evaluate import SPEARMAN, Scores, evaluate
from steelyard.lab.ranking.folds import make_query_folds
from steelyard.lab.ranking.prepare import PreparedData

LEAVES = (7, 15, 31)  # and half, all and double the fixed number of trees: the paper's grid


def measure_capacity(prepared: PreparedData, names: Sequence[str], seed: int) -> dict[str, Any]:
    """Return the mean Spearman on unseen queries for every number of trees and leaves, on one shuffle of the folds.

    Trees are added one by one, so that the first 100 of 400 are the fit with 100 trees.
    """
    numbers = (models.TREES // 2, models.TREES, models.TREES * 2)
    scores: dict[str, Scores] = {f"{trees}x{leaves}": {} for trees in numbers for leaves in LEAVES}
    rows, data = prepared.select_columns(names), prepared.data
    for fold in make_query_folds(data.queries, seed=seed):
        train, test = fold.train(data), fold.test(data)
        known, truth = [rows[i] for i in train], [prepared.truth[i] for i in train]
        for leaves in LEAVES:
            booster = models.fit_booster(known, truth, seed, trees=numbers[-1], leaves=leaves)
            for trees in numbers:
                for i in test:
                    scores[f"{trees}x{leaves}"][i] = booster.predict(rows[i], num_iteration=trees, num_threads=1)
    cells = {size: mean(evaluate(prepared, found, (SPEARMAN,)).values()) for size, found in scores.items()}
    return {
        "n": len(data.queries),
        "trees": list(numbers),
        "leaves": list(LEAVES),
        "cells": cells,
        "low": min(cells.values()),
        "high": max(cells.values()),
        "fixed": f"{models.TREES}x{models.LEAVES}",
    }
