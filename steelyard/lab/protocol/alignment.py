"""Alignment: how well five responses agree with the five anchors, and how sure that is."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from steelyard.lab.protocol.anchors import ANCHORS, PUBLISHED
from steelyard.lab.protocol.gates import DRAWS
from steelyard.lab.protocol.responses import Resample, Responses
from steelyard.lab.stats.bootstrap import Interval, interval, resamples
from steelyard.lab.stats.correlation import pearson, permutation_p, spearman


@dataclass(frozen=True, slots=True)
class Alignment:
    """None where the responses do not vary, so that there is no correlation."""

    responses: dict[str, float]
    pearson: float | None
    interval: Interval | None
    spearman: float | None
    permutation_p: float | None

    def record(self) -> dict[str, Any]:
        low, high = (self.interval.low, self.interval.high) if self.interval else (None, None)
        return {
            "responses": self.responses,
            "pearson": self.pearson,
            "interval": [low, high],
            "spearman": self.spearman,
            "permutation_p": self.permutation_p,
        }


def deltas(sample: Responses | Resample) -> list[float]:
    """The response to each intervention at dose 1, in the order of the anchors."""
    return [sample.delta(edit, 1) for edit in ANCHORS]


def align(responses: Responses, *, draws: int = DRAWS, seed: int = 0) -> Alignment:
    """Pearson with a bootstrap interval over sources, Spearman, and the exact one-sided permutation p."""
    found = deltas(responses)
    r = pearson(found, PUBLISHED)
    if r is None:
        return Alignment(dict(zip(ANCHORS, found, strict=True)), None, None, None, None)
    spread = None
    if draws and len(responses) > 1:
        samples = responses.drawn(resamples(len(responses), draws, random.Random(seed)))
        values = [v for s in samples if (v := pearson(deltas(s), PUBLISHED)) is not None]
        spread = Interval(*interval(values), 1 - len(values) / draws) if values else None
    return Alignment(
        dict(zip(ANCHORS, found, strict=True)),
        r,
        spread,
        spearman(found, PUBLISHED),
        permutation_p(found, PUBLISHED),
    )
