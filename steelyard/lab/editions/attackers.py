"""What attackers gain under an edition: single levers, three together, trigger phrases, and the adaptive one.

Also how many clean pages the detectors of the edition flag.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date
from operator import itemgetter
from typing import Any

from steelyard.components.arithmetic.numbers import mean
from steelyard.detectors.layered_filter import detect_manipulation, load_thresholds
from steelyard.lab.corpus import FLATTENED, STRUCTURED, TEST, CorpusPage
from steelyard.lab.edits import phrasebook
from steelyard.lab.edits.base import Target
from steelyard.lab.edits.topics import TooLittleText
from steelyard.lab.gaming.adaptive import climb_pages, select_climbed
from steelyard.lab.gaming.climbing import load_sentences
from steelyard.lab.gaming.readings import Limits, score_components, sum_points
from steelyard.lab.stats.intervals import estimate_mean, wilson_interval
from steelyard.scoring.editions import Edition

BUDGETS = ("20", "50", "400")  # words of the adaptive attacker
TRIGGERED = 40  # pages that get every trigger phrase
Estimate = dict[str, Any]  # `mean`, the number of pages `n`, and the `interval` over pages


def measure_attackers(
    edition: Edition,
    pages: Sequence[CorpusPage],
    judged: Mapping[str, Any],
    *,
    climbed: int,
    as_of: date,
    seed: int,
    jobs: int,
    quiet: bool,
) -> dict[str, Estimate]:
    """Return the mean gain of every attacker in points, over how many pages, and its interval over pages.

    Args:
        edition: Whose score is attacked.
        pages: Of one language; the first ones, those of the test half before the others, are climbed and get the
            trigger phrases.
        judged: What the gates measured of the levers on these pages.
        climbed: How many pages the adaptive attacker climbs.
        as_of: The date that ages are counted to.
        seed: Of all random draws.
        jobs: Worker processes.
        quiet: Show no progress.
    """
    gains: defaultdict[str, list[Estimate]] = defaultdict(list)
    for row in judged["all_pages"]["gains"]:
        name = f"three levers, dose {row['dose']}" if row["edit"] == "combined" else row["edit"]
        gains[name].append(_pick_estimate(row))
    largest = {name: max(estimates, key=itemgetter("mean")) for name, estimates in gains.items()}
    if judged["exploratory"]:
        rows = judged["exploratory"]["figures"]["score"]
        largest |= {row["edit"]: {**_pick_estimate(row), "mean": row["gain"]} for row in rows}
    halves = sorted(pages, key=lambda page: page.split != TEST)
    largest["trigger phrase"] = find_best_trigger(edition, halves[:TRIGGERED], as_of=as_of, seed=seed)
    if climbed:
        frozen = load_thresholds(edition.name)
        climbs = climb_pages(
            select_climbed(pages, climbed),
            Limits(frozen["usual"], frozen["thresholds"]),
            edition=edition,
            as_of=as_of,
            seed=seed,
            jobs=jobs,
            quiet=quiet,
        )
        for label, mode in (("adaptive", "unconstrained"), ("adaptive, knowing the filter", "unflagged")):
            largest |= {f"{label}, {b} words": _pick_estimate(climbs[mode][b]) for b in BUDGETS if b in climbs[mode]}
    return largest


def _pick_estimate(row: Mapping[str, Any]) -> Estimate:
    return {name: row.get(name) for name in ("mean", "n", "interval")}


def find_best_trigger(edition: Edition, pages: Sequence[CorpusPage], *, as_of: date, seed: int) -> Estimate:
    """Return the largest mean gain of one short sentence that satisfies a pattern and says nothing."""
    gains: defaultdict[str, list[float]] = defaultdict(list)
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
                gains[f"{kind} {number}"].append(_score(text, page.language, edition, as_of) - before)
    best = max(gains.values(), key=mean, default=[])
    return estimate_mean(best, random.Random(f"{seed}|trigger")) if best else {"mean": 0.0, "n": 0, "interval": None}


def _score(text: str, language: str, edition: Edition, as_of: date) -> float:
    (points,) = score_components(text, language, as_of, edition.weights, edition=edition)
    return sum_points(points)


def count_flagged(edition: Edition, code: str, pages: Sequence[CorpusPage]) -> dict[str, Any]:
    """Return how many pages the shipped limits flag, with a 95% Wilson interval."""
    documents = (edition.open(page.view(STRUCTURED), code) for page in pages)
    flagged = sum(detect_manipulation(doc).flagged for doc in documents)
    return {"flagged": flagged, "of": len(pages), "interval": wilson_interval(flagged, len(pages))}
