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
# The harness gave 1/5 where an answer cited nothing, so a share of exactly this much may be no measurement.
FALLBACK = 0.2


@dataclass(frozen=True, slots=True)
class Rewrite:
    """The target's share after a rewrite by `method`, and its shares in repeats without one.

    `words` is the length of the rewritten page: methods differ in it, and 0 is a rewrite that failed.
    """

    query_id: str
    query: str
    method: str
    share: float
    baselines: tuple[float, ...]
    words: int = 0


def read(rows: Iterable[Row]) -> tuple[list[Rewrite], list[str]]:
    """Every rewrite, each method once for a query, whose baselines are the same in all its rows."""
    found: dict[tuple[str, str], Rewrite] = {}
    baselines: dict[str, tuple[float, ...]] = {}
    for row in rows:
        rewrite = Rewrite(
            row.name("query_id"),
            row.text("query"),
            row.text("method"),
            row.share("pawc_share"),
            (row.share("baseline_share"), row.share("baseline_share_repeat")),
            len(row.text("text", "").split()),
        )
        if (rewrite.query_id, rewrite.method) in found:
            raise row.wrong(f"a second rewrite of query {rewrite.query_id!r} by {rewrite.method!r}")
        if baselines.setdefault(rewrite.query_id, rewrite.baselines) != rewrite.baselines:
            raise row.wrong(f"the baselines of query {rewrite.query_id!r} are others in an earlier row")
        found[rewrite.query_id, rewrite.method] = rewrite
    notes = []
    if empty := sum(not r.words for r in found.values()):
        notes.append(f"{empty} of {len(found)} rewrites are empty: the page was lost, which is no effect of a method")
    if fallback := sum(r.share == FALLBACK for r in found.values()):
        notes.append(f"{fallback} of {len(found)} shares are exactly {FALLBACK:g}, which also stands for no citation")
    return list(found.values()), notes
