"""The models: the linear ones against scikit-learn, the trees for their bytes, all for finding what is there."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge

from steelyard.components.arithmetic.numbers import mean
from steelyard.errors import MissingExtra
from steelyard.lab.ranking import models
from steelyard.lab.ranking.evaluate import run_trial
from steelyard.lab.ranking.models import PAIRWISE, RIDGE, Model, centre, fit_booster, fit_pairwise, fit_ridge, grade
from steelyard.lab.ranking.prepare import Array, PreparedData
from tests.conftest import ROOT
from tests.lab.ranking.sample_data import invent_data

MODELS = (models.RIDGE_MODEL, models.PAIRWISE_MODEL, models.GBM_MODEL, models.LAMBDAMART)
FEATURES = ("a", "b", "c", "constant")


def small(queries: int = 25) -> PreparedData:
    """Features of different sizes, one of which never changes; two sources of each group are equally visible."""
    made = invent_data(queries, signal={"a": 1.0, "b": -0.5}, names=FEATURES, sources=4)
    rows, truth = [], []
    for x, y in zip(made.rows, made.truth, strict=True):
        rows.append(x * [1.0, 20.0, 0.01, 0.0] + [0.0, 300.0, 5.0, 7.0])
        truth.append(np.array([y[0], y[1], y[2], y[2]]))
    return PreparedData(made.data, made.names, tuple(rows), tuple(truth))


@pytest.fixture
def boosters(monkeypatch: pytest.MonkeyPatch) -> list[tuple[dict[str, Any], Any]]:
    """Everything that LightGBM trains, with its settings; fewer trees than usual."""
    lightgbm = models.import_lightgbm()
    train = lightgbm.train
    seen: list[tuple[dict[str, Any], Any]] = []

    def recorded(settings: dict[str, Any], *arguments: Any) -> Any:
        seen.append((settings, train(settings, *arguments)))
        return seen[-1][1]

    monkeypatch.setattr(lightgbm, "train", recorded)
    monkeypatch.setattr(models, "TREES", 20)
    return seen


def standardise(made: PreparedData) -> tuple[Array, Array, Array]:
    stacked = np.concatenate(made.rows)
    mean_, spread = stacked.mean(axis=0), stacked.std(axis=0)
    return stacked, mean_, np.where(spread > 0, spread, 1.0)


def test_ridge_is_that_of_scikit_learn() -> None:
    made = small()
    stacked, middle, spread = standardise(made)
    theirs = Ridge(alpha=RIDGE, fit_intercept=False).fit((stacked - middle) / spread, centre(made.truth))
    new = made.rows[3] * 1.1
    ours = fit_ridge(made.rows, made.truth, 0)(new)
    assert ours == pytest.approx(theirs.predict((new - middle) / spread), abs=1e-10)
    assert np.ptp(ours) > 0.01


def test_pairwise_logistic_is_that_of_scikit_learn_on_the_differences() -> None:
    made = small()
    _, middle, spread = standardise(made)
    differences = np.array([
        (x[i] - x[j]) / spread
        for x, y in zip(made.rows, made.truth, strict=True)
        for i in range(len(y)) for j in range(len(y)) if y[i] > y[j]
    ])  # fmt: skip
    assert len(differences) == 25 * 5, "of six pairs one is a tie"
    # A difference turned round is a loss instead of a win; scikit-learn wants both.
    turned = np.where(np.arange(len(differences)) % 2, 1, -1)
    theirs = LogisticRegression(C=1 / PAIRWISE, fit_intercept=False, tol=1e-10, max_iter=10_000)
    theirs.fit(differences * turned[:, None], turned > 0)
    new = made.rows[3]
    ours = fit_pairwise(made.rows, made.truth, 0)(new)
    assert ours == pytest.approx(((new - middle) / spread) @ theirs.coef_[0], abs=1e-3)
    assert np.ptp(ours) > 0.1


def test_a_training_set_without_pairs_ranks_nothing() -> None:
    flat = [np.full(3, 1 / 3)] * 4
    rows = [np.random.default_rng(i).standard_normal((3, 2)) for i in range(4)]
    for fit in (fit_ridge, fit_pairwise):
        assert fit(rows, flat, 0)(rows[0]) == pytest.approx(np.zeros(3))


def test_a_column_that_never_changes_is_no_obstacle(boosters: list[Any]) -> None:
    made = small()
    for model in MODELS:
        found = model.fit(made.rows, made.truth, 0)(made.rows[0])
        assert found.shape == (4,), model.name
        assert np.isfinite(found).all(), model.name


def test_visibility_is_centred_within_its_group() -> None:
    assert centre([np.array([0.5, 0.3, 0.2, 0.0]), np.array([1.0, 0.0])]) == pytest.approx([
        0.25, 0.05, -0.05, -0.25, 0.5, -0.5
    ])  # fmt: skip


def test_a_grade_is_the_number_of_less_visible_sources() -> None:
    for truth, expected in [
        ([0.5, 0.2, 0.2, 0.1], [3, 1, 1, 0]),
        ([0.0, 0.0, 1.0], [0, 0, 2]),
        ([0.25] * 4, [0] * 4),
        ([0.1], [0]),
    ]:
        assert grade(np.array(truth)).tolist() == expected, truth


def test_grades_end_where_the_table_of_gains_does(boosters: list[Any]) -> None:
    many = np.arange(45) / 1000
    assert grade(many).tolist() == [*range(30), *[30] * 15]
    rows = np.random.default_rng(0).standard_normal((45, 2))
    assert np.isfinite(models.fit_lambdamart([rows], [many], 0)(rows)).all()


@pytest.mark.parametrize("model", [models.GBM_MODEL, models.LAMBDAMART], ids=lambda m: m.name)
def test_the_same_seed_gives_the_same_bytes_on_one_thread(model: Model, boosters: list[Any]) -> None:
    made = small()
    first, again = (model.fit(made.rows, made.truth, 3) for _ in range(2))
    (settings, one), (_, two) = boosters
    assert one.model_to_string() == two.model_to_string()
    assert first(made.rows[0]).tobytes() == again(made.rows[0]).tobytes()
    assert one.num_trees() == 20
    assert {"num_threads": 1, "deterministic": True, "seed": 3, "num_leaves": 15, "learning_rate": 0.03}.items() <= (
        settings.items()
    )
    assert "[num_threads: 1]" in one.model_to_string()


def test_a_booster_knows_its_features_by_name(boosters: list[Any]) -> None:
    made = small()
    assert fit_booster(made.rows, made.truth, 0, made.names).feature_name() == list(made.names)
    assert fit_booster(made.rows, made.truth, 0).feature_name() == ["Column_0", "Column_1", "Column_2", "Column_3"]


def test_without_lightgbm_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    with pytest.raises(MissingExtra, match=r"pip install 'steelyard\[rank\]'"):
        models.import_lightgbm()


@pytest.mark.full
def test_threads_and_hash_seeds_do_not_change_a_model() -> None:
    code = (
        "import hashlib\nfrom tests.lab.ranking.test_models import small\n"
        "from steelyard.lab.ranking.models import fit_booster\n"
        "made = small(60)\nmodel = fit_booster(made.rows, made.truth, 0).model_to_string()\n"
        "print(hashlib.sha256(model.encode()).hexdigest())"
    )
    made = small(60)
    expected = hashlib.sha256(fit_booster(made.rows, made.truth, 0).model_to_string().encode()).hexdigest()
    for threads, seed in (("1", "1"), ("2", "2")):
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env={**os.environ, "OMP_NUM_THREADS": threads, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.strip() == expected


def spearman(made: PreparedData, model: Model) -> float:
    """The mean over queries, each predicted by a model that saw none of its answers."""
    return mean(run_trial(made, made.names, model, seeds=(0,)).first.values())


def test_a_planted_signal_is_found_on_queries_that_were_held_out_and_noise_is_not_learnt(boosters: list[Any]) -> None:
    """Over 60 queries of five sources the mean of chance has a standard deviation of 0.065."""
    planted = invent_data(40, signal={"b": 2.0}, own=0.5, names=("a", "b", "c"))
    noise = invent_data(60, names=("a", "b", "c"))
    for model in MODELS:
        assert spearman(planted, model) > 0.75, model.name
        assert abs(spearman(noise, model)) < 0.2, model.name
