"""The benchmark: every attack on every page, seen by the score, by each detector and by the layered filter."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any

from steelyard import languages
from steelyard.components.arithmetic.numbers import mean
from steelyard.detectors.base import suspicion
from steelyard.detectors.layered_filter import measure
from steelyard.detectors.registry import BY_NAME
from steelyard.detectors.registry import NAMES as DETECTORS
from steelyard.errors import SteelyardError
from steelyard.lab.corpus.corpus import FLATTENED, TEST, TRAIN, CorpusPage
from steelyard.lab.edits.base import Target
from steelyard.lab.edits.topics import TooLittleText
from steelyard.lab.gaming.suites import CASES, CURVED, CURVES, Case, neutral, neutral_name
from steelyard.lab.gaming.thresholds import Limits, flagged, limits
from steelyard.lab.protocol.variants import DOSES
from steelyard.lab.stats.correlation import auc
from steelyard.lab.stats.intervals import wilson
from steelyard.lab.stats.summary import quantile
from steelyard.pipeline import score_text
from steelyard.scoring import weighting
from steelyard.scoring.page import contributions
from steelyard.support.pool import Lost, ordered_map
from steelyard.support.progress import tracked
from steelyard.text.document import Document, Source

CLEAN = "clean"
RATE = 0.03  # of clean training pages, and of their neutral variants, that the thresholds let through
SCORE_RATE = 0.05  # of the clean training pool, under whose scores the score alone flags a page
SCORED = ("shipped", "prior")
FEWEST = 10
DONORS = 5

Reading = dict[str, float]  # detector or weighting → figure


@dataclass(frozen=True, slots=True)
class _Task:
    page: CorpusPage
    donors: tuple[str, ...]
    cases: tuple[str, ...]


@dataclass(frozen=True)
class Seen:
    """Everything measured of one page: variant → figures."""

    page: CorpusPage
    readings: Mapping[str, Reading]


def read(text: str, language: str, as_of: date) -> Reading:
    """Scores and detector statistics of one text."""
    page = score_text(text, as_of=as_of, title="", language=language, evidence=False)
    values = {name: r.value for name, r in page.readings.items()}
    found = {w: min(100.0, math.fsum(contributions(values, weighting.load(w).weights).values())) for w in SCORED}
    doc = Document(Source(text), languages.load(language))
    return found | {name: m.statistic for name, m in measure(doc).items()}


def _seen(task: _Task, *, seed: int, as_of: date) -> Seen | str:
    page = task.page
    target = Target(page.view(FLATTENED), page.language)
    by_name = {case.name: case for case in (*CASES, *CURVES)}
    try:
        texts = {CLEAN: target.text}
        texts |= {neutral_name(dose): neutral(target, dose, seed) for dose in DOSES}
        texts |= {name: by_name[name].make(target, seed, task.donors) for name in task.cases}
        return Seen(page, {name: read(text, page.language, as_of) for name, text in texts.items()})
    except TooLittleText as error:
        return f"{page.id}: {error}"
    except SteelyardError as error:
        raise SteelyardError(f"{page.id}: {error}") from error


def look(
    pages: Sequence[CorpusPage],
    cases: Sequence[Case],
    *,
    seed: int = 0,
    as_of: date,
    jobs: int = 1,
    quiet: bool = True,
) -> list[Seen]:
    """Every page under every case; donors are the pages that follow it in the corpus."""
    tasks = []
    for at, page in enumerate(pages):
        others = [pages[(at + k) % len(pages)].flattened for k in range(1, DONORS + 1)]
        tasks.append(_Task(page, tuple(others), tuple(c.name for c in cases)))
    found = []
    results = ordered_map(partial(_seen, seed=seed, as_of=as_of), tasks, jobs)
    for result in tracked(results, total=len(tasks), noun="pages", quiet=quiet):
        if isinstance(result, Lost):
            raise SteelyardError(f"a worker was lost on {result.task.page.id if result.task else '?'}: {result.reason}")
        if isinstance(result, Seen):
            found.append(result)
    return found


def clean_readings(seen: Sequence[Seen]) -> tuple[list[Reading], list[Reading]]:
    """The untouched pages, and all their neutral variants."""
    bases = [s.readings[CLEAN] for s in seen]
    neutrals = [s.readings[neutral_name(dose)] for s in seen for dose in DOSES]
    return bases, neutrals


def limits_of(train: Sequence[Seen], rate: float = RATE) -> Limits:
    """From clean training pages and their neutral variants, at most `rate` of either flagged."""
    return limits(clean_readings(train), rate)


def layered(reading: Reading, limits_: Limits) -> float:
    """The filter's suspicion: that of its most suspicious detector."""
    return max(suspicion(reading[n], limits_.usual[n], t, BY_NAME[n].power) for n, t in limits_.thresholds.items())


def low_scores(train: Sequence[Seen]) -> dict[str, float]:
    """Per weighting the score that 5% of the clean training pool stay under: the paper's score-only filter."""
    pool = [reading for readings in clean_readings(train) for reading in readings]
    return {w: quantile([r[w] for r in pool], SCORE_RATE) for w in SCORED}


def curves(test: Sequence[Seen]) -> dict[str, dict[str, dict[str, float]]]:
    """Mean paired change of the score by edit, weighting and dose."""
    return {
        edit: {
            w: {str(d): mean([s.readings[name][w] - s.readings[CLEAN][w] for s in test]) for d, name in doses.items()}
            for w in SCORED
        }
        for edit, doses in CURVED.items()
    }


def summary(test: Sequence[Seen], cases: Sequence[Case], limits_: Limits, low: Mapping[str, float]) -> dict[str, Any]:
    """Per case: change of the score, AUC of everything against the matched neutral control, detection."""
    return {case.name: _case(test, case, limits_, low) for case in cases}


def _case(test: Sequence[Seen], case: Case, limits_: Limits, low_score: Mapping[str, float]) -> dict[str, Any]:
    attacked = [s.readings[case.name] for s in test]
    control = [s.readings[neutral_name(case.control)] for s in test]
    clean = [s.readings[CLEAN] for s in test]
    hits = flagged(attacked, limits_.thresholds)
    low, high = wilson(hits, len(attacked)) or (None, None)
    return {
        "family": case.family,
        "strength": case.strength,
        "control_dose": case.control,
        "must_be_seen": case.must_be_seen,
        "change": {w: mean([a[w] - c[w] for a, c in zip(attacked, clean, strict=True)]) for w in SCORED},
        "score_auc": {w: auc([-a[w] for a in attacked], [-c[w] for c in control]) for w in SCORED},
        "score_detected": {w: sum(a[w] < low_score[w] for a in attacked) / len(attacked) for w in SCORED},
        "detector_auc": {d: auc([a[d] for a in attacked], [c[d] for c in control]) for d in DETECTORS},
        "layered_auc": auc([layered(a, limits_) for a in attacked], [layered(c, limits_) for c in control]),
        "detected": hits / len(attacked),
        "detected_interval": [low, high],
        "flagged_by": {
            d: sum(a[d] > limits_.thresholds[d] for a in attacked) / len(attacked)
            for d in DETECTORS
            if any(a[d] > limits_.thresholds[d] for a in attacked)
        },
    }


def false_positives(seen: Sequence[Seen], limits_: Limits) -> dict[str, Any]:
    """How many clean pages and neutral variants are flagged, with Wilson intervals."""
    rates = {}
    for name, readings in zip(("clean", "neutral"), clean_readings(seen), strict=True):
        hits = flagged(readings, limits_.thresholds)
        low, high = wilson(hits, len(readings)) or (None, None)
        rates[name] = {"flagged": hits, "of": len(readings), "rate": hits / len(readings), "interval": [low, high]}
    return rates


def halves(seen: Sequence[Seen]) -> tuple[list[Seen], list[Seen]]:
    train, test = ([s for s in seen if s.page.split == half] for half in (TRAIN, TEST))
    return train, test
