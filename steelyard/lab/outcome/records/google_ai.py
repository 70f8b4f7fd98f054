"""Answers of Google's AI Mode and AI Overview: shares over the search results, no answer text, snippets for sources.

The two engines answer some queries both, over the same results: draw folds over queries, not over records.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from steelyard.lab.outcome.records.base import GIVEN, Candidate, Outcome
from steelyard.lab.outcome.records.rows import Row, distinct, name_of
from steelyard.support.wording import counted

NAME = "google-ai"
MODE = GIVEN
KEYS = ("query", "engine", "sources")
SOURCE_KEYS = ("text", "url", "position", "share")


def read(rows: Iterable[Row]) -> tuple[list[Outcome], list[str]]:
    """One outcome for every record that is not a copy of another; a query asked again is run 2, 3, …"""
    seen: set[Outcome] = set()
    runs: Counter[tuple[str, str]] = Counter()
    found: list[Outcome] = []
    copies = 0
    for row in rows:
        outcome = _outcome(row)
        if outcome in seen:
            copies += 1
            continue
        seen.add(outcome)
        runs[outcome.engine, outcome.query] += 1
        found.append(replace(outcome, run=str(runs[outcome.engine, outcome.query])))
    notes = []
    if copies:
        same = counted(
            copies, "record is an exact copy of another and was", "records are exact copies of others and were"
        )
        notes.append(f"{same} left out")
    if none := sum(not any(o.given or ()) for o in found):
        notes.append(f"{none} of {len(found)} answers cite none of the results listed: all their shares are 0")
    return found, notes


def _outcome(row: Row) -> Outcome:
    query, listed = row.text("query"), row.rows("sources")
    keys = distinct(source.text("url") for source in listed)
    given = tuple(source.share("share") for source in listed)
    if (total := math.fsum(given)) > 1.001:
        raise row.wrong(f"the shares of its sources sum to {total:.4g}, and must not exceed 1")
    return Outcome(
        NAME,
        name_of(query),
        query,
        row.text("engine"),
        tuple(_candidate(key, source) for key, source in zip(keys, listed, strict=True)),
        tuple(range(len(listed))),
        given=given,
    )


def _candidate(key: str, source: Row) -> Candidate:
    rank = source.whole("position")
    if rank < 1:
        raise source.wrong(f"`position` is {rank}, and results count from 1")
    return Candidate(
        key,
        source.text("text", ""),
        source.text("title", ""),
        source.text("url"),
        source.known("llm_relevance"),
        rank,
    )
