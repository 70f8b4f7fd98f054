"""Shares of one query under one arm: by order, averaged, and what is left out with its reason."""

from __future__ import annotations

from typing import Any

import pytest

from steelyard.lab.outcome.query_shares import NOTHING_CITED, ORDER_MISSING, compute_query_shares
from steelyard.lab.outcome.records.base import FORWARD, REVERSED, Outcome, SourceRecord

SOURCES = tuple(SourceRecord(str(i), f"source {i}") for i in range(3))
SHOWN = {FORWARD: (0, 1, 2), REVERSED: (2, 1, 0), "rotated 1": (1, 2, 0)}


def outcome(answer: str | None = "So it is said [1].", order: str = FORWARD, **changes: Any) -> Outcome:
    settings = {"sources": SOURCES, "shown": SHOWN[order], "target": 1, "query_id": "q", "engine": "one", **changes}
    return Outcome("run", query="Where?", answer=answer, order=order, **settings)


def both(forward: str, reversed_: str, **changes: Any) -> list[Outcome]:
    return [outcome(forward, FORWARD, **changes), outcome(reversed_, REVERSED, **changes)]


def test_shares_are_given_by_source_in_every_order_and_averaged() -> None:
    (one,), excluded = compute_query_shares(both("Salt is sold [1].", "Salt is sold [1]."), "strict")
    assert one.by_order == {FORWARD: (1.0, 0.0, 0.0), REVERSED: (0.0, 0.0, 1.0)}
    assert one.mean == (0.5, 0.0, 0.5)
    assert one.shown == {FORWARD: (0, 1, 2), REVERSED: (2, 1, 0)}
    assert (one.target, one.sources, one.query_id, one.group) == (1, SOURCES, "q", "one")
    assert excluded == {}


@pytest.mark.parametrize("silent", ["Nobody knows.", "Salt is sold [9]."])
def test_a_query_that_cites_nothing_in_one_order_is_left_out_whole(silent: str) -> None:
    for pair in ((silent, "Salt is sold [1]."), ("Salt is sold [1].", silent), (silent, silent)):
        kept, excluded = compute_query_shares(both(*pair), "strict")
        assert (kept, excluded) == ([], {NOTHING_CITED: 1})


def test_a_query_that_lacks_an_order_of_its_engine_is_left_out() -> None:
    outcomes = [*both("Salt is sold [1].", "Tar is sold [1]."), outcome(query_id="other")]
    kept, excluded = compute_query_shares(outcomes, "strict")
    assert [v.query_id for v in kept] == ["q"]
    assert excluded == {ORDER_MISSING: 1}
    assert compute_query_shares(outcomes[2:], "strict")[1] == {}  # nobody was asked in another one


def test_another_engine_or_run_may_have_been_asked_in_fewer_orders() -> None:
    outcomes = [*both("Salt is sold [1].", "Tar is sold [1]."), outcome(engine="two"), outcome(run="sample")]
    kept, excluded = compute_query_shares(outcomes, "strict")
    assert excluded == {}
    assert [v.group for v in kept] == ["one", "two", "one, sample"]


def test_fewer_sources_have_fewer_rotations_and_lack_none() -> None:
    two: dict[str, Any] = {"sources": SOURCES[:2], "query_id": "two"}
    outcomes = [
        outcome(),
        outcome(order="rotated 1"),
        Outcome(
            "run", "q", "Where?", "one", SOURCES, (2, 0, 1), answer="Salt is sold [1].", order="rotated 2", target=1
        ),
        outcome(**two, shown=(0, 1)),
        outcome(order="rotated 1", **two, shown=(1, 0)),
    ]
    kept, excluded = compute_query_shares(outcomes, "strict")
    assert [(v.query_id, list(v.by_order)) for v in kept] == [
        ("q", [FORWARD, "rotated 1", "rotated 2"]),
        ("two", [FORWARD, "rotated 1"]),
    ]
    assert excluded == {}
    assert compute_query_shares([*outcomes[:2], *outcomes[3:]], "strict")[1] == {}
    assert compute_query_shares([*outcomes[:4]], "strict")[1] == {ORDER_MISSING: 1}


def test_arms_are_kept_apart_and_lost_apart() -> None:
    outcomes = [
        *both("Salt is sold [1].", "Tar is sold [1]."),
        *both("Salt is sold [1].", "Nobody knows.", arm="quotation"),
    ]
    kept, excluded = compute_query_shares(outcomes, "strict")
    assert [v.arm for v in kept] == ["baseline"]
    assert excluded == {NOTHING_CITED: 1}


def test_shares_that_a_record_reports_itself_are_taken_as_they_are() -> None:
    kept, excluded = compute_query_shares(
        [outcome(None, given=(0.2, 0.5, 0.3)), outcome(None, query_id="none", given=(0.0, 0.0, 0.0))], "x"
    )
    assert [v.mean for v in kept] == [(0.2, 0.5, 0.3)]
    assert excluded == {NOTHING_CITED: 1}


def test_queries_stay_in_the_order_of_the_records() -> None:
    names = ["z", "a", "m"]
    kept, _ = compute_query_shares(
        [o for name in names for o in both("Salt is sold [1].", "Tar is sold [2].", query_id=name)], "strict"
    )
    assert [v.query_id for v in kept] == names
