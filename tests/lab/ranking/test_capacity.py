"""The grid of trees and leaves: every cell is the fit it is said to be, on the folds of all other figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from steelyard.components.arithmetic.numbers import mean
from steelyard.lab.ranking import models
from steelyard.lab.ranking.evaluate import run_trial
from steelyard.lab.ranking.models import LAMBDAMART, Model, Predict
from steelyard.lab.ranking.prepare import Array
from steelyard.lab.ranking.study import LEAVES, measure_capacity
from tests.lab.ranking.sample_data import invent_data

# A leaf has 20 sources or more, so that fewer queries would never have 31 leaves.
MADE = invent_data(130, signal={"a": 1.0}, own=1.5, names=("a", "b", "c"))


@pytest.fixture(autouse=True)
def _few_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "TREES", 8)


def test_the_shipped_grid_has_the_corners_of_the_paper(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    assert (models.TREES // 2, models.TREES * 2) == (100, 400)
    assert (LEAVES[0], LEAVES[-1]) == (7, 31)
    assert models.LEAVES in LEAVES


def test_a_cell_is_the_fit_with_so_many_trees_and_leaves() -> None:
    found = measure_capacity(MADE, MADE.names, 3)["cells"]
    assert len(set(found.values())) == 9, "sizes matter on these data"
    for trees in (4, 8, 16):
        for leaves in LEAVES:

            def fit(rows: Sequence[Array], truth: Sequence[Array], seed: int, size: Any = (trees, leaves)) -> Predict:
                booster = models.fit_booster(rows, truth, seed, trees=size[0], leaves=size[1])
                return lambda new: np.asarray(booster.predict(new, num_threads=1))

            alone = run_trial(MADE, MADE.names, Model("sized", fit), seeds=(3,))
            assert found[f"{trees}x{leaves}"] == mean(alone.first.values())


def test_the_range_is_that_of_the_cells_and_the_fixed_setting_is_the_model_of_all_other_figures() -> None:
    found = measure_capacity(MADE, MADE.names, 1)
    cells = found["cells"]
    assert (found["trees"], found["leaves"], found["n"], found["fixed"]) == ([4, 8, 16], [7, 15, 31], 130, "8x15")
    assert list(cells) == [f"{t}x{n}" for t in (4, 8, 16) for n in LEAVES]
    assert (found["low"], found["high"]) == (min(cells.values()), max(cells.values()))
    assert cells["8x15"] == mean(run_trial(MADE, MADE.names, LAMBDAMART, seeds=(1,)).first.values())
