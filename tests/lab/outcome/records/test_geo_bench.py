"""GEO-Bench rows with answers: a baseline and an arm for every edit."""

from __future__ import annotations

import pytest

from steelyard.errors import InvalidFile
from steelyard.lab.outcome.records import geo_bench
from steelyard.lab.outcome.records.load import load_records
from tests.lab.outcome.records import sample_records as samples
from tests.lab.outcome.records.sample_records import ICE, SALT, TAR, real, rows


def test_a_row_gives_a_baseline_and_an_arm_for_every_edit() -> None:
    found, notes = geo_bench.read(rows(samples.geo_bench()))
    baseline, quotes, summary = found
    assert not notes
    assert [o.arm for o in found] == ["baseline", "quotes", "summary"]
    assert {(o.query, o.query_id, o.engine, o.tags, o.shown) for o in found} == {
        (baseline.query, baseline.query_id, "not named", ("informational", "trade"), (0, 1, 2))
    }
    assert [s.text for s in baseline.sources] == [SALT, ICE, TAR]
    assert [s.key for s in baseline.sources] == [
        "https://a.example/salt", "https://b.example/ice", "https://b.example/ice#2",
    ]  # fmt: skip
    assert quotes.sources[1:] == summary.sources[1:] == baseline.sources[1:]
    assert quotes.sources[0].text == f"“Salt is life.” {SALT}"
    assert quotes.sources[0].key == baseline.sources[0].key
    assert summary.shares("geo") == (0.0, 0.0, 1.0)


def test_the_target_is_the_source_that_was_edited_and_not_the_proposed_one() -> None:
    found, _ = geo_bench.read(rows(samples.geo_bench(sugg_idx=2)))
    assert [o.target for o in found] == [0, 0, 0]


def test_with_edits_of_different_sources_every_arm_has_its_own_target() -> None:
    edits = samples.geo_bench()["edits"]
    edits["summary"] = edits["summary"] | {"choosen_doc_idx": 1}
    found, _ = geo_bench.read(rows(samples.geo_bench(edits=edits, sugg_idx=2)))
    assert [o.target for o in found] == [2, 0, 1]
    assert found[2].sources[1].text == "Salt."


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sugg_idx": 3}, "mine:1: `sugg_idx` is 3, and the sources go from 0 to 2"),
        ({"sources": []}, "mine:1: `sources` is an empty list"),
        ({"edits": {"a": {"choosen_doc_idx": 5}}}, "mine:1, edits, a: `choosen_doc_idx` is 5"),
        ({"edits": {"a": {"choosen_doc_idx": 0, "edited": "x"}}}, "mine:1, edits, a: `response` is missing"),
        ({"edits": {"baseline": samples.geo_bench()["edits"]["quotes"]}}, "mine:1: an edit is named 'baseline'"),
        ({"baseline_response": ""}, "mine:1: `baseline_response` is empty"),
    ],
)
def test_a_wrong_row_is_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidFile, match=message):
        geo_bench.read(rows(samples.geo_bench(**changes)))


def test_a_second_row_of_a_query_is_refused() -> None:
    with pytest.raises(InvalidFile, match="mine:2: its query is in an earlier row"):
        geo_bench.read(rows(samples.geo_bench(), samples.geo_bench()))


def test_the_real_rows() -> None:
    loaded = load_records(real("geo_bench_rows.json"))
    assert (loaded.dataset, loaded.mode, len(loaded.outcomes)) == ("geo-bench", "geo", 22)
    assert len({o.arm for o in loaded.outcomes}) == 11
    assert {len(o.sources) for o in loaded.outcomes} == {5}
    for outcome in loaded.outcomes:
        shares = outcome.shares("strict")
        assert shares is not None
        assert sum(shares) == pytest.approx(1)
