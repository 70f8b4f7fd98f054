"""The adaptive attacker: knows every formula, and climbs the score greedily within a budget of words."""

from __future__ import annotations

import math
import random
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache, partial
from importlib import resources
from typing import Any

from steelyard.base.errors import SteelyardError
from steelyard.base.pool import Lost, ordered_map
from steelyard.base.progress import tracked
from steelyard.detect.layers import measure
from steelyard.edits import phrasebook
from steelyard.edits.base import Target
from steelyard.edits.topics import TooLittleText
from steelyard.maths.numbers import mean
from steelyard.packs import pack
from steelyard.protocol.variants import LEVERS
from steelyard.score import weighting
from steelyard.score.page import contributions, score_page
from steelyard.sources.corpus import FLATTENED, CorpusPage
from steelyard.stats.summary import quantile
from steelyard.text.document import Document, Source

BUDGETS = (50, 100, 200, 400)  # added words
PER_WORD = 0.005  # points: a move that gains less per word is not worth writing
TRIES = 2  # sentences tried of each kind in each step


class NothingToWrite(SteelyardError):
    """The attacker has no sentences of a language."""

    def __init__(self, language: str) -> None:
        super().__init__(f"the adaptive attacker has no sentences in {language!r}; leave it out with --climbed 0")


@cache
def cheap(language: str) -> dict[str, list[str]]:
    """The short sentences an attacker would write, by the component they are for."""
    file = resources.files("steelyard.edits").joinpath("phrases", f"adaptive_{language}.toml")
    if not file.is_file():
        raise NothingToWrite(language)
    return tomllib.loads(file.read_text("utf-8"))


@dataclass(frozen=True)
class Climb:
    """One page's climb: at every budget the gain, the gain by component, and what was written."""

    source: str
    gains: Mapping[int, float]
    components: Mapping[int, Mapping[str, float]]
    moves: Mapping[int, Mapping[str, int]]


def climb(page: CorpusPage, *, limits: Mapping[str, float] | None, as_of: date, seed: int = 0) -> Climb | None:
    """Greedy ascent; with `limits` no step may be seen by the filter. None for a page that is flagged as it is."""
    target = Target(page.view(FLATTENED), page.language)
    rng = random.Random(f"{seed}|adaptive|{target.digest}")
    text, before = target.text, _points(target.text, page.language, as_of)
    if limits is not None and _flagged(text, page.language, limits):
        return None
    start, written = sum_of(before), 0
    current = before
    counts: dict[str, int] = {}
    gains: dict[int, float] = {}
    components: dict[int, dict[str, float]] = {}
    moves: dict[int, dict[str, int]] = {}
    for budget in BUDGETS:
        while True:
            step = _best(text, current, target, rng, budget - written, limits=limits, as_of=as_of)
            if step is None:
                break
            kind, added, current = step
            text = f"{text} {added}"
            written += len(added.split())
            counts[kind] = counts.get(kind, 0) + 1
        gains[budget] = sum_of(current) - start
        components[budget] = {name: current[name] - before[name] for name in before}
        moves[budget] = dict(counts)
    return Climb(page.id, gains, components, moves)


def sum_of(points: Mapping[str, float]) -> float:
    return min(100.0, math.fsum(points.values()))


def _points(text: str, language: str, as_of: date) -> dict[str, float]:
    scored = score_page(text, as_of=as_of, title="", language=language, evidence=False)
    return contributions({n: r.value for n, r in scored.readings.items()}, weighting.load("shipped").weights)


def _flagged(text: str, language: str, limits: Mapping[str, float]) -> bool:
    found = measure(Document(Source(text), pack.load(language)))
    return any(found[name].statistic > limit for name, limit in limits.items())


def _best(
    text: str,
    current: Mapping[str, float],
    target: Target,
    rng: random.Random,
    left: int,
    *,
    limits: Mapping[str, float] | None,
    as_of: date,
) -> tuple[str, str, dict[str, float]] | None:
    """The move that gains most per word, or None when none is worth it, fits or stays unseen."""
    found = []
    for kind, sentence in candidates(target, rng):
        size = len(sentence.split())
        if size > left:
            continue
        points = _points(f"{text} {sentence}", target.language, as_of)
        rate = (sum_of(points) - sum_of(current)) / size
        if rate > PER_WORD:
            found.append((rate, kind, sentence, points))
    for _, kind, sentence, points in sorted(found, key=lambda f: (-f[0], f[1], f[2])):
        if limits is None or not _flagged(f"{text} {sentence}", target.language, limits):
            return kind, sentence, points
    return None


def candidates(target: Target, rng: random.Random) -> list[tuple[str, str]]:
    """A few sentences of every kind: the cheap ones, and one sentence of each lever."""
    book = phrasebook.load(target.language)
    found = []
    for kind, sentences in cheap(target.language).items():
        for sentence in rng.sample(sentences, min(TRIES, len(sentences))):
            found.append((kind, book.filled([sentence], target.topics, rng)))
    for lever in LEVERS:
        position = rng.choice(book.sentences[lever])
        found.append((f"{lever} sentence", book.filled([rng.choice(position)], target.topics, rng)))
    return found


def _both(
    page: CorpusPage, *, limits: Mapping[str, float], as_of: date, seed: int
) -> tuple[Climb | None, Climb | None]:
    try:
        return climb(page, limits=None, as_of=as_of, seed=seed), climb(page, limits=limits, as_of=as_of, seed=seed)
    except TooLittleText:
        return None, None


def adaptive(
    pages: Sequence[CorpusPage],
    limits: Mapping[str, float],
    *,
    as_of: date,
    seed: int = 0,
    jobs: int = 1,
    quiet: bool = True,
) -> dict[str, Any]:
    """The best gain (a) unconstrained and (b) while the filter sees nothing, by budget and component."""
    free: list[Climb] = []
    unseen: list[Climb] = []
    work = partial(_both, limits=limits, as_of=as_of, seed=seed)
    for result in tracked(ordered_map(work, pages, jobs), total=len(pages), noun="climbs", quiet=quiet):
        if isinstance(result, Lost):
            raise SteelyardError(f"a worker was lost while climbing: {result.reason}")
        a, b = result
        if a is not None and b is not None:
            free.append(a)
            unseen.append(b)
    return {
        "pages": len(free),
        "budgets": list(BUDGETS),
        "unconstrained": _summary(free),
        "unflagged": _summary(unseen),
    }


def _summary(climbs: Sequence[Climb]) -> dict[str, Any]:
    if not climbs:
        return {}
    names = list(climbs[0].components[BUDGETS[0]])
    return {
        str(budget): {
            "mean": mean([c.gains[budget] for c in climbs]),
            "p95": quantile([c.gains[budget] for c in climbs], 0.95),
            "worst": max(c.gains[budget] for c in climbs),
            "components": {n: mean([c.components[budget][n] for c in climbs]) for n in names},
            "moves": _moves(climbs, budget),
        }
        for budget in BUDGETS
    }


def _moves(climbs: Sequence[Climb], budget: int) -> dict[str, float]:
    """How many sentences of each kind were written on a page, on average."""
    kinds = sorted({kind for c in climbs for kind in c.moves[budget]})
    return {kind: mean([c.moves[budget].get(kind, 0) for c in climbs]) for kind in kinds}
