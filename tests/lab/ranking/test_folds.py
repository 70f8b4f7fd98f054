"""Folds over queries: no split shares one, whatever the data, and only the audit splits in another way."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import steelyard
from steelyard.errors import SteelyardError
from steelyard.lab.ranking import evaluate
from steelyard.lab.ranking.dataset import FOLDS, Dataset, QueryFold, make_query_folds
from steelyard.support.formatting import format_count
from tests.lab.ranking.sample_data import data, group

PACKAGE = Path(steelyard.__file__).parent

engines = st.sampled_from(["one", "two", "three"])


@st.composite
def datasets(draw: st.DrawFn) -> Dataset:
    """Any queries, each under any engines and any number of times, in any order."""
    queries = draw(st.lists(st.text(max_size=8), min_size=FOLDS, max_size=30, unique=True))
    asked = [(query, engine) for query in queries for engine in draw(st.lists(engines, min_size=1, max_size=4))]
    return data(group(query, (0.75, 0.25), engine) for query, engine in draw(st.permutations(asked)))


@given(datasets(), st.integers(0, 5))
@settings(max_examples=30, deadline=None)
def test_training_and_test_never_share_a_query_and_every_group_is_tested_once(found: Dataset, seed: int) -> None:
    groups, tested = found.groups, list[int]()
    for fold in make_query_folds(found.queries, seed=seed):
        train, test = fold.train(found), fold.test(found)
        assert train
        assert test
        assert not {groups[i].query_id for i in train} & {groups[i].query_id for i in test}
        assert sorted(train + test) == list(range(len(groups)))
        tested += test
    assert sorted(tested) == list(range(len(groups)))


@given(datasets(), st.randoms(use_true_random=False), st.integers(0, 5))
@settings(max_examples=30, deadline=None)
def test_the_order_and_the_repetition_of_the_data_move_no_query(found: Dataset, rng: random.Random, seed: int) -> None:
    groups = list(found.groups)
    rng.shuffle(groups)
    once = make_query_folds(found.queries, seed=seed)
    assert once == make_query_folds(data(groups).queries, seed=seed)
    assert once == make_query_folds((g.query_id for g in groups), seed=seed)


@given(st.sets(st.text(max_size=5), min_size=2, max_size=40))
@settings(max_examples=30, deadline=None)
def test_folds_are_of_one_size_and_hold_every_query_once(queries: set[str]) -> None:
    if len(queries) < FOLDS:
        with pytest.raises(SteelyardError, match="folds over queries need"):
            make_query_folds(queries, seed=0)
        return
    held_out = [fold.held_out for fold in make_query_folds(queries, seed=0)]
    assert sorted(q for fold in held_out for q in fold) == sorted(queries)
    assert max(map(len, held_out)) - min(map(len, held_out)) <= 1


def test_another_seed_deals_other_folds_and_half_a_surrogate_pair_is_a_query_too() -> None:
    queries = ["\ud800", "\udfff", *(f"q{i}" for i in range(40))]
    assert len({make_query_folds(queries, seed=seed) for seed in range(20)}) == 20


def test_a_fold_has_no_place_for_groups() -> None:
    assert [field.name for field in dataclasses.fields(QueryFold)] == ["held_out"]
    with pytest.raises(dataclasses.FrozenInstanceError):
        QueryFold(frozenset({"q"})).held_out = frozenset()  # type: ignore[misc]
    for method in (QueryFold.train, QueryFold.test):
        assert list(inspect.signature(method).parameters) == ["self", "data"]


def test_too_few_queries_are_refused_with_the_number_needed() -> None:
    for number in (0, 1, FOLDS - 1):
        with pytest.raises(SteelyardError) as refused:
            make_query_folds([f"q{i}" for i in range(number)] * 9, seed=0)
        counted = format_count(number, "query", "queries")
        assert str(refused.value) == f"undefined: {counted}; 5 folds over queries need 5 or more"


# Who splits, and how


def calls(path: Path) -> Iterator[tuple[str, str]]:
    """(function, what it calls) for every call by a plain or a dotted name."""
    for outer in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(outer, ast.FunctionDef):
            for node in ast.walk(outer):
                if isinstance(node, ast.Call):
                    if isinstance(node.func, ast.Name):
                        yield outer.name, node.func.id
                    elif isinstance(node.func, ast.Attribute):
                        yield outer.name, f".{node.func.attr}"


def callers(wanted: str) -> set[str]:
    return {
        f"{path.stem}.{function}"
        for path in sorted((PACKAGE / "lab" / "ranking").rglob("*.py"))
        for function, called in calls(path)
        if called == wanted
    }


def test_only_the_audit_puts_groups_into_folds_one_by_one() -> None:
    """Every model that is evaluated is fitted through `fit_and_score`; one of its callers has no folds over queries."""
    assert callers(".fit") == {"evaluate.fit_and_score"}
    assert callers("fit_and_score") | callers(".fit_and_score") == {
        "evaluate.cross_validate", "study.measure_transfer", "study._score_unseen_queries",
        "leakage.run_on_record_folds",
    }  # fmt: skip
    assert callers("run_on_record_folds") == {"leakage.run_audit", "study.run_study"}
    named = [p.name for p in PACKAGE.rglob("*.py") if "run_on_record_folds" in p.read_text("utf-8")]
    assert sorted(named) == ["leakage.py", "study.py"]


def test_all_others_take_their_folds_from_the_queries() -> None:
    assert callers("make_query_folds") == {
        "evaluate.run_trial",
        "study._score_unseen_queries",
        "study.measure_capacity",
    }
    assert inspect.signature(evaluate.cross_validate).parameters["folds"].annotation == "Sequence[QueryFold]"
