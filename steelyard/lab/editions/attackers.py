"""What attackers gain under an edition: single levers, three together, trigger phrases, and the adaptive one.

Also how many clean pages the detectors of the edition flag.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date
from itertools import islice
from typing import Any

from steelyard.components.arithmetic.numbers import mean
from steelyard.detectors.layered_filter import detect_manipulation, load_thresholds
from steelyard.lab.corpus import FLATTENED, STRUCTURED, TEST, CorpusPage
from steelyard.lab.edits import phrasebook
from steelyard.lab.edits.base import Target
from steelyard.lab.edits.topics import TooLittleText
from steelyard.lab.gaming.adaptive import climb_pages
from steelyard.lab.gaming.climbing import load_sentences
from steelyard.lab.gaming.readings import Limits, score_components, sum_points
from steelyard.lab.stats.intervals import wilson_interval
from steelyard.scoring import editions
from steelyard.scoring.editions import Edition

BUDGETS = ("20", "50", "400")  # words of the adaptive attacker
TRIGGERED = 30  # pages that get every trigger phrase


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
) -> dict[str, float]:
    """Return the mean gain of every attacker in points.

    Args:
        edition: Whose score is attacked.
        pages: Of one language; those of the test half are climbed and get the trigger phrases.
        judged: What the gates measured of the levers on these pages.
        climbed: How many pages the adaptive attacker climbs.
        as_of: The date that ages are counted to.
        seed: Of all random draws.
        jobs: Worker processes.
        quiet: Show no progress.
    """
    gains: defaultdict[str, list[float]] = defaultdict(list)
    for row in judged["all_pages"]["gains"]:
        name = f"three levers, dose {row['dose']}" if row["edit"] == "combined" else row["edit"]
        gains[name].append(row["mean"])
    largest = {name: max(means) for name, means in gains.items()}
    if judged["exploratory"]:
        largest |= {row["edit"]: row["gain"] for row in judged["exploratory"]["figures"]["score"]}
    test = [page for page in pages if page.split == TEST]
    largest["trigger phrase"] = find_best_trigger(edition, test[:TRIGGERED], as_of=as_of, seed=seed)
    if climbed:
        frozen = load_thresholds(edition.name)
        climbs = climb_pages(
            list(islice((page for page in test if not _is_flagged(page)), climbed)),
            Limits(frozen["usual"], frozen["thresholds"]),
            edition=edition,
            as_of=as_of,
            seed=seed,
            jobs=jobs,
            quiet=quiet,
        )
        for label, mode in (("adaptive", "unconstrained"), ("adaptive, knowing the filter", "unflagged")):
            largest |= {f"{label}, {b} words": climbs[mode][b]["mean"] for b in BUDGETS if b in climbs[mode]}
    return largest


def _is_flagged(page: CorpusPage) -> bool:
    """Tell whether an edition flags the untouched page, which is then climbed under none: all climb the same pages."""
    readers = (e for e in map(editions.load, editions.NAMES) if page.language in e.languages)
    return any(detect_manipulation(e.open(page.view(FLATTENED), page.language)).flagged for e in readers)


def find_best_trigger(edition: Edition, pages: Sequence[CorpusPage], *, as_of: date, seed: int) -> float:
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
    return max((mean(of_one) for of_one in gains.values()), default=0.0)


def _score(text: str, language: str, edition: Edition, as_of: date) -> float:
    (points,) = score_components(text, language, as_of, edition.weights, edition=edition)
    return sum_points(points)


def count_flagged(edition: Edition, code: str, pages: Sequence[CorpusPage]) -> dict[str, Any]:
    """Return how many pages the shipped limits flag, with a 95% Wilson interval."""
    documents = (edition.open(page.view(STRUCTURED), code) for page in pages)
    flagged = sum(detect_manipulation(doc).flagged for doc in documents)
    return {"flagged": flagged, "of": len(pages), "interval": wilson_interval(flagged, len(pages))}
