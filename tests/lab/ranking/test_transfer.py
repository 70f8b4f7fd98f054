"""One engine left out: memory of a query carries over from engine to engine, and is gone when its queries go too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from steelyard.lab.ranking import models
from steelyard.lab.ranking.dataset import FOLDS
from steelyard.lab.ranking.models import LAMBDAMART, Model, Predict
from steelyard.lab.ranking.prepare import Array, PreparedData
from steelyard.lab.ranking.study import ENGINE_ONLY, MIN_GROUPS, STRICT, measure_transfer
from tests.lab.ranking.sample_data import MEMORY, group, invent_data, prepared

FEATURES = ("a", "b", "c", "d")


def measure(made: PreparedData, model: Model = MEMORY, **options: Any) -> dict[str, Any]:
    found = measure_transfer(made, made.names, model, **{"draws": 20, **options})
    assert found is not None
    return found


def label_rows(made: PreparedData) -> PreparedData:
    """The first two features tell query and engine, so that a model sees whom it is trained on."""
    rows = [x.copy() for x in made.rows]
    for x, g in zip(rows, made.data.groups, strict=True):
        x[:, 0] = int(g.query_id.removeprefix("q"))
        x[:, 1] = int(g.engine.removeprefix("engine "))
    return PreparedData(made.data, made.names, tuple(rows), made.truth)


def test_memory_of_a_query_counts_in_one_regime_and_not_in_the_other() -> None:
    found = measure(invent_data(40, 3, common=1.0, own=0.0, names=FEATURES))
    assert found["order"] == ["engine 0", "engine 1", "engine 2"]
    for engine in found["engines"].values():
        assert engine[ENGINE_ONLY]["spearman"]["mean"] == pytest.approx(1.0)
        assert abs(engine[STRICT]["spearman"]["mean"]) < 0.25
        assert (engine["groups"], engine["shared_queries"]) == (40, 40)
        assert engine[ENGINE_ONLY]["spearman"]["n"] == engine[STRICT]["spearman"]["n"] == 40
    assert found["means"][ENGINE_ONLY] == pytest.approx(1.0)
    assert abs(found["means"][STRICT]) < 0.15


def test_trees_remember_too_and_what_the_features_say_survives_both_regimes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "TREES", 60)
    found = measure(invent_data(50, 2, common=1.0, own=0.0, names=FEATURES), LAMBDAMART)
    assert found["means"][ENGINE_ONLY] > 0.6
    assert abs(found["means"][STRICT]) < 0.25
    monkeypatch.setattr(models, "TREES", 30)
    found = measure(invent_data(40, 2, signal={"a": 2.0}, own=0.3, names=FEATURES), LAMBDAMART)
    assert found["means"][ENGINE_ONLY] > 0.75
    assert found["means"][STRICT] > 0.75


def test_neither_the_engine_nor_in_the_strict_regime_its_queries_are_trained_on() -> None:
    made = label_rows(invent_data(23, 3, names=FEATURES))
    fits: list[tuple[set[int], set[int], set[int], set[int]]] = []

    def fit(rows: Sequence[Array], truth: Sequence[Array], seed: int) -> Predict:
        tested: set[int] = set()
        engines: set[int] = set()
        fits.append(({int(x[0, 0]) for x in rows}, {int(x[0, 1]) for x in rows}, tested, engines))

        def predict(new: Array) -> Array:
            tested.add(int(new[0, 0]))
            engines.add(int(new[0, 1]))
            return new[:, 2]

        return predict

    measure(made, Model("spy", fit))
    assert len(fits) == 3 * (1 + FOLDS)
    for number, (trained, trained_engines, tested, engines) in enumerate(fits):
        left_out, fold = divmod(number, 1 + FOLDS)
        assert engines == {left_out}
        assert trained_engines == {0, 1, 2} - {left_out}
        if fold == 0:  # the engine alone
            assert trained == tested == set(range(23))
        else:
            assert not trained & tested
            assert trained | tested == set(range(23))
    for engine in range(3):
        strict = [tested for _, _, tested, _ in fits[engine * 6 + 1 : engine * 6 + 6]]
        assert sorted(q for tested in strict for q in tested) == list(range(23)), "every query once"


def test_queries_of_one_engine_alone_are_not_called_shared() -> None:
    made = invent_data(30, 2, names=FEATURES)
    kept = [i for i, g in enumerate(made.data.groups) if g.engine == "engine 1" or int(g.query_id[1:]) < 25]
    fewer = prepared([made.data.groups[i] for i in kept], [made.rows[i] for i in kept], made.names)
    found = measure(fewer)["engines"]
    assert (found["engine 0"]["groups"], found["engine 0"]["shared_queries"]) == (25, 25)
    assert (found["engine 1"]["groups"], found["engine 1"]["shared_queries"]) == (30, 25)


def test_one_engine_alone_has_no_transfer_and_too_few_groups_of_others_leave_one_undefined() -> None:
    alone = invent_data(30, 1, names=FEATURES)
    assert measure_transfer(alone, alone.names, MEMORY, draws=20) is None
    found = measure(invent_data(MIN_GROUPS - 1, 2, names=FEATURES))
    reason = {"undefined": f"{MIN_GROUPS - 1} groups of other engines; {MIN_GROUPS} are needed"}
    assert found["engines"] == {"engine 0": reason, "engine 1": reason}
    assert found["means"] == {ENGINE_ONLY: None, STRICT: None}


def test_an_engine_of_few_queries_is_undefined_and_spoils_nothing() -> None:
    made = invent_data(30, 2, names=FEATURES)
    rare = [group(f"q{i}", made.data.groups[2 * i].visibility, "rare") for i in range(FOLDS - 1)]
    more = prepared([*made.data.groups, *rare], [*made.rows, *made.rows[: 2 * len(rare) : 2]], made.names)
    found = measure(more)
    assert found["engines"]["rare"] == {"undefined": "4 queries; 5 are needed"}
    assert found["engines"]["engine 0"][STRICT]["spearman"]["n"] == 30
    assert found["means"][STRICT] is not None
