"""Responses: source x variant → points. All that a gate ever sees of a scorer."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from steelyard.lab.protocol.variants import BASE, FILLER, variant_name
from steelyard.lab.stats.intervals import draw_resamples


@dataclass(frozen=True)
class Responses:
    """Points of every source under every variant; `words` counts the words of the untouched sources."""

    sources: tuple[str, ...]
    words: tuple[int, ...]
    points: Mapping[str, Sequence[float]]

    def __len__(self) -> int:
        return len(self.sources)

    def mean(self, variant: str) -> float:
        return math.fsum(self.points[variant]) / len(self)

    def delta(self, edit: str, dose: int, control: str = FILLER) -> float:
        """Return Δ at a dose: the mean of the edited pages minus that of pages with as much neutral filler."""
        return self.mean(variant_name(edit, dose)) - self.mean(variant_name(control, dose))

    def gain(self, variant: str) -> list[float]:
        """Return the variant minus the untouched page for each source: what an attacker sees."""
        return [a - b for a, b in zip(self.points[variant], self.points[BASE.name], strict=True)]

    def select(self, indices: Sequence[int]) -> Responses:
        """Return the sources at these indices; one may occur several times."""
        return Responses(
            tuple(map(self.sources.__getitem__, indices)),
            tuple(map(self.words.__getitem__, indices)),
            {variant: list(map(column.__getitem__, indices)) for variant, column in self.points.items()},
        )

    def resample(self, draws: int, seed: int) -> Iterator[Responses]:
        """Yield the sources drawn with replacement, `draws` times."""
        return map(self.select, draw_resamples(len(self), draws, random.Random(seed)))
