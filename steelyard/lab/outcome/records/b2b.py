"""Rewrites of one page among several whose texts the file does not have: shares before and after, and no outcome."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from steelyard.lab.outcome.records.base import GIVEN
from steelyard.lab.outcome.records.rows import Row

NAME = "b2b"
MODE = GIVEN
KEYS = ("query_id", "query", "method", "pawc_share", "baseline_share", "baseline_share_repeat")
SOURCE_KEYS = ()
# The harness gave 1/5 where an answer cited nothing, so a share of exactly this much may not be a measurement.
FALLBACK = 0.2


@dataclass(frozen=True, slots=True)
class Rewrite:
    """The target's share after a rewrite by `method`, and its two shares without one.

    `words` is the length of the rewritten page: methods differ in it, and 0 is a rewrite that failed.
    """

    query_id: str
    query: str
    method: str
    share: float
    baselines: tuple[float, float]
    words: int = 0


def read(rows: Iterable[Row]) -> tuple[list[Rewrite], list[str]]:
    """Read every rewrite; a query has each method once, and the same baselines in all its rows."""
    by_name: dict[tuple[str, str], Rewrite] = {}
    baselines: dict[str, tuple[float, float]] = {}
    for row in rows:
        query, method = row.name("query_id"), row.text("method")
        share, first, second = (row.share(key) for key in ("pawc_share", "baseline_share", "baseline_share_repeat"))
        if (query, method) in by_name:
            raise row.error(f"a second rewrite of query {query!r} by {method!r}")
        if baselines.setdefault(query, (first, second)) != (first, second):
            raise row.error(f"query {query!r} has other baselines in an earlier row")
        words = len(row.text("text", "").split())
        by_name[query, method] = Rewrite(query, row.text("query"), method, share, (first, second), words)
    notes = []
    if empty := sum(not r.words for r in by_name.values()):
        notes.append(f"{empty} of {len(by_name)} rewrites are empty: the page was lost, which is no effect of a method")
    if fallback := sum(r.share == FALLBACK for r in by_name.values()):
        notes.append(f"{fallback} of {len(by_name)} shares are exactly {FALLBACK:g}, which also stands for no citation")
    return list(by_name.values()), notes
