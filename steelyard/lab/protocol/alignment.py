"""Alignment: how well five responses agree with the five anchors, and how certain that is."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from steelyard.lab.protocol.anchors import ANCHORS, PUBLISHED
from steelyard.lab.protocol.gates import DRAWS, count_by_estimate, judge
from steelyard.lab.protocol.responses import Responses
from steelyard.lab.protocol.variants import MAX_DOSE, STUFFING
from steelyard.lab.stats.correlation import pearson, permutation_p, spearman
from steelyard.lab.stats.intervals import Interval, interval_of_resamples


@dataclass(frozen=True, slots=True)
class Alignment:
    """The correlation of responses with the anchors; None where the responses do not vary."""

    responses: dict[str, float]
    pearson: float | None
    interval: Interval | None
    spearman: float | None
    permutation_p: float | None

    def record(self) -> dict[str, Any]:
        return asdict(self) | {"interval": list(self.interval or (None, None))}


def align(responses: Responses, *, draws: int = DRAWS, seed: int = 0) -> Alignment:
    """Correlate the responses at dose 1 with the anchors.

    Returns:
        Pearson with a bootstrap interval over sources, Spearman, and the exact one-sided permutation p.
    """
    deltas = _list_deltas(responses)
    r = pearson(deltas, PUBLISHED)
    by_edit = dict(zip(ANCHORS, deltas, strict=True))
    if r is None:
        return Alignment(by_edit, None, None, None, None)
    resampled = responses.resample(draws, seed) if len(responses) > 1 else ()
    spread = interval_of_resamples([pearson(_list_deltas(sample), PUBLISHED) for sample in resampled])
    return Alignment(by_edit, r, spread, spearman(deltas, PUBLISHED), permutation_p(deltas, PUBLISHED))


def summarize_responses(responses: Responses) -> dict[str, Any]:
    """Return alignment, gates and the response to the most stuffing, without intervals."""
    verdicts = judge(responses, draws=0)
    return {
        "pearson": align(responses, draws=0).pearson,
        "gates": count_by_estimate(verdicts),
        "not_passed": [v.gate for v in verdicts if not v.by_estimate],
        "stuffing_dose_8": responses.delta(STUFFING, MAX_DOSE),
    }


def _list_deltas(responses: Responses) -> list[float]:
    """Return the response to each intervention at dose 1, in the order of the anchors."""
    return [responses.delta(edit, 1) for edit in ANCHORS]
