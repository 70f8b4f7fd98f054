"""Rank displacement: how many leaderboard positions a gain in points buys, one attacking domain at a time.

The prior of Definition 2 is the constant 50, not the mean of the snapshot: an attacker moves its own shrunk score and
nobody else's. Its new rank is then one binary search among the unchanged scores, with the product's `shrink_mean` and
`mean`, and so bit for bit the rank that `rank_domains` gives when everything is ranked again (tested).
"""

from __future__ import annotations

import math
import os
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from steelyard.components.arithmetic.numbers import clamp, mean
from steelyard.errors import InvalidRecords
from steelyard.lab.corpus.loading import demo_folder
from steelyard.lab.stats.intervals import standard_deviation
from steelyard.scoring.domains import PRIOR, STRENGTH, DomainRow, rank_domains, shrink_mean
from steelyard.site.score_records import ScoreRecords
from steelyard.support.artifacts import hash_file
from steelyard.support.quantile import quantile

LEADERBOARD = "leaderboard.csv"  # next to the demo pages in a checkout, among them in an installation
# RFC 2606 and RFC 6761: no real site can have these names, so a snapshot that contains one was made up.
RESERVED = (".example", ".test", ".invalid", ".localhost", ".example.com", ".example.net", ".example.org")


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Records of `domain` and `score`, one per page; name and digest are None for records that came from no file."""

    records: tuple[Mapping[str, Any], ...]
    name: str | None = None
    sha256: str | None = None

    @property
    def is_synthetic(self) -> bool:
        """Whether any domain has a reserved name: the data decide, so that the label cannot be lost."""
        return any(f".{str(r.get('domain')).strip().lower()}".endswith(RESERVED) for r in self.records)


def read_synthetic() -> Snapshot:
    """Read the frozen leaderboard of the package; its domains have reserved names, which label it as synthetic."""
    pages = demo_folder()
    return read_snapshot(next(p for p in (pages / LEADERBOARD, pages.parent / LEADERBOARD) if p.is_file()))


def read_snapshot(path: str | os.PathLike[str]) -> Snapshot:
    """Read a table of scores as `steelyard leaderboard` does: CSV, JSON or JSONL with `url` or `domain`, and `score`.

    Raises:
        InvalidRecords: It is no such file, or no row has a domain, or one has no score from 0 to 100.
    """
    where = os.fspath(path)
    rows = ScoreRecords(where)
    records = tuple({"domain": record["domain"], "score": record["score"]} for record in rows)
    rows.check()
    return Snapshot(records, os.path.basename(where), hash_file(where))


Scores = Sequence[float]

GAINS = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0)
ALL = "all"
SIZES = {ALL: (1, math.inf), "1": (1, 1), "2-4": (2, 4), "5-9": (5, 9), "10-49": (10, 49), "50+": (50, math.inf)}
GROUPS = tuple(SIZES)


def inflate_lowest_page(scores: Scores, gain: float) -> list[float]:
    """Inflate the lowest page: the attacker's best choice, because it is the last to reach the limit of 100."""
    lowest, *others = sorted(scores)
    return [clamp(lowest + gain, 0.0, 100.0), *others]


def inflate_all_pages(scores: Scores, gain: float) -> list[float]:
    return [clamp(s + gain, 0.0, 100.0) for s in scores]


INFLATIONS: dict[str, Callable[[Scores, float], list[float]]] = {
    "single_page": inflate_lowest_page,
    "whole_domain": inflate_all_pages,
}


@dataclass(frozen=True, slots=True)
class RankChange:
    """The positions a domain of `n` pages gained, and the shift of its shrunk score in points."""

    n: int
    positions: int
    shift: float


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """A ranking that tells where one domain would be with other scores, all other domains unchanged."""

    rows: tuple[DomainRow, ...]
    pages: Mapping[str, list[float]]
    ascending: tuple[float, ...]

    @classmethod
    def rank(cls, records: Iterable[Mapping[str, Any]]) -> Leaderboard:
        listed = list(records)
        rows = tuple(rank_domains(listed))  # checks the records, too
        pages: dict[str, list[float]] = {row.domain: [] for row in rows}
        for record in listed:
            pages[record["domain"].strip().lower()].append(float(record["score"]))
        return cls(rows, pages, tuple(sorted(row.shrunk for row in rows)))

    def move_domain(self, row: DomainRow, scores: Scores) -> RankChange:
        """Return what becomes of one domain when its pages have these scores."""
        value = shrink_mean(len(scores), mean(scores))
        better = len(self.ascending) - bisect_right(self.ascending, value)
        better -= row.shrunk > value  # the domain is not ranked before itself
        return RankChange(row.n, row.rank - (better + 1), value - row.shrunk)


def measure_displacement(snapshot: Snapshot, gains: Sequence[float] = GAINS) -> dict[str, Any]:
    """Return the positions gained by every domain in turn, by gain and kind of attack, in total and by size."""
    board = Leaderboard.rank(snapshot.records)
    if not board.rows:
        raise InvalidRecords(snapshot.name or "the snapshot", "holds no records; give rows with `domain` and `score`")
    by_name = {str(gain).removesuffix(".0"): gain for gain in gains}
    return {
        "snapshot": _describe_snapshot(snapshot, board),
        "prior": PRIOR,
        "strength": STRENGTH,
        "order": list(by_name),
        "gains": {name: _measure_gain(board, gain) for name, gain in by_name.items()},
        "domains": [{"domain": r.domain, "n": r.n, "rank": r.rank, "shrunk": r.shrunk} for r in board.rows],
    }


def _measure_gain(board: Leaderboard, gain: float) -> dict[str, Any]:
    """Try both attacks with one gain; the positions are in the order of `domains`."""
    attacks = {}
    for name, inflate in INFLATIONS.items():
        changes = [board.move_domain(row, inflate(board.pages[row.domain], gain)) for row in board.rows]
        attacks[name] = {
            "groups": {
                size: _summarise([c for c in changes if least <= c.n <= most]) for size, (least, most) in SIZES.items()
            },
            "positions": [c.positions for c in changes],
        }
    return {"points": {"n": 1, "mean": gain, "low": gain, "high": gain}, "attacks": attacks}


def _summarise(changes: Sequence[RankChange]) -> dict[str, Any]:
    """Return the distribution of positions gained; every figure is None when no domain has this size."""
    if not changes:
        keys = ("median", "p95", "most", "share_1", "share_5", "shift_median", "shift_most")
        return {"attacks": 0, **dict.fromkeys(keys)}
    positions, shifts = [c.positions for c in changes], [c.shift for c in changes]
    return {
        "attacks": len(changes),
        "median": quantile(positions, 0.5),
        "p95": quantile(positions, 0.95),
        "most": max(positions),
        "share_1": sum(p >= 1 for p in positions) / len(positions),
        "share_5": sum(p >= 5 for p in positions) / len(positions),
        "shift_median": quantile(shifts, 0.5),
        "shift_most": max(shifts),
    }


def _describe_snapshot(snapshot: Snapshot, board: Leaderboard) -> dict[str, Any]:
    """Return the snapshot's size, spread and density: how many domains are within one point of the middle half."""
    scores = [s for pages in board.pages.values() for s in pages]
    low, high = (quantile(board.ascending, q) for q in (0.25, 0.75))
    inside = sum(low <= value <= high for value in board.ascending)
    return {
        "name": snapshot.name,
        "sha256": snapshot.sha256,
        "synthetic": snapshot.is_synthetic,
        "domains": len(board.rows),
        "pages": len(scores),
        "sizes": {size: sum(least <= r.n <= most for r in board.rows) for size, (least, most) in SIZES.items()},
        "page_mean": mean(scores),
        "page_sd": standard_deviation(scores),
        "shrunk_quartiles": [low, high],
        "domains_per_point": inside / (high - low) if not math.isclose(low, high) else None,
    }
