"""The counts of a run: rows, reasons, languages and the distribution of scores, in bounded memory."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from steelyard.corpora.json_rows import unite_kinds

EXAMPLES = 3  # rows named for each reason
BINS_PER_POINT = 10  # scores are counted to a tenth of a point
MAX_COUNT = 2**63 - 1


@dataclass(slots=True)
class Tally:
    """Counts that can be added up: of a batch, a part or a run."""

    rows: int = 0
    kept: int = 0
    flagged: int = 0
    rejected: Counter[str] = field(default_factory=Counter)
    unscored: Counter[str] = field(default_factory=Counter)  # of all rows that could not be scored, kept or not
    languages: Counter[str] = field(default_factory=Counter)
    scores: Counter[int] = field(default_factory=Counter)  # by tenths of a point
    kept_scores: Counter[int] = field(default_factory=Counter)
    percentiles: Counter[int] = field(default_factory=Counter)  # by whole points
    examples: dict[str, list[str]] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)  # of the values under each key, where columns are made of JSON

    def add_scored(self, score: float, percentile: float | None, language: str, *, flagged: bool) -> None:
        """Count a row that was scored."""
        self.scores[round(score * BINS_PER_POINT)] += 1
        self.languages[language] += 1
        self.flagged += flagged
        if percentile is not None:
            self.percentiles[min(99, int(percentile))] += 1

    def add_kept(self, score: float | None) -> None:
        """Count a row that is kept."""
        self.kept += 1
        if score is not None:
            self.kept_scores[round(score * BINS_PER_POINT)] += 1

    def add_example(self, reason: str, where: str) -> None:
        """Remember the first few rows with a reason."""
        known = self.examples.setdefault(reason, [])
        if len(known) < EXAMPLES:
            known.append(where)

    def add(self, other: Tally) -> None:
        """Add the counts of later rows."""
        for name in ("rows", "kept", "flagged"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in _COUNTERS:
            getattr(self, name).update(getattr(other, name))
        for reason, places in other.examples.items():
            for where in places:
                self.add_example(reason, where)
        for key, kind in other.kinds.items():
            self.kinds[key] = unite_kinds(self.kinds.get(key, "null"), kind)

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as JSON."""
        plain = {name: getattr(self, name) for name in ("rows", "kept", "flagged", "examples", "kinds")}
        return {**plain, **{name: dict(getattr(self, name)) for name in _COUNTERS}}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Tally:
        """Return the counts that `to_dict` wrote.

        Raises:
            LookupError, TypeError, ValueError, AttributeError: Something else wrote them.
        """
        tally = cls(check_count(data["rows"]), check_count(data["kept"]), check_count(data["flagged"]))
        tally.examples = {
            reason: [_check_text(place) for place in places] for reason, places in data["examples"].items()
        }
        tally.kinds = {key: _check_text(kind) for key, kind in data["kinds"].items()}
        for name in _COUNTERS:
            counts = {key: check_count(count) for key, count in data[name].items()}
            if name in _BINNED:
                counts = {check_count(int(key)): count for key, count in counts.items()}
            getattr(tally, name).update(counts)
        return tally


def check_count(value: Any) -> int:
    """Return a number of a record, which is a count or a place in a file.

    Raises:
        TypeError: It is something else.
        ValueError: It is negative, or larger than any file.
    """
    if type(value) is not int:
        raise TypeError("not an integer")
    if not 0 <= value <= MAX_COUNT:
        raise ValueError("not a count")
    return value


def _check_text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value


_BINNED = ("scores", "kept_scores", "percentiles")
_COUNTERS = ("rejected", "unscored", "languages", *_BINNED)


def find_quartiles(bins: Mapping[int, int]) -> tuple[float, float, float] | None:
    """Return the quartiles of scores counted by tenths, correct to a tenth; None without scores."""
    keys = sorted(bins)
    ends = list(accumulate(bins[key] for key in keys))  # of the ranks of each key
    if not ends or not ends[-1]:
        return None

    def interpolate(q: float) -> float:
        place = q * (ends[-1] - 1)
        below = int(place)
        ranks = (below, min(below + 1, ends[-1] - 1))
        low, high = (keys[bisect_right(ends, rank)] / BINS_PER_POINT for rank in ranks)
        return round(low + (high - low) * (place - below), 3)

    return interpolate(0.25), interpolate(0.5), interpolate(0.75)
