"""The audit: planted leaks are caught, and sound data is not accused."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest

from steelyard.components.arithmetic.numbers import mean
from steelyard.lab.ranking import audit as audits
from steelyard.lab.ranking import models
from steelyard.lab.ranking.audit import (
    CLEAN,
    FEWEST,
    LEAKS,
    LEAST,
    UNDEFINED,
    count_shared_sources,
    evaluate_on_record_folds,
    find_shared_queries,
    run_audit,
)
from steelyard.lab.ranking.dataset import Candidate
from steelyard.lab.ranking.evaluate import cross_validate, evaluate
from steelyard.lab.ranking.folds import make_query_folds
from steelyard.lab.ranking.prepare import PreparedData
from steelyard.lab.stats.bootstrap import draw_resamples, percentile_interval
from tests.lab.ranking.sample_data import BLIND, MEMORY, data, group, invent_data

PROBE, SIGHTED = "query-blind probe", "regex only"
SIMULATED = 20
FEW_SIMULATED = 6  # in the quick run


@pytest.fixture
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    """One shuffle of few trees."""
    monkeypatch.setattr(models, "TREES", 12)
    monkeypatch.setattr(audits, "SHUFFLES", 1)


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """One shuffle with the best memory there is in the place of trees."""
    monkeypatch.setattr(audits, "LAMBDAMART", MEMORY)
    monkeypatch.setattr(audits, "SHUFFLES", 1)


def planted(seed: int = 0) -> PreparedData:
    """Three engines that agree on what nothing in the sources explains."""
    return invent_data(40, 3, common=1.0, own=0.0, seed=seed)


def independent(seed: int) -> PreparedData:
    """The same queries and sources, and engines that have nothing in common."""
    return invent_data(30, 3, seed=seed)


def content(seed: int) -> PreparedData:
    """Engines agree, because all follow a content that speaks for itself on queries that were never seen."""
    return invent_data(50, 2, signal={BLIND: 3.0}, own=1.0, seed=seed)


def probe(found: dict[str, Any]) -> dict[str, Any]:
    of_probe: dict[str, Any] = found["models"][PROBE]
    return of_probe


# Leaks


def test_a_planted_leak_is_caught(cheap: None) -> None:
    found = run_audit(planted(), draws=100)
    assert found["verdict"] == LEAKS
    assert probe(found)["record_folds"] > 0.5
    assert abs(probe(found)["query_folds"]) < 0.25
    assert probe(found)["interval"][0] > 0.4
    assert found["reason"].startswith("on queries with several answers a probe that never sees the query gains +0.")
    assert found["reason"].endswith("draw them over queries")
    assert (found["shared_queries"], found["queries"], found["groups"]) == (40, 40, 120)


@pytest.mark.parametrize("seed", range(2))
def test_the_best_memory_is_caught_whatever_the_draw(memory: None, seed: int) -> None:
    found = run_audit(planted(seed), draws=100)
    assert found["verdict"] == LEAKS
    assert probe(found)["record_folds"] > 0.8, "not 1: now and then all answers to a query are in one fold"


def test_a_leak_in_some_of_the_queries_is_caught(memory: None) -> None:
    """Only what can be looked up is compared, so that queries with one answer do not dilute it."""
    made = planted()
    kept = [i for i, g in enumerate(made.data.groups) if int(g.query_id[1:]) < 20 or g.engine == "engine 0"]
    some = PreparedData(data(made.data.groups[i] for i in kept), made.names, tuple(made.rows[i] for i in kept),
                    tuple(made.truth[i] for i in kept))  # fmt: skip
    found = run_audit(some, draws=100)
    assert (found["verdict"], found["shared_queries"], probe(found)["n"]) == (LEAKS, 20, 20)


def test_memory_in_addition_to_a_real_signal_is_still_a_leak(cheap: None) -> None:
    """What the content says is worth the same under both kinds of folds; what is remembered in addition is not."""
    found = run_audit(invent_data(40, 3, signal={BLIND: 1.5}, common=1.0, own=0.0), draws=100)
    assert found["verdict"] == LEAKS
    assert probe(found)["query_folds"] > 0.3


# Sound data


@pytest.mark.parametrize("seed", range(2))
def test_data_in_which_every_query_occurs_once_cannot_leak(seed: int) -> None:
    found = run_audit(invent_data(40, 1, common=1.0, own=0.0, seed=seed))
    assert (found["verdict"], found["models"], found["shared_queries"]) == (CLEAN, {}, 0)
    assert found["reason"] == "every query occurs once, so that folds over records are folds over queries"


def test_independent_engines_are_seldom_accused(memory: None) -> None:
    """A perfect memory has nothing to remember; an interval of 95% may be wrong on one side in one of forty."""
    accused = sum(run_audit(independent(seed), draws=100)["verdict"] == LEAKS for seed in range(FEW_SIMULATED))
    assert accused <= 1


def test_content_that_predicts_unseen_queries_is_not_accused(cheap: None) -> None:
    found = run_audit(content(0), draws=100)
    assert found["verdict"] == CLEAN
    assert probe(found)["record_folds"] > 0.6
    assert probe(found)["query_folds"] > 0.6
    assert "too little to accuse" in found["reason"]


@pytest.mark.full
@pytest.mark.parametrize("make", [independent, content])
def test_trees_with_full_settings_hardly_ever_accuse_sound_data(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audits, "SHUFFLES", 1)
    accused = [seed for seed in range(SIMULATED) if run_audit(make(seed), draws=200)["verdict"] == LEAKS]
    assert len(accused) <= 1, f"{make.__name__}: {accused}"


@pytest.mark.full
def test_trees_with_full_settings_catch_a_planted_leak() -> None:
    assert run_audit(planted(), draws=200)["verdict"] == LEAKS


# The verdict


def test_the_verdict_follows_from_the_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    def verdict_on(difference: float, low: float) -> str:
        figures = {"n": 40, "record_folds": difference, "query_folds": 0.0, "difference": difference,
                   "interval": [low, 0.9]}  # fmt: skip
        monkeypatch.setattr(audits, "_compare_folds", lambda *_, **__: figures)
        verdict: str = run_audit(independent(0))["verdict"]
        return verdict

    assert verdict_on(LEAST, 0.001) == LEAKS
    assert verdict_on(LEAST - 0.001, 0.001) == CLEAN, "too small to matter"
    assert verdict_on(0.3, 0.0) == CLEAN, "may be chance"


def test_the_reason_is_printed_with_a_real_minus(memory: None) -> None:
    reasons = [run_audit(independent(seed), draws=100)["reason"] for seed in range(2)]
    assert any("−" in reason for reason in reasons)
    assert not any("-0." in reason for reason in reasons)


def test_the_difference_is_that_of_the_two_means_and_its_interval_is_over_queries(memory: None) -> None:
    made = independent(3)
    figures = probe(run_audit(made, draws=100, seed=5))
    assert figures["difference"] == pytest.approx(figures["record_folds"] - figures["query_folds"])
    assert figures["interval"][0] < figures["difference"] < figures["interval"][1]
    assert figures["n"] == 30
    assert run_audit(made, draws=100, seed=5) == run_audit(made, draws=100, seed=5)


def test_the_interval_is_a_bootstrap_of_the_differences(memory: None) -> None:
    made = independent(1)
    strict = evaluate(
        made, cross_validate(made, audits.PROBE, MEMORY, make_query_folds(made.data.queries), 0)
    ).by_query["spearman"]
    loose = evaluate_on_record_folds(made, audits.PROBE, MEMORY).by_query["spearman"]
    apart = [loose[q] - strict[q] for q in strict]
    means = [mean([apart[i] for i in draw]) for draw in draw_resamples(30, 100, random.Random("0|audit"))]
    assert probe(run_audit(made, draws=100))["interval"] == list(percentile_interval(means))


def test_both_the_probe_and_the_ranker_are_reported(memory: None) -> None:
    found = run_audit(independent(0), draws=100)
    assert list(found["models"]) == [PROBE, SIGHTED]
    assert not any(name.startswith(("q_", "a_", "x_", "e_", "leak")) for name in audits.PROBE)
    assert not any(name.startswith(("x_", "e_", "leak")) for name in audits.SIGHTED)


def test_few_shared_queries_leave_it_undefined() -> None:
    found = run_audit(invent_data(FEWEST - 1, 2))
    assert (found["verdict"], found["models"]) == (UNDEFINED, {})
    assert found["reason"] == "14 queries have more than one answer; a verdict needs 15"


# What is shared


def test_shared_queries_and_sources_are_counted() -> None:
    groups = [
        group("q", (0.6, 0.4), "one", "only here"), group("q", (0.6, 0.4), "two", "only here"),
        group("r", (0.6, 0.4), "one", "everywhere"), group("s", (0.6, 0.4), "one", "everywhere"),
        group("t", (0.6, 0.4), "one", "and here"),
    ]  # fmt: skip
    found = data(groups)
    assert find_shared_queries(found) == {"q"}
    assert count_shared_sources(found) == 1
    half = (Candidate("0", "\ud800"), Candidate("1", "x"))
    assert count_shared_sources(data(replace(g, candidates=half) for g in groups)) == 2
