"""Rank domains by a mean that is shrunk towards a prior, so that one lucky page does not put a domain first."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from steelyard.components.arithmetic.numbers import mean
from steelyard.errors import InvalidRecords
from steelyard.support.quantile import t_quantile_975

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
        """Return the names of the columns, so that a row also reads as a mapping: row["mean"], dict(row)."""
        return tuple(f.name for f in fields(self))

    def __getitem__(self, key: str) -> Any:
        if key not in self.keys():
            raise KeyError(key)
        return getattr(self, key)


def shrink_mean(n: int, average: float) -> float:
    """Return (k p + n s) / (k + n) with prior p = 50 and strength k = 5."""
    return (STRENGTH * PRIOR + n * average) / (STRENGTH + n)


def rank_domains(records: Iterable[Mapping[str, Any]]) -> list[DomainRow]:
    """Return one row per domain, sorted by the shrunk mean and then by name; equal means share a rank."""
    pages: dict[str, list[float]] = {}
    for number, record in enumerate(records, start=1):
        domain, score = _check_record(record, f"record {number}")
        pages.setdefault(domain, []).append(score)
    means = {domain: shrink_mean(len(scores), mean(scores)) for domain, scores in pages.items()}
    rows: list[DomainRow] = []
    for position, domain in enumerate(sorted(pages, key=lambda d: (-means[d], d)), start=1):
        scores = pages[domain]
        rank = rows[-1].rank if rows and rows[-1].shrunk == means[domain] else position
        rows.append(DomainRow(rank, domain, len(scores), mean(scores), means[domain], *_interval(scores)))
    return rows


def _check_record(record: Mapping[str, Any], where: str) -> tuple[str, float]:
    if not isinstance(record, Mapping):
        raise InvalidRecords(where, "is not an object with `domain` and `score`")
    domain, score = record.get("domain"), record.get("score")
    keys = f"(keys seen: {', '.join(map(str, record))})"
    if not isinstance(domain, str) or not domain.strip():
        raise InvalidRecords(where, f"`domain` is {domain!r}; give the domain's name {keys}")
    # NaN and infinities fail the comparison, and integers of any length can be compared.
    if isinstance(score, bool) or not isinstance(score, int | float) or not 0 <= score <= 100:
        raise InvalidRecords(where, f"`score` is {score!r}; give a number from 0 to 100 {keys}")
    return domain.strip().lower(), float(score)


def _interval(scores: list[float]) -> tuple[float | None, float | None]:
    """Return the 95% t interval of the mean, shrunk like the mean; it is undefined for one page."""
    n = len(scores)
    if n < 2:
        return None, None
    average = mean(scores)
    deviation = math.sqrt(math.fsum((s - average) ** 2 for s in scores) / (n - 1))
    half = t_quantile_975(n - 1) * deviation / math.sqrt(n)
    return shrink_mean(n, max(0.0, average - half)), shrink_mean(n, min(100.0, average + half))
