"""Rank displacement: how many leaderboard positions a gain in points buys, one attacking domain at a time.

The prior of Definition 2 is the constant 50, not the mean of the snapshot: an attacker moves its own shrunk score and
nobody else's. Its new rank is then one binary search among the unchanged scores, with the product's `shrunk` and
`mean`, and so bit for bit the rank that `rank_domains` gives when everything is ranked again (tested).
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from steelyard.components.arithmetic.numbers import clamp, mean
from steelyard.errors import InvalidRecords, SteelyardError
from steelyard.lab.gaming.snapshot import Snapshot, taken
from steelyard.lab.stats.summary import deviation, quantile
from steelyard.scoring.domains import PRIOR, STRENGTH, DomainRow, rank_domains, shrunk

Scores = Sequence[float]
Gains = Sequence[float] | Mapping[str, float | Sequence[float]]

GAINS = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0)
ALL = "all"
SIZES = (("1", 1, 1), ("2-4", 2, 4), ("5-9", 5, 9), ("10-49", 10, 49), ("50+", 50, None))  # pages of a domain
GROUPS = (ALL, *(name for name, _, _ in SIZES))


class InvalidGain(SteelyardError):
    """A gain that is no number of points."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"gain {name!r}: {reason}; give a number of points from -100 to 100, or a list of them")


def single_page(scores: Scores, gain: float) -> list[float]:
    """The lowest page inflated: the attacker's best choice, because it is the last to meet the limit of 100."""
    lowest, *others = sorted(scores)
    return [clamp(lowest + gain, 0.0, 100.0), *others]


def whole_domain(scores: Scores, gain: float) -> list[float]:
    """Every page inflated."""
    return [clamp(s + gain, 0.0, 100.0) for s in scores]


ATTACKS: dict[str, Callable[[Scores, float], list[float]]] = {
    "single_page": single_page,
    "whole_domain": whole_domain,
}


@dataclass(frozen=True, slots=True)
class Board:
    """A ranking that can be asked where one domain would stand with other pages, all others as they are."""

    rows: tuple[DomainRow, ...]
    pages: Mapping[str, tuple[float, ...]]
    ascending: tuple[float, ...]

    @classmethod
    def of(cls, records: Iterable[Mapping[str, Any]]) -> Board:
        kept = list(records)
        rows = tuple(rank_domains(kept))  # checks the records, too
        pages: dict[str, list[float]] = {row.domain: [] for row in rows}
        for record in kept:
            pages[record["domain"].strip().lower()].append(float(record["score"]))
        return cls(rows, {d: tuple(s) for d, s in pages.items()}, tuple(sorted(row.shrunk for row in rows)))

    def moved(self, row: DomainRow, scores: Scores) -> Move:
        """What becomes of one domain when its pages score this."""
        value = shrunk(len(scores), mean(scores))
        better = len(self.ascending) - bisect_right(self.ascending, value)
        better -= row.shrunk > value  # it does not stand before itself
        return Move(row.n, row.rank - (better + 1), value - row.shrunk)


@dataclass(frozen=True, slots=True)
class Move:
    """A domain of `n` pages gained so many positions by a shift of its shrunk score, in points."""

    n: int
    positions: int
    shift: float


def displacement(records: Snapshot | Iterable[Mapping[str, Any]], gains: Gains = GAINS) -> dict[str, Any]:
    """Positions gained by every domain in turn, under both attacks, for every gain; in all and by size.

    A gain is a number of points or a list of them, the empirical distribution of a lever: then every domain tries
    every value, given to all pages of the attack, and the pairs are pooled.
    """
    snapshot, named = taken(records), _named(gains)
    board = Board.of(snapshot.records)
    if not board.rows:
        raise InvalidRecords(snapshot.name or "the snapshot", "holds no records; give rows with `domain` and `score`")
    return {
        "snapshot": _described(snapshot, board),
        "prior": PRIOR,
        "strength": STRENGTH,
        "order": list(named),
        "gains": {name: _gain(board, points) for name, points in named.items()},
        "domains": [{"domain": r.domain, "n": r.n, "rank": r.rank, "shrunk": r.shrunk} for r in board.rows],
    }


def _named(gains: Gains) -> dict[str, tuple[float, ...]]:
    """Every gain under its name; plain numbers are named by themselves."""
    pairs = gains.items() if isinstance(gains, Mapping) else [(_label(g), g) for g in gains]
    return {name: _points(name, value) for name, value in pairs}


def _label(gain: Any) -> str:
    """`3` for 3.0, and never one name for two numbers."""
    return str(int(gain)) if isinstance(gain, float) and gain.is_integer() else str(gain)


def _points(name: str, value: Any) -> tuple[float, ...]:
    points = tuple(value) if isinstance(value, list | tuple) else (value,)
    if not points:
        raise InvalidGain(name, "an empty list")
    for point in points:
        if isinstance(point, bool) or not isinstance(point, int | float) or not -100 <= point <= 100:
            raise InvalidGain(name, f"{point!r} is none")
    return tuple(float(p) for p in points)


def _gain(board: Board, points: tuple[float, ...]) -> dict[str, Any]:
    """Both attacks with one gain. The positions of every domain, in the order of `domains`, unless there are many."""
    attacks = {}
    for name, inflate in ATTACKS.items():
        moves = [board.moved(row, inflate(board.pages[row.domain], p)) for p in points for row in board.rows]
        attacks[name] = {
            "groups": {group: _summary(chosen) for group, chosen in _grouped(moves).items()},
            "positions": [m.positions for m in moves] if len(points) == 1 else None,
        }
    summary = {"n": len(points), "mean": mean(points), "low": min(points), "high": max(points)}
    return {"points": summary, "attacks": attacks}


def _grouped(moves: Sequence[Move]) -> dict[str, list[Move]]:
    groups = {ALL: list(moves)}
    for name, least, most in SIZES:
        groups[name] = [m for m in moves if m.n >= least and (most is None or m.n <= most)]
    return groups


def _summary(moves: Sequence[Move]) -> dict[str, Any]:
    """The distribution of positions gained; every figure None where no domain has this size."""
    if not moves:
        keys = ("median", "p95", "most", "share_1", "share_5", "shift_median", "shift_most")
        return {"attacks": 0, **dict.fromkeys(keys)}
    positions, shifts = [m.positions for m in moves], [m.shift for m in moves]
    return {
        "attacks": len(moves),
        "median": quantile(positions, 0.5),
        "p95": quantile(positions, 0.95),
        "most": max(positions),
        "share_1": sum(p >= 1 for p in positions) / len(positions),
        "share_5": sum(p >= 5 for p in positions) / len(positions),
        "shift_median": quantile(shifts, 0.5),
        "shift_most": max(shifts),
    }


def _described(snapshot: Snapshot, board: Board) -> dict[str, Any]:
    """The snapshot's size, spread and density: how many domains stand in one point of the middle half."""
    scores = [s for pages in board.pages.values() for s in pages]
    low, high = (quantile(board.ascending, q) for q in (0.25, 0.75))
    inside = sum(low <= value <= high for value in board.ascending)
    return {
        "name": snapshot.name,
        "sha256": snapshot.sha256,
        "synthetic": snapshot.synthetic,
        "domains": len(board.rows),
        "pages": len(scores),
        "sizes": {name: len(chosen) for name, chosen in _grouped([Move(r.n, 0, 0.0) for r in board.rows]).items()},
        "page_mean": mean(scores),
        "page_sd": deviation(scores),
        "shrunk_quartiles": [low, high],
        "domains_per_point": inside / (high - low) if not math.isclose(low, high) else None,
    }
