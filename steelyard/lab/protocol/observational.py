"""Observational calibration, and why it fails: eleven weights fitted to fewer than forty outcomes."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import nnls

from steelyard.components import NAMES
from steelyard.components.arithmetic.numbers import mean
from steelyard.errors import InvalidRecords, UnsupportedLanguage
from steelyard.lab.protocol import fit
from steelyard.lab.protocol.readings import Array
from steelyard.lab.stats.correlation import fisher_interval, pearson, spearman
from steelyard.lab.stats.summary import quantile
from steelyard.pipeline import score_text
from steelyard.support.jsonl import not_json, not_object
from steelyard.support.wording import counted

FEW = 39  # as many pages as the prior was fitted to
FEWEST = 12  # one more than there are weights
RIDGES = {"moderate": 10.0, "aggressive": 0.0}  # pull to the prior, in units of standardised outcomes
SHUFFLES = 100


@dataclass(frozen=True)
class Outcomes:
    """Pages as rows of raw component values, and one number per page that is to be predicted."""

    values: Array
    outcome: tuple[float, ...]
    simulated: bool = False

    def __len__(self) -> int:
        return len(self.outcome)


def read(path: str, as_of: date) -> Outcomes:
    """A JSONL file with `text` and a number under `outcome` in each line."""
    rows: list[list[float]] = []
    outcome: list[float] = []
    for number, line in enumerate(_lines(path), start=1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        text, target = _outcome(where, line)
        try:
            page = score_text(" ".join(text.split()), as_of=as_of, title="", language="auto", evidence=False)
        except UnsupportedLanguage as error:
            raise InvalidRecords(where, f"the text is in {error.detected!r}; leave such pages out") from error
        rows.append([page.readings[n].value for n in NAMES])
        outcome.append(target)
    if len(outcome) < FEWEST or len(set(outcome)) < 3:
        raise InvalidRecords(
            path, f"{counted(len(outcome), 'outcome')}; give {FEWEST} or more, of three values at least"
        )
    return Outcomes(np.array(rows), tuple(outcome))


def _lines(path: str) -> list[bytes]:
    try:
        return Path(path).read_bytes().splitlines()  # of bytes: a text may hold separators that break a str
    except OSError as error:
        raise InvalidRecords(path, f"cannot be read ({error.strerror}); check the path") from error


def _outcome(where: str, line: bytes) -> tuple[str, float]:
    """The text and its finite number."""
    try:
        record = json.loads(line.strip())
    except (ValueError, RecursionError) as error:
        raise InvalidRecords(where, not_json(error)) from error
    if not isinstance(record, dict):
        raise InvalidRecords(where, not_object(record))
    try:
        text, target = record["text"], float(record["outcome"])
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidRecords(where, f"needs `text` and a number `outcome` ({error})") from error
    if not isinstance(text, str) or not math.isfinite(target):
        raise InvalidRecords(where, "needs `text`, a string, and `outcome`, a finite number")
    return text, target


def simulated(base: Array, seed: int, size: int = FEW) -> Outcomes:
    """Integer counts drawn without looking at the page: whatever is found in them is overfitting."""
    rng = random.Random(f"{seed}|outcomes")
    chosen = sorted(rng.sample(range(len(base)), min(size, len(base))))
    return Outcomes(base[chosen], tuple(float(rng.choice((0, 0, 0, 1, 1, 2, 3, 5))) for _ in chosen), simulated=True)


def sampled(outcomes: Outcomes, seed: int, size: int = FEW) -> Outcomes:
    """As few of them as the prior had."""
    if len(outcomes) <= size:
        return outcomes
    chosen = sorted(random.Random(f"{seed}|sample").sample(range(len(outcomes)), size))
    return Outcomes(outcomes.values[chosen], tuple(outcomes.outcome[i] for i in chosen), outcomes.simulated)


def recalibrate(values: Array, outcome: Sequence[float], ridge: float) -> Array:
    """Weights, none negative, that predict the standardised outcome, pulled to the prior; normalised to one."""
    target = np.array(outcome) - np.mean(outcome)
    spread = target.std() or 1.0
    centred = (values - values.mean(axis=0)) / 100.0
    prior = fit.vector("prior")
    rows = [centred] + ([np.sqrt(ridge) * np.eye(len(prior))] if ridge else [])
    wanted = [target / spread] + ([np.sqrt(ridge) * prior] if ridge else [])
    weights, _ = nnls(np.concatenate(rows), np.concatenate(wanted))
    return weights / weights.sum() if weights.sum() > 0 else prior


def free(values: Array, outcome: Sequence[float]) -> Array:
    """Least squares with an intercept and no constraint: what eleven free weights can make of the sample."""
    design = np.column_stack([np.ones(len(values)), values / 100.0])
    return np.asarray(np.linalg.lstsq(design, np.array(outcome), rcond=None)[0])


def _predict(coefficients: Array, values: Array) -> Array:
    return np.asarray(coefficients[0] + values / 100.0 @ coefficients[1:])


def study(outcomes: Outcomes, *, seed: int = 0) -> dict[str, Any]:
    """In-sample against leave-one-out, the Fisher interval, and the same fit to shuffled outcomes."""
    values, outcome = outcomes.values, list(outcomes.outcome)
    n = len(outcome)
    in_sample = _predict(free(values, outcome), values).tolist()
    left_out = _left_out(values, outcome)
    rng = random.Random(f"{seed}|shuffles")
    shuffled = [_shuffled(values, outcome, rng) for _ in range(SHUFFLES)]
    r = pearson(in_sample, outcome)
    single = {name: spearman(values[:, i].tolist(), outcome) for i, name in enumerate(NAMES)}
    strongest = max((abs(v), k) for k, v in single.items() if v is not None)
    interval = fisher_interval(r, n) if r is not None and abs(r) < 1 else None
    return {
        "n": n,
        "weights": len(NAMES),
        "simulated": outcomes.simulated,
        "in_sample_spearman": spearman(in_sample, outcome),
        "leave_one_out_spearman": spearman(left_out, outcome),
        "in_sample_pearson": r,
        "fisher_interval": list(interval) if interval else None,
        "shuffled": {
            "n": SHUFFLES,
            "in_sample_mean": mean([fitted for fitted, _ in shuffled]),
            "in_sample_p95": quantile([fitted for fitted, _ in shuffled], 0.95),
            "leave_one_out_mean": mean([left for _, left in shuffled]),
            "leave_one_out_p95": quantile([left for _, left in shuffled], 0.95),
        },
        "strongest_component": {"name": strongest[1], "spearman": single[strongest[1]]},
        "components": single,
    }


def _left_out(values: Array, outcome: Sequence[float]) -> list[float]:
    """Every page predicted by the fit to the others."""
    predicted = []
    for i in range(len(outcome)):
        kept = [j for j in range(len(outcome)) if j != i]
        found = free(values[kept], [outcome[j] for j in kept])
        predicted.append(float(_predict(found, values[i : i + 1])[0]))
    return predicted


def _shuffled(values: Array, outcome: list[float], rng: random.Random) -> tuple[float, float]:
    """In sample and leaving one out, on outcomes that no longer belong to their pages."""
    mixed = outcome.copy()
    rng.shuffle(mixed)
    fitted = spearman(_predict(free(values, mixed), values).tolist(), mixed) or 0.0
    return fitted, spearman(_left_out(values, mixed), mixed) or 0.0


def recalibrations(outcomes: Outcomes) -> dict[str, Array]:
    """Two baselines for the strategy comparison: refits to outcomes, pulled to the prior or not at all."""
    return {
        f"outcomes, {name}": recalibrate(outcomes.values, outcomes.outcome, ridge) for name, ridge in RIDGES.items()
    }
