"""The study: which arms and baselines there are, what chance is, and that every part is what it says."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from steelyard.lab.ranking import models
from steelyard.lab.ranking import study as studies
from steelyard.lab.ranking.dataset import Candidate
from steelyard.lab.ranking.evaluate import SPEARMAN, Evaluation, Trial, evaluate, score_by_feature
from steelyard.lab.ranking.features import CONTENT, FIXED, LENGTH, LEXICAL, NAMES_OF, POSITION, STRUCTURE
from steelyard.lab.ranking.models import RIDGE_MODEL
from steelyard.lab.ranking.predict import BLENDED
from steelyard.lab.ranking.prepare import (
    CONTENT_ONLY,
    CROSS,
    EMBEDDING,
    FULL,
    QUERY_ONLY,
    QUERY_REGEX,
    REGEX_ONLY,
    prepare,
    select_arms,
)
from steelyard.lab.ranking.signals.base import CROSS_FEATURES, EMBEDDING_FEATURES
from steelyard.lab.ranking.signals.resolve import RecordedRelevance
from steelyard.lab.ranking.study import compute_chance, measure_gap, measure_importance, summarise_tags
from steelyard.support.artifacts import to_json
from tests.lab.ranking.sample_data import BLIND, NAMES, data, group, invent_data, linear, prepared, run_sample_study
from tests.lab.ranking.test_predict import AS_OF, ICE, SALT

EVERY = (*NAMES, *EMBEDDING_FEATURES, *CROSS_FEATURES)


def test_every_arm_has_its_features_and_none_has_the_position() -> None:
    features, undefined = select_arms(invent_data(1, names=EVERY))
    content, query = NAMES_OF[CONTENT], (*NAMES_OF[LEXICAL], *NAMES_OF[STRUCTURE])
    regex = (*content, *query, *NAMES_OF[LENGTH])
    assert undefined == {}
    assert features == {
        CONTENT_ONLY: content,
        QUERY_REGEX: query,
        QUERY_ONLY: (*query, "e_cosine", "e_margin", "e_rank", *CROSS_FEATURES),
        REGEX_ONLY: regex,
        EMBEDDING: (*regex, *EMBEDDING_FEATURES),
        CROSS: (*regex, *CROSS_FEATURES),
        FULL: (*regex, *EMBEDDING_FEATURES, *CROSS_FEATURES),
    }
    for names in features.values():
        assert not {POSITION, BLENDED, FIXED} & set(names)


def test_an_arm_that_lacks_something_is_undefined_with_the_reason() -> None:
    features, undefined = select_arms(invent_data(1, text="a snippet"))
    assert list(features) == [QUERY_REGEX, REGEX_ONLY]
    assert not any(name.startswith("c_") for name in features[REGEX_ONLY])
    assert undefined == {
        CONTENT_ONLY: "snippets: the median source has 2 words of 150",
        QUERY_ONLY: "it needs an embedding and a cross-encoder",
        EMBEDDING: "no model was given",
        CROSS: "no model was given",
        FULL: "it needs an embedding and a cross-encoder",
    }
    assert list(select_arms(invent_data(1, names=(*NAMES, *CROSS_FEATURES)))[0]) == [
        CONTENT_ONLY, QUERY_REGEX, REGEX_ONLY, CROSS
    ]  # fmt: skip


class Letters:
    """An embedder that counts two letters."""

    name = identity = "letters"

    def embed(self, texts: Any) -> list[list[float]]:
        return [[t.count("s") + 1.0, t.count("i") + 1.0] for t in texts]


def test_prepared_data_has_a_row_for_every_source_and_a_column_for_every_name() -> None:
    listed = tuple(
        Candidate(str(i), text, position=3.0 - i, relevance=float(i)) for i, text in enumerate((SALT, ICE, ""))
    )
    one = group("q", (0.7, 0.2, 0.1), query="what is salt", candidates=listed)
    made = prepare(data([one]), as_of=AS_OF, embedder=Letters(), cross_encoder=RecordedRelevance())
    assert set(made.names) == set(EVERY)
    assert made.rows[0].shape == (3, len(EVERY))
    column = {name: made.select_columns([name])[0][:, 0].tolist() for name in made.names}
    assert column[POSITION] == [-3.0, -2.0, -1.0]
    assert column["x_logit"] == [0.0, 1.0, 2.0]
    assert column["q_coverage"] == [1.0, 0.0, 0.0]
    assert made.truth[0].tolist() == [0.7, 0.2, 0.1]
    assert np.isfinite(made.rows[0]).all()


def test_chance_is_what_a_random_order_gives_ties_at_the_top_included() -> None:
    """Either of two equally visible sources is a hit; one in n would be too little."""
    made = prepared(
        [group("q", (0.5, 0.5, 0.0, 0.0)), group("r", (0.7, 0.2, 0.1))], [np.zeros((4, 1)), np.zeros((3, 1))]
    )
    found = compute_chance(made)
    assert found["hit@1"] == pytest.approx((2 / 4 + 1 / 3) / 2)
    first_of_two = (1 * 1 / 2) + (1 / 2) * (1 / 3) + (1 / 3) * (1 / 6)
    assert found["mrr"] == pytest.approx((first_of_two + (1 + 1 / 2 + 1 / 3) / 3) / 2)
    assert found[SPEARMAN] == 0.0
    assert 0 < found["ndcg"] < 1


def test_the_gap_is_the_share_of_the_way_to_the_best_signal() -> None:
    def gap(regex: float, **baselines: float) -> dict[str, Any] | None:
        alone = {name: Evaluation({SPEARMAN: {"q": value}}) for name, value in baselines.items()}
        return measure_gap(alone, Evaluation({SPEARMAN: {"q": regex}}))

    assert gap(0.3, c_content=0.1, x_logit=0.5) == pytest.approx(
        {"from": FIXED, "low": 0.1, "high": 0.5, "regex": 0.3, "share": 0.5}
    )
    assert gap(0.2, x_logit=0.5) == pytest.approx(
        {"from": "chance", "low": 0.0, "high": 0.5, "regex": 0.2, "share": 0.4}
    )
    behind = gap(0.2, c_content=0.6, x_logit=0.5)
    assert behind is not None
    assert behind["share"] is None, "there is no way from a better signal to a worse one"
    assert gap(0.3, c_content=0.1) is None


def test_importance_is_a_share_of_the_gain_with_the_planted_signal_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "TREES", 10)
    found = measure_importance(invent_data(40, signal={"q_ngram": 3.0}), NAMES_OF[LEXICAL])
    assert math.fsum(found.values()) == pytest.approx(1.0)
    assert next(iter(found)) == "q_ngram"
    assert found["q_ngram"] > 0.5
    assert list(found.values()) == sorted(found.values(), reverse=True)
    flat = prepared([group(f"q{i}", (0.6, 0.4)) for i in range(10)], [np.zeros((2, 1))] * 10, ("q_bm25",))
    assert measure_importance(flat, ("q_bm25",)) == {"q_bm25": 0.0}, "a fit that found nothing"


def test_a_tag_is_summarised_for_every_engine_by_its_own_answers() -> None:
    """One engine follows the feature and one does the opposite: over both there is nothing to be seen."""
    groups, rows = [], []
    for i in range(20):
        for engine, shares in (("one", (0.1, 0.3, 0.6)), ("two", (0.6, 0.3, 0.1))):
            groups.append(group(f"q{i}", shares, engine, tags=("t",)))
            rows.append([[1.0], [2.0], [3.0]])
    made = prepared(groups, rows)
    scores = score_by_feature(made, "a")
    found = summarise_tags(made, Trial(scores, (evaluate(made, scores),)))
    assert found["all"]["t"] == {"n": 20, "mean": 0.0, "error": 0.0}
    assert {engine: of["t"]["mean"] for engine, of in found["engines"].items()} == {"one": 1.0, "two": -1.0}


def test_a_study_has_every_arm_on_the_models_of_the_paper() -> None:
    found = run_sample_study("whole")
    assert json.loads(to_json(found)) == found
    assert found["models_order"] == [
        "ridge, content only", "ridge, query only, regex", "ridge, query only", "ridge, regex only", "ridge, full",
        "pairwise logistic, regex only", "pairwise logistic, full", "GBM, regex only", "GBM, full",
        "LambdaMART, content only", "LambdaMART, regex only", "LambdaMART, + embedding",
        "LambdaMART, + cross-encoder", "LambdaMART, full",
    ]  # fmt: skip
    assert set(found["models"]) == set(found["models_order"])
    assert found["undefined"] == {}
    assert found["baselines_order"][:6] == [FIXED, "q_bm25", BLENDED, "e_cosine", "x_logit", POSITION]
    assert not any(name.startswith("c_") for name in found["baselines_order"][1:])
    for e in found["models"].values():
        assert list(e["against"]) == [FIXED, "q_bm25", "x_logit", POSITION]
        assert {a["n"] for a in e["against"].values()} == {30}
        assert e["metrics"][SPEARMAN]["n"] == 30
        assert len(e["seeds"]) == 2
        assert e["with_position"][SPEARMAN]["n"] == e["folds"]["n"] == e["folds"]["shared"]["n"] == 30
        assert e["folds"]["answers"]["n"] == 90
        assert e["folds"]["query_folds"] == pytest.approx(e["seeds"][0]), "the mean over the same shuffles"
    assert found["transfer"]["arm"] == found["capacity"]["arm"] == found["tags"]["arm"] == FULL
    assert found["audit"]["shared_queries"] == 30
    assert found["gap"]["from"] == FIXED
    assert 0 < found["gap"]["share"] < 1


def test_a_study_of_little_says_what_is_missing() -> None:
    found = run_sample_study("bare")
    assert json.loads(to_json(found)) == found
    assert set(found["undefined"]) == {CONTENT_ONLY, QUERY_ONLY, EMBEDDING, CROSS, FULL}
    assert {e["folds"] is None for e in found["models"].values()} == {True}, "every query occurs once"
    assert FIXED not in found["baselines"]
    assert found["gap"] is None
    assert found["transfer"] == {"arm": REGEX_ONLY, "without_position": None, "with_position": None}
    assert found["audit"]["verdict"] == "no leak found"
    assert found["capacity"]["arm"] == REGEX_ONLY
    assert found["tags"] == {"arm": REGEX_ONLY, "all": {}, "engines": {}}, "six queries of each are too few"


def test_a_planted_signal_is_seen_where_it_is() -> None:
    found = run_sample_study("whole")
    ranks = {name: found["baselines"][name][SPEARMAN]["mean"] for name in found["baselines_order"]}
    assert max(ranks, key=lambda name: ranks[name]) == "x_logit"
    best = found["models"]["ridge, full"]
    assert best["metrics"][SPEARMAN]["mean"] > ranks["x_logit"] > ranks["q_bm25"] > ranks["q_phrase"]
    assert best["against"]["q_bm25"]["p"] < 0.05 < best["against"]["x_logit"]["p"]
    low, high = best["against"]["x_logit"]["interval"]
    assert low < 0 < high
    assert best["against"]["q_bm25"]["interval"][0] > 0
    assert next(iter(found["importance"])) in ("q_bm25", BLIND)


def test_an_unknown_position_is_no_baseline_and_buys_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    made = invent_data(12, 2, sources=4)
    groups = [replace(g, candidates=tuple(replace(c, position=None) for c in g.candidates)) for g in made.data.groups]
    monkeypatch.setattr(models, "fit_booster", linear)
    monkeypatch.setattr(models, "TREES", 3)
    monkeypatch.setattr(studies, "GRID", ((RIDGE_MODEL, (REGEX_ONLY,)), (models.LAMBDAMART, (REGEX_ONLY,))))
    found = studies.run_study(prepared(groups, made.rows, made.names), draws=20, seeds=(0,))
    assert POSITION not in found["baselines"]
    for e in found["models"].values():
        assert e["with_position"] is None
        assert POSITION not in e["against"]
    assert found["transfer"]["with_position"] is None
    assert found["transfer"]["without_position"] is not None
