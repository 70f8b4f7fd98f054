"""Domains: shrinkage, ranks, intervals, and what is refused."""

from __future__ import annotations

import math

import pytest

import steelyard
from steelyard.errors import InvalidRecords


def rows(**scores: list[float]) -> list[dict[str, object]]:
    return [{"domain": d, "score": s} for d, values in scores.items() for s in values]


def test_one_lucky_page_does_not_lead_and_an_inflated_one_moves_its_domain_by_delta_over_five_plus_n() -> None:
    ranked = steelyard.rank_domains(rows(lucky=[95.0], solid=[70.0] * 20))
    assert [r.domain for r in ranked] == ["solid", "lucky"]
    assert ranked[1].shrunk == pytest.approx((5 * 50 + 95) / 6)
    before, after = (steelyard.rank_domains(rows(a=[60.0] * 6 + [last]))[0].shrunk for last in (60.0, 72.0))
    assert after - before == pytest.approx(12 / (5 + 7))


def test_equal_domains_share_a_rank_and_stand_by_name() -> None:
    ranked = steelyard.rank_domains(rows(b=[60.0, 60.0], a=[60.0, 60.0], c=[10.0]))
    assert [(r.rank, r.domain) for r in ranked] == [(1, "a"), (1, "b"), (3, "c")]


def test_the_interval_is_undefined_for_one_page_and_holds_the_mean_otherwise() -> None:
    one, two = steelyard.rank_domains(rows(one=[60.0], two=[60.0, 70.0]))[::-1]
    assert (one.low, one.high) == (None, None)
    assert two.low is not None
    assert two.high is not None
    assert two.low < two.shrunk < two.high


def test_a_row_reads_as_an_object_and_as_a_mapping() -> None:
    row = steelyard.rank_domains(rows(a=[60.0]))[0]
    assert row["mean"] == row.mean == 60.0
    assert set(dict(row)) == {"rank", "domain", "n", "mean", "shrunk", "low", "high"}
    with pytest.raises(KeyError):
        row["nothing"]


def test_a_record_without_a_domain_or_a_score_in_range_is_refused() -> None:
    scores: tuple[object, ...] = (None, "60", math.nan, -1, 101, True)
    for score in scores:
        with pytest.raises(InvalidRecords, match="record 2: `score` is"):
            steelyard.rank_domains([{"domain": "a.org", "score": 50}, {"domain": "b.org", "score": score}])
    with pytest.raises(InvalidRecords, match="keys seen: site, score"):
        steelyard.rank_domains([{"site": "a.org", "score": 50}])
