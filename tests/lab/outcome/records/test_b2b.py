"""Rewrites: shares before and after, without competitors."""

from __future__ import annotations

from collections import Counter

import pytest

from steelyard.errors import InvalidFile
from steelyard.lab.outcome.records import b2b
from steelyard.lab.outcome.records.b2b import Rewrite
from steelyard.lab.outcome.records.load import load_records
from tests.lab.outcome.records import sample_records as samples
from tests.lab.outcome.records.sample_records import real, rows


def test_a_row_is_a_rewrite() -> None:
    found, notes = b2b.read(rows(samples.b2b()))
    assert found == [Rewrite("1", "which salt to buy", "quotes", 0.3, (0.1, 0.15), 5)]
    assert not notes


def test_lost_pages_and_the_fallback_share_are_counted() -> None:
    _, notes = b2b.read(rows(samples.b2b("a", text=" "), samples.b2b("b", pawc_share=0.2), samples.b2b("c")))
    assert notes == [
        "1 of 3 rewrites are empty: the page was lost, which is no effect of a method",
        "1 of 3 shares are exactly 0.2, which also stands for no citation",
    ]


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (samples.b2b("quotes"), "mine:2: a second rewrite of query '1' by 'quotes'"),
        (samples.b2b("other", baseline_share=0.11), "mine:2: query '1' has other baselines in an earlier row"),
        (samples.b2b("other", pawc_share=1.2), "mine:2: `pawc_share` is 1.2, and a share is between 0 and 1"),
        (samples.b2b("other", baseline_share=None), "mine:2: `baseline_share` is null"),
        (samples.b2b(""), "mine:2: `method` is empty"),
    ],
)
def test_a_wrong_row_is_refused(second: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidFile, match=message):
        b2b.read(rows(samples.b2b(), second))


def test_the_real_rewrites() -> None:
    loaded = load_records(real("outcomes/b2b_rewrites.jsonl.gz"))
    assert (loaded.dataset, loaded.mode, loaded.outcomes, len(loaded.rewrites)) == ("b2b", "given", (), 4000)
    assert len({r.query_id for r in loaded.rewrites}) == 400
    assert set(Counter(r.method for r in loaded.rewrites).values()) == {400}
    assert loaded.notes[0].startswith("48 of 4000 rewrites are empty")
    assert loaded.notes[1].startswith("336 of 4000 shares are exactly 0.2")
