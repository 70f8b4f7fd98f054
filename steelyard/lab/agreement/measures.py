"""AUC and Spearman of scores with labels, with bootstrap intervals over documents; paired ones of differences."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy  # loads scipy.stats on first use, which takes most of a second

from steelyard.lab.agreement import AUC, SPEARMAN
from steelyard.lab.stats.correlation import auc, spearman
from steelyard.lab.stats.intervals import MIN_PAGES, draw_resamples, percentile_interval

MIN_OF_LABEL = 5  # documents of either label, or resamples without one of them become common
MAX_LOST = 0.05  # of the resamples may have no figure, as for a gate

Column = Sequence[float | None]  # a scorer's value for each document; None where it gave none
Estimate = dict[str, Any]


def measure(labels: Sequence[float], values: Sequence[float], which: str) -> float | None:
    """Return the agreement of values with labels; None where it is not defined.

    AUC is the chance that a document of the higher label has the higher value, ties half.
    """
    if which == SPEARMAN:
        return spearman(values, labels) if len(values) > 1 else None
    highest = max(labels, default=0.0)
    groups: tuple[list[float], list[float]] = ([], [])
    for label, value in zip(labels, values, strict=True):
        groups[label == highest].append(value)
    return auc(groups[1], groups[0])


class Sample:
    """Labels of some documents and resamples of these documents, which all scorers share, so that they are paired."""

    def __init__(self, labels: list[float], which: str, draws: int, seed: str) -> None:
        self.labels, self.which = labels, which
        self._values = np.asarray(labels, dtype=float)
        self.reason = self._explain_size()
        self._draws = None
        if not self.reason:
            self._draws = np.array(draw_resamples(len(labels), draws, random.Random(seed)), dtype=np.intp)

    def _explain_size(self) -> str:
        """Return why there is no interval, or "" where there can be one."""
        if (n := len(self.labels)) < MIN_PAGES:
            return f"{n} of the {MIN_PAGES} documents that an interval needs"
        fewest = min(self.labels.count(label) for label in set(self.labels))
        if self.which == AUC and fewest < MIN_OF_LABEL:
            return f"{fewest} documents of one label, and an interval needs {MIN_OF_LABEL}"
        return ""

    def resample(self, values: Sequence[float]) -> Any:
        """Return the figure of each resample, NaN where it is not defined."""
        measured = np.asarray(values, dtype=float)[self._draws]
        labels = self._values[self._draws]
        ranks = scipy.stats.rankdata(measured, axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            return (self._spearman if self.which == SPEARMAN else self._auc)(ranks, labels)

    def _auc(self, ranks: Any, labels: Any) -> Any:
        positive = labels == self._values.max()
        p = positive.sum(axis=1)
        n = positive.shape[1] - p
        return ((ranks * positive).sum(axis=1) - p * (p + 1) / 2) / (p * n)

    def _spearman(self, ranks: Any, labels: Any) -> Any:
        x = ranks - ranks.mean(axis=1, keepdims=True)
        of_labels = scipy.stats.rankdata(labels, axis=1)
        y = of_labels - of_labels.mean(axis=1, keepdims=True)
        return (x * y).sum(axis=1) / np.sqrt((x**2).sum(axis=1) * (y**2).sum(axis=1))


def compare(
    labels: Column, columns: Mapping[str, Column], which: str, *, pairs: Sequence[tuple[str, str]], draws: int,
    seed: str,
) -> dict[str, Any]:  # fmt: skip
    """Return the agreement of every column, and the difference of each pair, the first less the second.

    A document without a label counts nowhere, and one without a value not for that scorer; a difference is over the
    documents that both have.

    Returns:
        `scorers` by name, and `differences` as `first - second`; each an estimate with `n`, `value`, `interval` and
        `reason`, which says why a value or an interval is None.
    """
    samples: dict[tuple[int, ...], Sample] = {}

    def find_sample(*names: str) -> tuple[list[int], Sample]:
        kept = [
            i
            for i, label in enumerate(labels)
            if label is not None and all(columns[name][i] is not None for name in names)
        ]
        key = tuple(kept)
        if key not in samples:
            samples[key] = Sample([float(labels[i] or 0.0) for i in kept], which, draws, seed)
        return kept, samples[key]

    def read(name: str, kept: Sequence[int]) -> list[float]:
        return [float(columns[name][i] or 0.0) for i in kept]

    scorers, differences = {}, {}
    for name in columns:
        kept, sample = find_sample(name)
        scorers[name] = _estimate(sample, [read(name, kept)])
    for pair in pairs:
        kept, sample = find_sample(*pair)
        differences[" - ".join(pair)] = _estimate(sample, [read(name, kept) for name in pair])
    return {"scorers": scorers, "differences": differences}


def _estimate(sample: Sample, of_scorers: Sequence[Sequence[float]]) -> Estimate:
    """Return the figure of one scorer, or how much that of the first is above that of the second."""
    n = len(sample.labels)
    figures = [measure(sample.labels, values, sample.which) for values in of_scorers]
    defined = [figure for figure in figures if figure is not None]
    if len(defined) < len(figures):
        return {"n": n, "value": None, "interval": None, "reason": _explain_undefined(sample)}
    value = _subtract(defined)
    interval, reason = None, sample.reason
    if not reason:
        resampled = _subtract([sample.resample(values) for values in of_scorers])
        interval, reason = _make_interval(resampled[~np.isnan(resampled)], len(resampled))
    return {"n": n, "value": value, "interval": interval, "reason": reason or None}


def _subtract(figures: Sequence[Any]) -> Any:
    return figures[0] if len(figures) == 1 else figures[0] - figures[1]


def _make_interval(resampled: Any, draws: int) -> tuple[list[float] | None, str]:
    if len(resampled) < (1 - MAX_LOST) * draws:
        return None, f"no figure in {1 - len(resampled) / draws:.0%} of the resamples"
    low, high = percentile_interval(resampled.tolist())
    if low == high:
        return None, "all resamples give the same figure, so they show no spread"
    return [low, high], ""


def _explain_undefined(sample: Sample) -> str:
    if not sample.labels:
        return "no document has both a label and a value"
    if len(set(sample.labels)) == 1:
        return "all documents have the same label"
    return "all documents have the same value"
