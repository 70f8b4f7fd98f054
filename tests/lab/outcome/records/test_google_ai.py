"""Google's AI answers: shares as given, two engines that share queries."""

from __future__ import annotations

from collections import Counter

import pytest

from steelyard.errors import InvalidFile
from steelyard.lab.outcome.records import google_ai
from steelyard.lab.outcome.records.base import SourceRecord
from steelyard.lab.outcome.records.load import load_records
from tests.lab.outcome.records import sample_records as samples
from tests.lab.outcome.records.sample_records import TAR, real, rows


def test_shares_are_taken_as_given_in_every_mode() -> None:
    [outcome], notes = google_ai.read(rows(samples.google()))
    assert outcome.answer is None
    assert outcome.shares("strict") == outcome.shares("geo") == (0.75, 0.0, 0.25)
    assert outcome.sources[2] == SourceRecord("https://3.example/", TAR, "Page 3", "https://3.example/", 1.5, 5)
    assert not notes


def test_two_engines_share_a_query_and_a_copy_is_no_repeat() -> None:
    found, notes = google_ai.read(
        rows(
            samples.google(),
            samples.google("google-ai-overview"),
            samples.google(),
            samples.google(shares=(1, 0, 0)),
            samples.google("google-ai-overview", shares=(0, 0, 0)),
        )
    )
    assert [(o.engine, o.run) for o in found] == [
        ("google-ai-mode", "1"),
        ("google-ai-overview", "1"),
        ("google-ai-mode", "2"),
        ("google-ai-overview", "2"),
    ]
    assert len({o.query_id for o in found}) == 1
    assert notes == [
        "1 record is an exact copy of another and was left out",
        "1 of 4 answers cite none of the results listed: all their shares are 0",
    ]


@pytest.mark.parametrize(
    ("shares", "message"),
    [
        ((0.5, 0.4, 1.5), r"mine:1, sources\[2\]: `share` is 1.5, and a share is between 0 and 1"),
        ((0.5, -0.4, 0), r"mine:1, sources\[1\]: `share` is -0.4"),
        ((0.5, float("nan"), 0), r"mine:1, sources\[1\]: `share` is nan"),
        ((0.5, None, 0), r"mine:1, sources\[1\]: `share` is null"),
        ((0.5, 0.5, 0.5), r"mine:1: the shares of its sources sum to 1.5, and must not exceed 1"),
    ],
)
def test_wrong_shares_are_refused(shares: tuple[float, ...], message: str) -> None:
    with pytest.raises(InvalidFile, match=message):
        google_ai.read(rows(samples.google(shares=shares)))


def test_positions_count_from_1() -> None:
    record = samples.google()
    record["sources"][1]["position"] = 0
    with pytest.raises(InvalidFile, match=r"sources\[1\]: `position` is 0, and results count from 1"):
        google_ai.read(rows(record))


def test_the_real_answers() -> None:
    loaded = load_records(real("outcomes/google_ai_answers.jsonl"))
    assert (loaded.dataset, loaded.mode, len(loaded.outcomes)) == ("google-ai", "given", 378)
    assert Counter(o.engine for o in loaded.outcomes) == {"google-ai-mode": 321, "google-ai-overview": 57}
    assert len({o.query_id for o in loaded.outcomes}) == 318
    assert loaded.notes == (
        "6 records are exact copies of others and were left out",
        "129 of 378 answers cite none of the results listed: all their shares are 0",
    )
