"""Responses: source x variant → points. All that a gate ever sees of a scorer."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from steelyard.lab.protocol.variants import BASE, FILLER, named
from steelyard.lab.stats.bootstrap import means


@dataclass(frozen=True)
class Responses:
    """Points of every source under every variant; `words` are those of the untouched sources."""

    sources: tuple[str, ...]
    words: tuple[int, ...]
    points: Mapping[str, Sequence[float]]

    def __len__(self) -> int:
        return len(self.sources)

    def mean(self, variant: str) -> float:
        return math.fsum(self.points[variant]) / len(self)

    def delta(self, edit: str, dose: int) -> float:
        """Δ at a dose: the mean over sources of the edited page less the page with as much neutral filler."""
        return self.mean(named(edit, dose)) - self.mean(named(FILLER, dose))

    def gain(self, variant: str) -> list[float]:
        """Per source: the variant less the untouched page, which is what an attacker sees."""
        return [a - b for a, b in zip(self.points[variant], self.points[BASE.name], strict=True)]

    def drawn(self, draws: Sequence[Sequence[int]]) -> list[Resample]:
        """One resample of the sources per draw, with the same sources in every variant."""
        columns = list(self.points)
        table = means([self.points[c] for c in columns], draws)
        return [
            Resample(self, draw, dict(zip(columns, (row[i] for row in table), strict=True)))
            for i, draw in enumerate(draws)
        ]


@dataclass(frozen=True, slots=True)
class Resample:
    """Responses over sources drawn with replacement: what a gate's statistic is bootstrapped over."""

    whole: Responses
    draw: Sequence[int]
    means: Mapping[str, float]

    def __len__(self) -> int:
        return len(self.draw)

    @property
    def words(self) -> list[int]:
        return [self.whole.words[i] for i in self.draw]

    @property
    def points(self) -> Mapping[str, Sequence[float]]:
        return {BASE.name: [self.whole.points[BASE.name][i] for i in self.draw]}

    def mean(self, variant: str) -> float:
        return self.means[variant]

    def delta(self, edit: str, dose: int) -> float:
        return self.mean(named(edit, dose)) - self.mean(named(FILLER, dose))
