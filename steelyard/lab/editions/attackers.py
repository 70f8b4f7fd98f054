"""What attackers gain under an edition, page by page: levers, three together, trigger phrases, the adaptive one.

Also how many clean pages the detectors of the edition flag.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date
from functools import partial
from typing import Any

from steelyard.components.arithmetic.numbers import mean
from steelyard.detectors.layered_filter import detect_manipulation, load_thresholds
from steelyard.lab.corpus import FLATTENED, STRUCTURED, TEST, CorpusPage
from steelyard.lab.edits import phrasebook
from steelyard.lab.edits.base import Target
from steelyard.lab.edits.topics import TooLittleText
from steelyard.lab.gaming.adaptive import climb_each, select_climbed
from steelyard.lab.gaming.climbing import load_sentences
from steelyard.lab.gaming.readings import Limits, score_components, sum_points
from steelyard.lab.protocol.capture import Capture
from steelyard.lab.protocol.gates.base import MIN_SOURCES
from steelyard.lab.protocol.responses import Responses
from steelyard.lab.protocol.variants import (
    BASE,
    COMBINED,
    DOSES,
    FILLER,
    FILLER_PARAGRAPH,
    LEVERS,
    OPEN,
    STUFFING,
    variant_name,
)
from steelyard.lab.scorers.own import recompute_score
from steelyard.lab.stats.intervals import estimate_mean, wilson_interval
from steelyard.scoring import weighting
from steelyard.scoring.editions import Edition

BUDGETS = (20, 50, 400)  # words of the adaptive attacker
LEAST = 38  # pages on which an attacker is measured, or he does not count
TRIGGERED = 40  # pages that get every trigger phrase
TRIGGER = "trigger phrase"
TOGETHER = {variant.name: f"three levers, dose {variant.dose}" for variant in COMBINED}
FREE, KNOWING = "adaptive", "adaptive, knowing the filter"
ADAPTIVE = tuple(f"{label}, {budget} words" for label in (FREE, KNOWING) for budget in BUDGETS)
ATTACKERS = (*LEVERS, STUFFING, *TOGETHER.values(), *OPEN, TRIGGER, *ADAPTIVE)

Gains = dict[str, float]  # points by the id of the page


def measure_attackers(
    edition: Edition,
    pages: Sequence[CorpusPage],
    content: Capture,
    *,
    climbed: int,
    as_of: date,
    seed: int,
    jobs: int,
    quiet: bool,
) -> dict[str, Gains]:
    """Return what every attacker gains on every page that he could attack, in points over the untouched page.

    Args:
        edition: Whose score is attacked.
        pages: Of one language; the first ones, those of the test half before the others, are climbed and get the
            trigger phrases.
        content: The edits of these pages, with the content score of the edition as points.
        climbed: How many pages the adaptive attacker climbs.
        as_of: The date that ages are counted to.
        seed: Of all random draws.
        jobs: Worker processes.
        quiet: Show no progress.
    """
    halves = sorted(pages, key=lambda page: page.split != TEST)
    found = {
        **_measure_levers(content),
        **_measure_open_levers(content, edition),
        TRIGGER: find_best_trigger(edition, halves[:TRIGGERED], as_of=as_of, seed=seed),
        **_measure_climbs(edition, pages, climbed, as_of=as_of, seed=seed, jobs=jobs, quiet=quiet),
    }
    return {name: gains for name, gains in found.items() if gains}


def _measure_levers(content: Capture) -> dict[str, Gains]:
    """Return the gains of every lever at the dose that gains most on average, and of all together at each dose."""
    responses = content.responses()
    if len(responses) < MIN_SOURCES:
        return {}
    gains = {
        edit: [_name_gains(responses, name) for dose in DOSES if (name := variant_name(edit, dose)) in responses.points]
        for edit in (*LEVERS, STUFFING)
    }
    best = {edit: max(of_doses, key=lambda found: mean(list(found.values()))) for edit, of_doses in gains.items()}
    return best | {label: _name_gains(responses, name) for name, label in TOGETHER.items()}


def _measure_open_levers(content: Capture, edition: Edition) -> dict[str, Gains]:
    """Return the gains of structure and dates, which the final score pays, not `content`."""
    weights = weighting.load(edition.weights).weights
    names = [BASE.name, *(variant_name(edit, 1) for edit in (FILLER, FILLER_PARAGRAPH, *OPEN))]
    responses = content.responses(partial(recompute_score, weights=weights), variants=names)
    return {lever: _name_gains(responses, variant_name(lever, 1)) for lever in OPEN}


def _name_gains(responses: Responses, variant: str) -> Gains:
    return dict(zip(responses.sources, responses.gain(variant), strict=True))


def _measure_climbs(edition: Edition, pages: Sequence[CorpusPage], climbed: int, **climbing: Any) -> dict[str, Gains]:
    frozen = load_thresholds(edition.name)
    limits = Limits(frozen["usual"], frozen["thresholds"])
    climbs = climb_each(select_climbed(pages, climbed), limits, edition=edition, **climbing) if climbed else []
    return {
        f"{label}, {budget} words": {page: both[number][budget].gain for page, *both in climbs}
        for number, label in enumerate((FREE, KNOWING))
        for budget in BUDGETS
    }


def find_best_trigger(edition: Edition, pages: Sequence[CorpusPage], *, as_of: date, seed: int) -> Gains:
    """Return the gains of the one short sentence that satisfies a pattern, says nothing, and gains most on average.

    One that too few pages allow for an attacker to count is looked at only where all others are such, too.
    """
    gains: defaultdict[str, Gains] = defaultdict(dict)
    for page in pages:
        target = Target(page.view(FLATTENED), page.language)
        book, rng = phrasebook.load(page.language), random.Random(f"{seed}|trigger|{target.digest}")
        before = _score(target.text, page.language, edition, as_of)
        for kind, templates in load_sentences(page.language).items():
            for number, template in enumerate(templates):
                try:
                    sentence = book.fill(template, target.topics, rng)
                except TooLittleText:
                    continue
                text = f"{target.text} {sentence}"
                gains[f"{kind} {number}"][page.id] = _score(text, page.language, edition, as_of) - before
    return max(gains.values(), key=lambda found: (min(len(found), LEAST), mean(list(found.values()))), default={})


def _score(text: str, language: str, edition: Edition, as_of: date) -> float:
    (points,) = score_components(text, language, as_of, edition.weights, edition=edition)
    return sum_points(points)


def estimate_gains(gains: Mapping[str, Gains], *, seed: int) -> dict[str, dict[str, Any]]:
    """Return the mean gain of every attacker, over how many pages, and its interval over pages."""
    return {name: estimate_mean(list(found.values()), random.Random(f"{seed}|gains")) for name, found in gains.items()}


def count_flagged(edition: Edition, code: str, pages: Sequence[CorpusPage]) -> dict[str, Any]:
    """Return how many pages the shipped limits flag, with a 95% Wilson interval."""
    documents = (edition.open(page.view(STRUCTURED), code) for page in pages)
    flagged = sum(detect_manipulation(doc).flagged for doc in documents)
    return {"flagged": flagged, "of": len(pages), "interval": wilson_interval(flagged, len(pages))}
