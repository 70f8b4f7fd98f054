"""The four blocks together: groups and pool, arms, snippets, one result for one seed."""

from __future__ import annotations

import json
import random
from datetime import date
from typing import Any

import pytest

from steelyard.lab.outcome.query_shares import QueryShares, compute_query_shares
from steelyard.lab.outcome.records.base import SourceRecord
from steelyard.lab.outcome.records.load import load_records
from steelyard.lab.outcome.study import analyse_baseline
from steelyard.support.artifacts import round_floats, to_json
from tests.conftest import SENTENCE
from tests.lab.outcome.records.sample_records import real

AS_OF = date(2026, 7, 1)
EXTRAS = (
    "",
    "“The ice went out early,” said the harbour master of Vardø in an interview. ",
    "In 2024 the port handled 45% more cargo than in 2019, about 1.2 million tonnes. ",
    "According to the Coastal Survey (2023), 312 ships called at the northern quay. ",
    "Updated on 3 May 2026. Today the new quay is open, and last month it took its first ship. ",
)


def text(number: int, words: int = 160) -> str:
    """A text of its own content: plain, with a quotation, with figures, with a source, with a date."""
    plain = f"Ship {number} waits in the roads. " + SENTENCE * (words // 17 + 1)
    return EXTRAS[number % len(EXTRAS)] * (1 + number % 3) + plain


def answer(
    query: int, group: str = "engine", *, arm: str = "baseline", orders: int = 1, words: int = 160
) -> QueryShares:
    rng = random.Random(f"{query}|{group}|{arm}")
    sources = tuple(SourceRecord(str(i), text(query + i, words)) for i in range(5))
    shown = {"forward": (0, 1, 2, 3, 4), "reversed": (4, 3, 2, 1, 0)}
    shares = {}
    for order in list(shown)[:orders]:
        drawn = [rng.random() for _ in sources]
        shares[order] = tuple(d / sum(drawn) for d in drawn)
    kept = {order: shown[order] for order in shares}
    return QueryShares(group, "", f"q{query}", f"question {query}", arm, sources, kept, shares)


def found(*answers: QueryShares, draws: int = 20, seed: int = 0) -> dict[str, Any]:
    return analyse_baseline(answers, "strict", as_of=AS_OF, draws=draws, seed=seed)


@pytest.fixture(scope="module")
def mixed() -> dict[str, Any]:
    """Two engines over the same queries, one asked in two orders, and one over snippets."""
    answers = [answer(q, group, orders=o) for group, o in (("one", 1), ("two", 2)) for q in range(40)]
    return found(*answers, *(answer(q, "short", words=20) for q in range(40, 50)))


def test_groups_stand_in_the_order_of_the_records_and_the_pool_beside_them(mixed: dict[str, Any]):
    assert mixed["order"] == ["one", "two", "short"]
    assert mixed["pooled"]["content_of"] == ["one", "two"]
    assert mixed["pooled"]["queries"] == 50
    assert [mixed["groups"][g]["queries"] for g in mixed["order"]] == [40, 40, 10]
    assert (mixed["mode"], mixed["as_of"]) == ("strict", "2026-07-01")


def test_the_pool_counts_a_query_once_however_many_engines_answered_it(mixed: dict[str, Any]):
    place = mixed["pooled"]["position"]["by_order"]["forward"]["spearman"]
    assert (place["n"], place["records"]) == (50, 90)
    content = mixed["pooled"]["agreement"]["by_order"]
    figures = [content[key]["weightings"]["shipped"]["spearman"] for key in ("forward", "reversed", "mean")]
    assert [(f["n"], f["records"]) for f in figures] == [(40, 80), (40, 40), (40, 40)]


def test_snippets_have_a_place_and_no_content(mixed: dict[str, Any]):
    short = mixed["groups"]["short"]
    assert short["position"]["by_order"]["forward"]["spearman"]["n"] == 10
    for block in ("agreement", "freshness", "dispersion"):
        assert set(short[block]) == {"undefined"}
        assert short[block]["undefined"].startswith("snippets: median source has ")


def test_only_the_baseline_enters():
    baseline = [answer(q) for q in range(10)]
    edited = [answer(q, arm="quotation") for q in range(10)]
    assert found(*baseline, *edited) == found(*baseline)
    assert found(*edited)["order"] == []


def test_a_pool_of_one_group_is_that_group():
    result = found(*(answer(q) for q in range(12)))
    pooled = {key: value for key, value in result["pooled"].items() if key != "content_of"}
    assert pooled == result["groups"]["engine"]


def test_the_result_is_a_function_of_records_and_seed_and_fits_into_an_artifact(mixed: dict[str, Any]):
    answers = [answer(q, orders=2) for q in range(12)]
    assert found(*answers, seed=3) == found(*answers, seed=3)
    assert found(*answers, seed=3) != found(*answers, seed=4)
    stored = round_floats(mixed)
    assert json.loads(to_json(stored)) == stored


def test_nothing_comes_of_no_answers():
    result = found()
    assert result["order"] == []
    assert all("undefined" in result["pooled"][block] for block in ("position", "agreement", "freshness", "dispersion"))


def test_one_answer_of_one_source_goes_through():
    lone = answer(0)
    single = QueryShares("e", "", "q", "q", "baseline", lone.sources[:1], {"forward": (0,)}, {"forward": (1.0,)})
    block = found(single)["groups"]["e"]
    assert block["position"]["by_order"]["forward"]["spearman"]["n"] == 0
    assert block["agreement"]["by_order"]["forward"]["weightings"]["shipped"]["spearman"]["mean"] is None


@pytest.mark.full
def test_the_real_answers_follow_the_order_of_their_sources():
    loaded = load_records(real("outcomes/scholarqa_gpt4o.jsonl"))
    kept, _ = compute_query_shares(loaded.outcomes, loaded.mode)
    result = analyse_baseline(kept, loaded.mode, as_of=AS_OF, draws=100, seed=0)["pooled"]
    assert result["position"]["by_order"]["forward"]["spearman"]["mean"] == pytest.approx(0.41, abs=0.03)
    content = result["agreement"]["by_order"]["forward"]["weightings"]["shipped"]["spearman"]
    assert content["n"] == 100
    assert -0.1 < content["mean"] < 0.2
