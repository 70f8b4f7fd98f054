"""The audit: planted leaks are caught, and sound data is not accused."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest

from steelyard.components.arithmetic.numbers import mean
from steelyard.lab.ranking import leakage as audits
from steelyard.lab.ranking import models
from steelyard.lab.ranking.dataset import Candidate
from steelyard.lab.ranking.evaluate import Evaluation, run_trial
from steelyard.lab.ranking.features import CONTENT, NAMES_OF
from steelyard.lab.ranking.leakage import (
    CLEAN,
    LEAKS,
    MIN_GAIN,
    MIN_QUERIES,
    PROBE,
    UNDEFINED,
    compare_folds,
    count_shared_sources,
    find_shared_queries,
    run_audit,
    run_on_record_folds,
)
from steelyard.lab.ranking.prepare import PreparedData
from steelyard.lab.stats.intervals import draw_resamples, percentile_interval
from tests.lab.ranking.sample_data import BLIND, MEMORY, data, group, invent_data

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


def test_a_planted_leak_is_caught(cheap: None) -> None:
    assert NAMES_OF[CONTENT] == audits.PROBED, "the probe never sees the query"
    found = run_audit(planted(), draws=100)
    assert found["verdict"] == LEAKS
    assert probe(found)["record_folds"] > 0.5
    assert abs(probe(found)["query_folds"]) < 0.25
    assert probe(found)["interval"][0] > 0.4
    assert (found["shared_queries"], found["queries"], found["groups"]) == (40, 40, 120)


def test_a_leak_in_some_of_the_queries_is_caught(memory: None) -> None:
    """The verdict goes by what can be looked up; over all queries, those with one answer dilute it."""
    made = planted()
    kept = [i for i, g in enumerate(made.data.groups) if int(g.query_id[1:]) < 20 or g.engine == "engine 0"]
    some = PreparedData(data(made.data.groups[i] for i in kept), made.names, tuple(made.rows[i] for i in kept),
                    tuple(made.truth[i] for i in kept))  # fmt: skip
    found = run_audit(some, draws=100)
    assert (found["verdict"], found["shared_queries"], probe(found)["shared"]["n"]) == (LEAKS, 20, 20)
    assert (probe(found)["n"], probe(found)["answers"]["n"]) == (40, 80)
    assert probe(found)["difference"] < probe(found)["shared"]["difference"] - 0.2


def test_memory_in_addition_to_a_real_signal_is_still_a_leak(cheap: None) -> None:
    """What the content says is worth the same under both kinds of folds; what is remembered in addition is not."""
    found = run_audit(invent_data(40, 3, signal={BLIND: 1.5}, common=1.0, own=0.0), draws=100)
    assert found["verdict"] == LEAKS
    assert probe(found)["query_folds"] > 0.3


def test_data_in_which_every_query_occurs_once_cannot_leak() -> None:
    found = run_audit(invent_data(40, 1, common=1.0, own=0.0))
    assert (found["verdict"], found["models"], found["shared_queries"]) == (CLEAN, {}, 0)


def test_independent_engines_are_seldom_accused(memory: None) -> None:
    """A perfect memory has nothing to remember; an interval of 95% may be wrong on one side in one of forty."""
    accused = sum(run_audit(independent(seed), draws=100)["verdict"] == LEAKS for seed in range(FEW_SIMULATED))
    assert accused <= 1


def test_content_that_predicts_unseen_queries_is_not_accused(cheap: None) -> None:
    found = run_audit(content(0), draws=100)
    assert found["verdict"] == CLEAN
    assert probe(found)["record_folds"] > 0.6
    assert probe(found)["query_folds"] > 0.6


@pytest.mark.full
def test_trees_with_full_settings_catch_a_leak_and_hardly_ever_accuse_sound_data(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert run_audit(planted(), draws=200)["verdict"] == LEAKS
    monkeypatch.setattr(audits, "SHUFFLES", 1)
    for make in (independent, content):
        accused = [seed for seed in range(SIMULATED) if run_audit(make(seed), draws=200)["verdict"] == LEAKS]
        assert len(accused) <= 1, f"{make.__name__}: {accused}"


def test_the_verdict_follows_from_the_queries_with_several_answers(
    memory: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def verdict_on(difference: float, low: float) -> str:
        nothing = {"n": 90, "record_folds": 0.0, "query_folds": 0.0, "difference": 0.0, "interval": [-0.1, 0.1]}
        shared = {"n": 40, "record_folds": difference, "query_folds": 0.0, "difference": difference,
                  "interval": [low, 0.9]}  # fmt: skip
        monkeypatch.setattr(audits, "compare_folds", lambda *_, **__: {**nothing, "shared": shared})
        verdict: str = run_audit(independent(0))["verdict"]
        return verdict

    assert verdict_on(MIN_GAIN, 0.001) == LEAKS
    assert verdict_on(MIN_GAIN - 0.001, 0.001) == CLEAN, "too small to matter"
    assert verdict_on(0.3, 0.0) == CLEAN, "may be chance"


def test_the_interval_is_a_bootstrap_of_the_differences(memory: None) -> None:
    made = independent(1)
    strict = run_trial(made, audits.PROBED, MEMORY, (0,)).first.by_query["spearman"]
    (loose,) = run_on_record_folds(made, audits.PROBED, MEMORY, (0,))
    apart = [loose.by_query["spearman"][q] - strict[q] for q in strict]
    means = [mean([apart[i] for i in draw]) for draw in draw_resamples(30, 100, random.Random("0|audit"))]
    figures = probe(run_audit(made, draws=100))
    assert figures["interval"] == pytest.approx(list(percentile_interval(means)))
    assert figures["difference"] == pytest.approx(figures["record_folds"] - figures["query_folds"])
    assert figures == probe(run_audit(made, draws=100))


def test_both_kinds_of_folds_are_compared_by_hand() -> None:
    """Two answers to one query and one to another: a query counts once, an answer once, shuffles are averaged."""
    several = data([group("q", (0.6, 0.4), "one"), group("q", (0.6, 0.4), "two"), group("r", (0.6, 0.4), "one")])
    loose = [Evaluation({}, {0: 0.8, 1: 0.4, 2: 0.1}), Evaluation({}, {0: 0.6, 1: 0.2, 2: 0.1})]
    strict = [Evaluation({}, {0: 0.1, 1: 0.3, 2: 0.3}), Evaluation({}, {0: 0.1, 1: 0.1, 2: 0.1})]
    found = compare_folds(several, loose, strict, draws=0, seed=0)
    answers, shared = found.pop("answers"), found.pop("shared")
    expected = {"n": 2, "record_folds": 0.3, "query_folds": 0.175, "difference": 0.125, "interval": None}
    assert found == {k: v if v is None else pytest.approx(v) for k, v in expected.items()}
    assert [shared[k] for k in ("n", "record_folds", "query_folds")] == pytest.approx([1, 0.5, 0.15])
    assert [answers[k] for k in ("n", "record_folds", "query_folds")] == pytest.approx([3, 1.1 / 3, 0.5 / 3])


def test_the_shuffles_are_those_that_were_asked_for(memory: None, monkeypatch: pytest.MonkeyPatch) -> None:
    made = independent(2)
    monkeypatch.setattr(audits, "SHUFFLES", 2)
    assert run_audit(made, draws=100, seed=4) == run_audit(made, draws=100, seed=4, seeds=(4, 5))
    assert run_audit(made, draws=100, seed=4, seeds=(4, 5, 6))["shuffles"] == 3


def test_few_shared_queries_leave_it_undefined() -> None:
    found = run_audit(invent_data(MIN_QUERIES - 1, 2))
    assert (found["verdict"], found["models"]) == (UNDEFINED, {})


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
