"""Answers of Google's AI Mode and AI Overview: shares over the search results, no answer text, snippets for sources.

The two engines answer some queries both, over the same results: draw folds over queries, not over records.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from steelyard.lab.outcome.records.base import GIVEN, Outcome, SourceRecord, number_runs, read_source
from steelyard.lab.outcome.records.rows import Row, hash_query, make_distinct
from steelyard.support.formatting import format_count

NAME = "google-ai"
MODE = GIVEN
KEYS = ("query", "engine", "sources")
SOURCE_KEYS = ("text", "url", "position", "share")


def read(rows: Iterable[Row]) -> tuple[list[Outcome], list[str]]:
    """Read one outcome for every record that is not a copy of another."""
    every = [_read_outcome(row) for row in rows]
    outcomes = list(number_runs(dict.fromkeys(every)))
    notes = []
    if copies := len(every) - len(outcomes):
        same = "record is an exact copy of another and was", "records are exact copies of others and were"
        notes.append(f"{format_count(copies, *same)} left out")
    if none := sum(not any(o.given or ()) for o in outcomes):
        notes.append(f"{none} of {len(outcomes)} answers cite none of the results listed: all their shares are 0")
    return outcomes, notes


def _read_outcome(row: Row) -> Outcome:
    query, listed = row.text("query"), row.rows("sources")
    keys = make_distinct(source.text("url") for source in listed)
    reported = tuple(source.share("share") for source in listed)
    if (total := math.fsum(reported)) > 1.001:
        raise row.error(f"the shares of its sources sum to {total:.4g}, and must not exceed 1")
    sources = tuple(_read_result(key, source) for key, source in zip(keys, listed, strict=True))
    places = tuple(range(len(sources)))
    return Outcome(NAME, hash_query(query), query, row.text("engine"), sources, places, given=reported)


def _read_result(key: str, source: Row) -> SourceRecord:
    rank = source.whole("position")
    if rank < 1:
        raise source.error(f"`position` is {rank}, and results count from 1")
    return read_source(source, key, rank=rank)
