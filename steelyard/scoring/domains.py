"""Domain ranking: the shrunk mean, so that a domain with one lucky page does not lead."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from steelyard.components.arithmetic.numbers import mean
from steelyard.errors import InvalidRecords
from steelyard.lab.stats.summary import student_t_975

PRIOR = 50.0
STRENGTH = 5


@dataclass(frozen=True, slots=True)
class DomainRow:
    """One domain: its rank by the shrunk mean, and the 95% interval of that mean (None for a single page)."""

    rank: int
    domain: str
    n: int
    mean: float
    shrunk: float
    low: float | None
    high: float | None

    def keys(self) -> tuple[str, ...]:
        """A row also reads as a mapping: row["mean"], dict(row)."""
        return tuple(f.name for f in fields(self))

    def __getitem__(self, key: str) -> Any:
        if key not in self.keys():
            raise KeyError(key)
        return getattr(self, key)


def shrunk(n: int, average: float) -> float:
    """(k p + n s) / (k + n) with prior p = 50 and strength k = 5."""
    return (STRENGTH * PRIOR + n * average) / (STRENGTH + n)


def rank_domains(records: Iterable[Mapping[str, Any]]) -> list[DomainRow]:
    """Rows sorted by the shrunk mean, ties by name; equal means share a rank."""
    pages: dict[str, list[float]] = {}
    for number, record in enumerate(records, start=1):
        domain, score = _record(record, number)
        pages.setdefault(domain, []).append(score)
    order = sorted(pages, key=lambda d: (-shrunk(len(pages[d]), mean(pages[d])), d))
    rows: list[DomainRow] = []
    for position, domain in enumerate(order, start=1):
        scores = pages[domain]
        value = shrunk(len(scores), mean(scores))
        rank = rows[-1].rank if rows and rows[-1].shrunk == value else position
        rows.append(DomainRow(rank, domain, len(scores), mean(scores), value, *_interval(scores)))
    return rows


def _record(record: Mapping[str, Any], number: int) -> tuple[str, float]:
    where = f"record {number}"
    if not isinstance(record, Mapping):
        raise InvalidRecords(where, "is not an object with `domain` and `score`")
    domain, score = record.get("domain"), record.get("score")
    if not isinstance(domain, str) or not domain.strip():
        raise InvalidRecords(
            where, f"`domain` is {domain!r}; give the domain's name (keys seen: {', '.join(map(str, record))})"
        )
    if (
        isinstance(score, bool)
        or not isinstance(score, int | float)
        or not 0 <= score <= 100  # NaN and infinities are outside, and no integer is too long to compare
    ):
        raise InvalidRecords(
            where, f"`score` is {score!r}; give a number from 0 to 100 (keys seen: {', '.join(map(str, record))})"
        )
    return domain.strip().lower(), float(score)


def _interval(scores: list[float]) -> tuple[float | None, float | None]:
    """95% t interval of the mean, carried through the shrinkage; undefined with one page."""
    n = len(scores)
    if n < 2:
        return None, None
    average = mean(scores)
    spread = math.sqrt(math.fsum((s - average) ** 2 for s in scores) / (n - 1))
    half = student_t_975(n - 1) * spread / math.sqrt(n)
    return shrunk(n, max(0.0, average - half)), shrunk(n, min(100.0, average + half))
