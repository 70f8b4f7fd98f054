"""The adaptive attacker: knows every formula and every detector, and climbs the score within a budget of words."""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache, partial
from typing import Any

from steelyard import languages
from steelyard.components import NAMES
from steelyard.components.arithmetic.numbers import mean
from steelyard.errors import SteelyardError
from steelyard.lab.corpus import FLATTENED, CorpusPage
from steelyard.lab.edits import phrasebook
from steelyard.lab.edits.base import Target
from steelyard.lab.edits.topics import TooLittleText
from steelyard.lab.gaming.measuring import PAPER, Points, measure_detectors, score_components, sum_points
from steelyard.lab.gaming.thresholds import Limits
from steelyard.lab.protocol.variants import LEVERS
from steelyard.scoring.editions import Edition
from steelyard.support.pool import LostTask, ordered_map
from steelyard.support.progress import show_progress
from steelyard.support.quantile import quantile

BUDGETS = (20, 50, 100, 200, 400)  # added words
PER_WORD = 0.005  # points: a sentence that gains less per word is not worth writing
TRIES = 2  # sentences tried of each kind in each step
PATIENCE = 3  # draws in a row without a sentence worth writing, after which the attacker gives up
_ENDS = re.compile(r"[a-z][.!?] ")


@dataclass(frozen=True)
class Stage:
    """How far a climb got within one budget: gain in points, also by component, and what was written."""

    gain: float
    components: Points
    sentences: dict[str, int]  # kind → how many
    words: int
    is_flagged: bool


@dataclass(frozen=True)
class Step:
    """One sentence written into the page."""

    rate: float  # points gained per word
    kind: str
    words: int
    text: str  # of the whole page
    points: Points


Climb = dict[int, Stage]  # by budget


@cache
def load_sentences(language: str) -> dict[str, list[str]]:
    """Read the short sentences an attacker would write, by what they are for."""
    return languages.read_toml(language, "edits", "adaptive.toml")


def climb_page(
    page: CorpusPage, *, limits: Limits, unseen: bool, as_of: date, edition: Edition = PAPER, seed: int = 0
) -> Climb | None:
    """Climb greedily; with `unseen`, take no step that the filter flags. Return None for a page it flags untouched."""
    target = Target(page.view(FLATTENED), page.language)
    is_flagged = partial(_is_flagged, language=page.language, limits=limits, edition=edition)
    if is_flagged(target.text):
        return None
    rng = random.Random(f"{seed}|adaptive|{target.digest}")
    (start,) = score_components(target.text, page.language, as_of, edition.weights, edition=edition)
    text, points, words = target.text, start, 0
    sentences: Counter[str] = Counter()
    climb = {}
    for budget in BUDGETS:
        fruitless = 0
        while fruitless < PATIENCE:
            steps = _rank_steps(text, points, target, rng, words_left=budget - words, as_of=as_of, edition=edition)
            step = next((s for s in steps if not unseen or not is_flagged(s.text)), None)
            fruitless = 0 if step else fruitless + 1
            if step:
                text, points = step.text, step.points
                words += step.words
                sentences[step.kind] += 1
        climb[budget] = Stage(
            sum_points(points) - sum_points(start),
            {name: points[name] - start[name] for name in start},
            dict(sentences),
            words,
            not unseen and is_flagged(text),
        )
    return climb


def _is_flagged(text: str, *, language: str, limits: Limits, edition: Edition) -> bool:
    return limits.flags(measure_detectors(text, language, edition))


def _rank_steps(
    text: str, points: Points, target: Target, rng: random.Random, *, words_left: int, as_of: date, edition: Edition
) -> list[Step]:
    """Return the sentences that fit the budget and are worth writing, the largest gain per word first."""
    steps = []
    for kind, sentence in draw_sentences(target, rng):
        words = len(sentence.split())
        if words > words_left:
            continue
        changed = place_sentence(text, sentence, rng)
        (after,) = score_components(changed, target.language, as_of, edition.weights, edition=edition)
        rate = (sum_points(after) - sum_points(points)) / words
        if rate > PER_WORD:
            steps.append(Step(rate, kind, words, changed, after))
    return sorted(steps, key=lambda s: (-s.rate, s.kind, s.text))


def place_sentence(text: str, sentence: str, rng: random.Random) -> str:
    """Add the sentence at the end or, as often, after one of the page's sentences: a heap is easier to notice."""
    ends = [m.end() for m in _ENDS.finditer(text)]
    if not ends or rng.random() < 0.5:
        return f"{text} {sentence}"
    at = rng.choice(ends)
    return f"{text[:at]}{sentence} {text[at:]}"


def draw_sentences(target: Target, rng: random.Random) -> list[tuple[str, str]]:
    """Draw a few sentences of every kind: the attacker's own, and one sentence of each lever."""
    book = phrasebook.load(target.language)
    drawn = []
    for kind, templates in load_sentences(target.language).items():
        for template in rng.sample(templates, min(TRIES, len(templates))):
            drawn.append((kind, book.fill(template, target.topics, rng)))
    for lever in LEVERS:
        position = rng.choice(book.sentences[lever])
        drawn.append((f"{lever} sentence", book.fill(rng.choice(position), target.topics, rng)))
    return drawn


def _climb_both_ways(
    page: CorpusPage, *, limits: Limits, as_of: date, edition: Edition, seed: int
) -> tuple[Climb, Climb] | None:
    """Climb without and with regard to the filter; None for a page that cannot be climbed."""
    climb = partial(climb_page, page, limits=limits, as_of=as_of, edition=edition, seed=seed)
    try:
        free, unseen = (climb(unseen=u) for u in (False, True))
    except TooLittleText:
        return None
    return (_merge_best(free, unseen), unseen) if free and unseen else None


def _merge_best(free: Climb, unseen: Climb) -> Climb:
    """Take the better of the two at every budget: an attacker without limits may also do what the other did."""
    return {b: free[b] if free[b].gain >= unseen[b].gain else unseen[b] for b in free}


def climb_pages(
    pages: Sequence[CorpusPage],
    limits: Limits,
    *,
    as_of: date,
    edition: Edition = PAPER,
    seed: int = 0,
    jobs: int = 1,
    quiet: bool = True,
) -> dict[str, Any]:
    """Summarise the best gain by budget and component in three ways.

    These are `unconstrained`; `left_unflagged`, the same pages without those the filter flags; and `unflagged`, an
    attacker who knows the filter and takes no step that it flags.
    """
    climbs: list[tuple[Climb, Climb]] = []
    work = partial(_climb_both_ways, limits=limits, as_of=as_of, edition=edition, seed=seed)
    for result in show_progress(ordered_map(work, pages, jobs), total=len(pages), noun="climbs", quiet=quiet):
        if isinstance(result, LostTask):
            raise SteelyardError(f"a worker was lost while climbing: {result.reason}")
        if result:
            climbs.append(result)
    free, unseen = [a for a, _ in climbs], [b for _, b in climbs]
    budgets = BUDGETS if climbs else ()
    return {
        "pages": len(climbs),
        "budgets": list(BUDGETS),
        "unconstrained": {str(b): _summarise([climb[b] for climb in free]) for b in budgets},
        "left_unflagged": {str(b): _summarise_unflagged([climb[b] for climb in free]) for b in budgets},
        "unflagged": {str(b): _summarise([climb[b] for climb in unseen]) for b in budgets},
    }


def _summarise(stages: Sequence[Stage]) -> dict[str, Any]:
    gains = [stage.gain for stage in stages]
    kinds = sorted({kind for stage in stages for kind in stage.sentences})
    return {
        "mean": mean(gains),
        "p95": quantile(gains, 0.95),
        "worst": max(gains),
        "components": {n: mean([stage.components[n] for stage in stages]) for n in NAMES},
        "moves": {kind: mean([stage.sentences.get(kind, 0) for stage in stages]) for kind in kinds},
        "words": mean([stage.words for stage in stages]),
    }


def _summarise_unflagged(stages: Sequence[Stage]) -> dict[str, Any]:
    """Return what is left of the unconstrained attacker's gain once flagged pages are taken out."""
    left = [stage for stage in stages if not stage.is_flagged]
    return {
        "pages": len(left),
        "share": len(left) / len(stages),
        "mean": mean([stage.gain for stage in left]) if left else None,
        "over_all": math.fsum(stage.gain for stage in left) / len(stages),
        "components": {n: math.fsum(stage.components[n] for stage in left) / len(stages) for n in NAMES},
    }
