"""The benchmark: every attack on every page, as seen by the score, by each detector and by the layered filter."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any

from steelyard.components.arithmetic.numbers import mean
from steelyard.detectors import BY_NAME
from steelyard.detectors import NAMES as DETECTORS
from steelyard.detectors.base import suspicion
from steelyard.errors import SteelyardError
from steelyard.lab.corpus import FLATTENED, STRUCTURED, CorpusPage
from steelyard.lab.edits.attacks.base import HEAVY
from steelyard.lab.edits.attacks.placement import find_sentences
from steelyard.lab.edits.base import Target
from steelyard.lab.edits.topics import TooLittleText
from steelyard.lab.gaming.readings import (
    BASELINES,
    PAPER,
    Limits,
    Reading,
    measure_text,
)
from steelyard.lab.gaming.suites import CASES, CURVE_VARIANTS, CURVES, Case, add_filler
from steelyard.lab.protocol.variants import DOSES, FILLER, variant_name
from steelyard.lab.stats.correlation import auc
from steelyard.lab.stats.intervals import auc_interval, wilson_interval
from steelyard.scoring import weighting
from steelyard.scoring.editions import Edition
from steelyard.support.pool import LostTask, ordered_map
from steelyard.support.progress import show_progress
from steelyard.support.quantile import quantile

CLEAN = "clean"
RATE = 0.02  # of the clean pages of any one origin, and of their neutral variants, that one detector may flag
BLOCK = 72  # words of filler that one dose adds
SCORE_RATE = 0.05  # of the clean training pages, below whose scores the score alone flags a page
MIN_DONORS = 5  # pages that follow, and more where these hold fewer words in sentences
MIN_DONATED_WORDS = 400

Pair = tuple[list[float], list[float]]  # the figures of attacked pages, and those of their controls
_Task = tuple[CorpusPage, list[str]]  # a page and its donors


@dataclass(frozen=True)
class PageReadings:
    """Everything measured of one page: variant → figures and words, case → the neutral variant it is compared with."""

    page: CorpusPage
    readings: Mapping[str, Reading]
    words: Mapping[str, int]
    controls: Mapping[str, str]


def list_weightings(page: PageReadings) -> list[str]:
    """Return the weightings that a page was measured with: the edition's own and the paper's prior."""
    return [name for name in page.readings[CLEAN] if name in weighting.NAMED]


def _measure_variants(
    task: _Task, *, cases: Sequence[str], seed: int, as_of: date, edition: Edition
) -> PageReadings | None:
    """Measure one page under all cases; None for a page that is too short."""
    page, donors = task
    target = Target(page.view(FLATTENED), page.language)
    by_name = {case.name: case for case in (*CASES, *CURVES)}
    try:
        texts = {CLEAN: target.text, STRUCTURED: page.view(STRUCTURED)}
        texts |= {variant_name(FILLER, dose): add_filler(target, dose, seed) for dose in DOSES}
        attacked = {name: by_name[name].make(target, seed, donors) for name in cases}
        doses = {name: _match_dose(target.text, text) for name, text in attacked.items()}
        texts |= {variant_name(FILLER, d): add_filler(target, d, seed) for d in sorted({*doses.values()} - {0, *DOSES})}
        texts |= attacked
        return PageReadings(
            page,
            {name: measure_text(text, page.language, as_of, edition) for name, text in texts.items()},
            {name: len(text.split()) for name, text in texts.items()},
            {name: variant_name(FILLER, dose) if dose else CLEAN for name, dose in doses.items()},
        )
    except TooLittleText:
        return None
    except SteelyardError as error:
        raise SteelyardError(f"{page.id}: {error}") from error


def _match_dose(text: str, attacked: str) -> int:
    """Return the dose of filler that adds about as many words as the attack; 0 for one that adds hardly any."""
    return round(max(0, len(attacked.split()) - len(text.split())) / BLOCK)


def choose_donors(texts: Sequence[str], at: int) -> list[str]:
    """Return the texts that follow one, until there are enough of them and of sentences in them."""
    donors: list[str] = []
    words = 0
    for text in (*texts[at + 1 :], *texts[:at]):
        if len(donors) >= MIN_DONORS and words >= MIN_DONATED_WORDS:
            break
        donors.append(text)
        words += sum(len(sentence.split()) for sentence in find_sentences(text))
    return donors


def measure_pages(
    pages: Sequence[CorpusPage],
    cases: Sequence[Case],
    *,
    as_of: date,
    edition: Edition = PAPER,
    seed: int = 0,
    jobs: int = 1,
    quiet: bool = True,
) -> list[PageReadings]:
    """Measure every page under every case, leaving out pages that are too short.

    The donors of a page are the pages that follow it in the corpus.
    """
    texts = [page.flattened for page in pages]
    tasks = [(page, choose_donors(texts, at) if cases else []) for at, page in enumerate(pages)]
    work = partial(_measure_variants, cases=[case.name for case in cases], seed=seed, as_of=as_of, edition=edition)
    measured = []
    for result in show_progress(ordered_map(work, tasks, jobs), total=len(tasks), noun="pages", quiet=quiet):
        if isinstance(result, LostTask):
            raise SteelyardError(f"a worker was lost on {result.task[0].id}: {result.reason}")
        if result:
            measured.append(result)
    return measured


def select_clean(measured: Sequence[PageReadings]) -> dict[str, list[Reading]]:
    """Return the readings of the untouched pages, of all their neutral variants, and of the pages with line breaks."""
    return {
        "clean": [page.readings[CLEAN] for page in measured],
        "neutral": [page.readings[variant_name(FILLER, dose)] for page in measured for dose in DOSES],
        "structured": [page.readings[STRUCTURED] for page in measured],
    }


def find_low_scores(train: Sequence[PageReadings]) -> dict[str, float]:
    """Return by weighting the score that 5% of the clean training pages stay under: the paper's score-only filter."""
    pages = select_clean(train)
    clean = [*pages["clean"], *pages["neutral"]]
    return {w: quantile([r[w] for r in clean], SCORE_RATE) for w in list_weightings(train[0])}


def measure_suspicion(reading: Reading, limits: Limits) -> float:
    """Return the filter's suspicion: that of its most suspicious detector."""
    return max(suspicion(reading[n], limits.usual[n], t, BY_NAME[n].exponent) for n, t in limits.thresholds.items())


def summarise_curves(test: Sequence[PageReadings]) -> dict[str, dict[str, dict[str, float]]]:
    """Return the mean paired change of the score by edit, weighting and dose."""
    return {
        edit: {
            w: {str(d): mean([p.readings[name][w] - p.readings[CLEAN][w] for p in test]) for d, name in doses.items()}
            for w in list_weightings(test[0])
        }
        for edit, doses in CURVE_VARIANTS.items()
    }


def summarise_case(
    test: Sequence[PageReadings], case: Case, limits: Limits, low_scores: Mapping[str, float]
) -> dict[str, Any]:
    """Return the change of the score, the AUC of everything against the matched neutral control, and detection."""
    attacked = [p.readings[case.name] for p in test]
    control = [p.readings[p.controls[case.name]] for p in test]
    clean = [p.readings[CLEAN] for p in test]
    detection = summarise_flags([limits.flags(a) for a in attacked])
    flagged_by = {d: sum(a[d] > limits.thresholds[d] for a in attacked) / len(attacked) for d in DETECTORS}

    def read(name: str, sign: int = 1) -> Pair:
        return [sign * a[name] for a in attacked], [sign * c[name] for c in control]

    def separate(name: str, sign: int = 1) -> float | None:
        return auc(*read(name, sign))

    def estimate(*pairs: Pair) -> list[float] | None:
        interval = auc_interval(pairs, random.Random(0))
        return list(interval) if interval else None

    own = next(iter(low_scores))
    suspicions = [measure_suspicion(r, limits) for r in attacked], [measure_suspicion(r, limits) for r in control]

    return {
        "family": case.family,
        "strength": case.strength,
        "must_be_seen": case.must_be_seen,
        "added_words": mean([p.words[case.name] - p.words[CLEAN] for p in test]),
        "control_words": mean([p.words[p.controls[case.name]] - p.words[CLEAN] for p in test]),
        "change": {w: mean([a[w] - c[w] for a, c in zip(attacked, clean, strict=True)]) for w in low_scores},
        "score_auc": {w: separate(w, -1) for w in low_scores},
        "score_auc_interval": {own: estimate(read(own, -1))},
        "score_detected": {w: sum(a[w] < low_scores[w] for a in attacked) / len(attacked) for w in low_scores},
        "baseline_auc": {b: separate(b) for b in BASELINES},
        "detector_auc": {d: separate(d) for d in DETECTORS},
        "baseline_over_score": {b: estimate(read(own, -1), read(b)) for b in BASELINES},
        "layered_auc": auc(*suspicions),
        "layered_auc_interval": estimate(suspicions),
        "detected": detection["rate"],
        "detected_interval": detection["interval"],
        "flagged_by": {d: share for d, share in flagged_by.items() if share},
    }


def count_heavy(test: Sequence[PageReadings], limits: Limits) -> dict[str, Any]:
    """Return how many of all heavy attacks are flagged, and of those of the claimed families."""
    heavy = [case for case in CASES if case.strength == HEAVY]
    groups = {"claimed": [case for case in heavy if case.must_be_seen], "all": heavy}
    return {
        name: summarise_flags([limits.flags(page.readings[case.name]) for page in test for case in cases])
        for name, cases in groups.items()
    }


def summarise_flags(flags: Sequence[bool]) -> dict[str, Any]:
    """Return how many pages are flagged, of how many, with the rate and its interval."""
    flagged, total = sum(flags), len(flags)
    interval = wilson_interval(flagged, total) or (None, None)
    return {"flagged": flagged, "of": total, "rate": flagged / total, "interval": list(interval)}
