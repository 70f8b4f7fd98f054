"""The adaptive attacker: knows every formula and every detector, and climbs the score within a budget of words."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from itertools import islice
from typing import Any

from steelyard.components import NAMES
from steelyard.components.arithmetic.numbers import mean
from steelyard.detectors.layered_filter import detect_manipulation
from steelyard.errors import SteelyardError
from steelyard.lab.corpus import FLATTENED, TEST, CorpusPage
from steelyard.lab.edits.base import Target
from steelyard.lab.edits.topics import TooLittleText
from steelyard.lab.gaming.climbing import climb
from steelyard.lab.gaming.readings import PAPER, Limits, Points, measure_detectors, score_components, sum_points
from steelyard.lab.stats.intervals import MIN_PAGES, bootstrap_interval, estimate_mean, wilson_interval
from steelyard.scoring import editions
from steelyard.scoring.editions import Edition
from steelyard.support.pool import LostTask, ordered_map
from steelyard.support.progress import show_progress
from steelyard.support.quantile import quantile

BUDGETS = (20, 50, 100, 200, 400)  # added words
PATIENCE = 3  # draws in a row without a sentence worth writing, after which the attacker gives up


@dataclass(frozen=True)
class Stage:
    """How far a climb got within one budget: gain in points, also by component, and what was written."""

    gain: float
    components: Points
    sentences: dict[str, int]  # kind → how many
    words: int
    is_flagged: bool


Climb = dict[int, Stage]  # by budget


def climb_page(
    page: CorpusPage, *, limits: Limits, unseen: bool, as_of: date, edition: Edition = PAPER, seed: int = 0
) -> Climb | None:
    """Climb greedily; with `unseen`, take no step that the filter flags. Return None for a page it flags untouched."""
    target = Target(page.view(FLATTENED), page.language)
    is_flagged = partial(_is_flagged, language=page.language, limits=limits, edition=edition)
    if is_flagged(target.text):
        return None
    rng = random.Random(f"{seed}|adaptive|{target.digest}")
    score = partial(_score, language=page.language, as_of=as_of, edition=edition)
    ((total, start),) = score([target.text])
    text, points, words = target.text, start, 0
    sentences: Counter[str] = Counter()
    stages = {}
    for budget in BUDGETS:
        for step in climb(
            target, text, total, rng, words=budget - words, patience=PATIENCE, score=score,
            is_allowed=lambda changed: not unseen or not is_flagged(changed),
        ):  # fmt: skip
            text, total, points = step.text, step.points, step.detail
            words += step.words
            sentences[step.kind] += 1
        stages[budget] = Stage(
            sum_points(points) - sum_points(start),
            {name: points[name] - start[name] for name in start},
            dict(sentences),
            words,
            not unseen and is_flagged(text),
        )
    return stages


def _score(texts: Sequence[str], *, language: str, as_of: date, edition: Edition) -> list[tuple[float, Points]]:
    scored = [score_components(text, language, as_of, edition.weights, edition=edition) for text in texts]
    return [(sum_points(points), points) for (points,) in scored]


def _is_flagged(text: str, *, language: str, limits: Limits, edition: Edition) -> bool:
    return limits.flags(measure_detectors(text, language, edition))


def select_climbed(pages: Sequence[CorpusPage], count: int) -> list[CorpusPage]:
    """Return the first pages that no edition's shipped filter flags untouched, those of the test half first.

    Every study climbs these, so that one attacker has one figure; nothing of the attacker is fitted on either half.
    """
    halves = sorted(pages, key=lambda page: page.split != TEST)
    return list(islice((page for page in halves if not _is_flagged_untouched(page)), count))


def _is_flagged_untouched(page: CorpusPage) -> bool:
    readers = (e for e in map(editions.load, editions.NAMES) if page.language in e.languages)
    return any(detect_manipulation(e.open(page.view(FLATTENED), page.language)).flagged for e in readers)


def _climb_both_ways(
    page: CorpusPage, *, limits: Limits, as_of: date, edition: Edition, seed: int
) -> tuple[Climb, Climb] | None:
    """Climb without and with regard to the filter; None for a page that cannot be climbed."""
    climb_one = partial(climb_page, page, limits=limits, as_of=as_of, edition=edition, seed=seed)
    try:
        free, unseen = (climb_one(unseen=u) for u in (False, True))
    except TooLittleText:
        return None
    return (free, unseen) if free and unseen else None


def climb_each(
    pages: Sequence[CorpusPage],
    limits: Limits,
    *,
    as_of: date,
    edition: Edition = PAPER,
    seed: int = 0,
    jobs: int = 1,
    quiet: bool = True,
) -> list[tuple[str, Climb, Climb]]:
    """Climb every page that can be climbed; return its id with the climb that ignores the filter and the other."""
    climbs: list[tuple[str, Climb, Climb]] = []
    work = partial(_climb_both_ways, limits=limits, as_of=as_of, edition=edition, seed=seed)
    results = show_progress(ordered_map(work, pages, jobs), total=len(pages), noun="climbs", quiet=quiet)
    for page, result in zip(pages, results, strict=True):
        if isinstance(result, LostTask):
            raise SteelyardError(f"a worker was lost while climbing: {result.reason}")
        if result:
            climbs.append((page.id, *result))
    return climbs


def climb_pages(pages: Sequence[CorpusPage], limits: Limits, *, seed: int = 0, **climbing: Any) -> dict[str, Any]:
    """Summarise the gains of two attackers by budget and component, each as it is; arguments are those of `climb_each`.

    `unconstrained` knows the score and not the filter; `left_unflagged` are the same climbs, of which the filter flags
    some; `unflagged` knows the filter and takes no step that it flags. Both are greedy, so that on a page the one who
    avoids the filter may end higher. Means have an interval over pages.
    """
    climbs = climb_each(pages, limits, seed=seed, **climbing)
    free, unseen = [a for _, a, _ in climbs], [b for _, _, b in climbs]
    budgets = BUDGETS if climbs else ()
    summarise = partial(_summarise, seed=seed)
    return {
        "pages": len(climbs),
        "budgets": list(BUDGETS),
        "unconstrained": {str(b): summarise([climb[b] for climb in free]) for b in budgets},
        "left_unflagged": {str(b): _summarise_unflagged([climb[b] for climb in free], seed=seed) for b in budgets},
        "unflagged": {str(b): summarise([climb[b] for climb in unseen]) for b in budgets},
    }


def _summarise(stages: Sequence[Stage], *, seed: int = 0) -> dict[str, Any]:
    gains = [stage.gain for stage in stages]
    kinds = sorted({kind for stage in stages for kind in stage.sentences})
    return {
        **estimate_mean(gains, random.Random(f"{seed}|adaptive")),
        "p95": quantile(gains, 0.95),
        "worst": max(gains),
        "components": {n: mean([stage.components[n] for stage in stages]) for n in NAMES},
        "moves": {kind: mean([stage.sentences.get(kind, 0) for stage in stages]) for kind in kinds},
        "words": mean([stage.words for stage in stages]),
    }


def _summarise_unflagged(stages: Sequence[Stage], *, seed: int = 0) -> dict[str, Any]:
    """Return what is left of the free attacker's gain once flagged pages count nothing, and the share of the gain."""
    left = [stage for stage in stages if not stage.is_flagged]
    gained = [0.0 if stage.is_flagged else stage.gain for stage in stages]
    over_all = estimate_mean(gained, random.Random(f"{seed}|adaptive"))
    return {
        "pages": len(left),
        "of": len(stages),
        "share": len(left) / len(stages),
        "flagged_interval": wilson_interval(len(stages) - len(left), len(stages)),
        "mean": mean([stage.gain for stage in left]) if left else None,
        "over_all": over_all["mean"],
        "over_all_interval": over_all["interval"],
        "kept_interval": _resample_kept(gained, [stage.gain for stage in stages], random.Random(f"{seed}|adaptive")),
        "components": {n: math.fsum(stage.components[n] for stage in left) / len(stages) for n in NAMES},
    }


def _resample_kept(kept: Sequence[float], gained: Sequence[float], rng: random.Random) -> list[float | None] | None:
    """Return the interval over pages of the share of the gain that the filter leaves; None for few pages."""

    def divide(at: Sequence[int]) -> float | None:
        total = math.fsum(gained[i] for i in at)
        return math.fsum(kept[i] for i in at) / total if total else None

    return list(bootstrap_interval(len(gained), divide, rng)) if len(gained) >= MIN_PAGES else None
