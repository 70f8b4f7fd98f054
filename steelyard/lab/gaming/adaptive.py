"""The adaptive attacker: knows every formula and every detector, and climbs the score within a budget of words."""

from __future__ import annotations

import math
import random
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache, partial
from importlib import resources
from typing import Any

from steelyard import languages
from steelyard.components import NAMES
from steelyard.components.arithmetic.numbers import mean
from steelyard.detectors.layered_filter import measure
from steelyard.errors import SteelyardError
from steelyard.lab.corpus.corpus import FLATTENED, CorpusPage
from steelyard.lab.edits import phrasebook
from steelyard.lab.edits.base import Target
from steelyard.lab.edits.topics import TooLittleText
from steelyard.lab.protocol.variants import LEVERS
from steelyard.lab.stats.summary import quantile
from steelyard.pipeline import score_text
from steelyard.scoring import weighting
from steelyard.scoring.page import contributions
from steelyard.support.pool import Lost, ordered_map
from steelyard.support.progress import tracked
from steelyard.text.document import Document, Source

BUDGETS = (20, 50, 100, 200, 400)  # added words
PER_WORD = 0.005  # points: a move that gains less per word is not worth writing
TRIES = 2  # sentences tried of each kind in each step
PATIENCE = 3  # draws in a row without a move worth making, after which the attacker gives up
_ENDS = re.compile(r"[a-z][.!?] ")


class NothingToWrite(SteelyardError):
    """The attacker has no sentences of a language."""

    def __init__(self, language: str) -> None:
        super().__init__(f"the adaptive attacker has no sentences in {language!r}; leave it out with --climbed 0")


@cache
def cheap(language: str) -> dict[str, list[str]]:
    """The short sentences an attacker would write, by the component they are for."""
    file = resources.files("steelyard.languages").joinpath(language, "edits", "adaptive.toml")
    if not file.is_file():
        raise NothingToWrite(language)
    return tomllib.loads(file.read_text("utf-8"))


@dataclass(frozen=True)
class Climb:
    """One page's climb: at every budget the gain, by component, what was written, and whether the filter flags it."""

    source: str
    gains: dict[int, float]
    components: dict[int, dict[str, float]]
    moves: dict[int, dict[str, int]]
    words: dict[int, int]
    flagged: dict[int, bool]


def climb(page: CorpusPage, *, limits: Mapping[str, float], unseen: bool, as_of: date, seed: int = 0) -> Climb | None:
    """Greedy ascent; `unseen` allows no step that the filter sees. None for a page that is flagged as it is."""
    target = Target(page.view(FLATTENED), page.language)
    rng = random.Random(f"{seed}|adaptive|{target.digest}")
    text, before = target.text, _points(target.text, page.language, as_of)
    if _flagged(text, page.language, limits):
        return None
    start, written, fruitless = sum_of(before), 0, 0
    current = before
    counts: dict[str, int] = {}
    found = Climb(page.id, {}, {}, {}, {}, {})
    for budget in BUDGETS:
        while fruitless < PATIENCE:
            step = _best(text, current, target, rng, budget - written, limits=limits if unseen else None, as_of=as_of)
            fruitless = 0 if step else fruitless + 1
            if step:
                kind, size, text, current = step
                written += size
                counts[kind] = counts.get(kind, 0) + 1
        fruitless = 0
        found.gains[budget] = sum_of(current) - start
        found.components[budget] = {name: current[name] - before[name] for name in before}
        found.moves[budget] = dict(counts)
        found.words[budget] = written
        found.flagged[budget] = not unseen and _flagged(text, page.language, limits)
    return found


def sum_of(points: Mapping[str, float]) -> float:
    return min(100.0, math.fsum(points.values()))


def _points(text: str, language: str, as_of: date) -> dict[str, float]:
    scored = score_text(text, as_of=as_of, title="", language=language, evidence=False)
    return contributions({n: r.value for n, r in scored.readings.items()}, weighting.load("shipped").weights)


def _flagged(text: str, language: str, limits: Mapping[str, float]) -> bool:
    found = measure(Document(Source(text), languages.load(language)))
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
) -> tuple[str, int, str, dict[str, float]] | None:
    """The move that gains most per word, with the text it makes; None when none is worth it, fits or stays unseen."""
    found = []
    for kind, sentence in candidates(target, rng):
        size = len(sentence.split())
        if size > left:
            continue
        changed = placed(text, sentence, rng)
        points = _points(changed, target.language, as_of)
        rate = (sum_of(points) - sum_of(current)) / size
        if rate > PER_WORD:
            found.append((rate, kind, size, changed, points))
    for _, kind, size, changed, points in sorted(found, key=lambda f: (-f[0], f[1], f[3])):
        if limits is None or not _flagged(changed, target.language, limits):
            return kind, size, changed, points
    return None


def placed(text: str, sentence: str, rng: random.Random) -> str:
    """The sentence at the end of the text or, as often, after one of its sentences: in a heap it is easier to see."""
    ends = [m.end() for m in _ENDS.finditer(text)]
    if not ends or rng.random() < 0.5:
        return f"{text} {sentence}"
    at = rng.choice(ends)
    return f"{text[:at]}{sentence} {text[at:]}"


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
        free = climb(page, limits=limits, unseen=False, as_of=as_of, seed=seed)
        unseen = climb(page, limits=limits, unseen=True, as_of=as_of, seed=seed)
    except TooLittleText:
        return None, None
    return _better(free, unseen) if free and unseen else free, unseen


def _better(free: Climb, unseen: Climb) -> Climb:
    """Who may do anything may do what the other did: at every budget the better of the two."""
    best = {b: free if free.gains[b] >= unseen.gains[b] else unseen for b in BUDGETS}
    return Climb(
        free.source,
        {b: c.gains[b] for b, c in best.items()},
        {b: c.components[b] for b, c in best.items()},
        {b: c.moves[b] for b, c in best.items()},
        {b: c.words[b] for b, c in best.items()},
        {b: c.flagged[b] for b, c in best.items()},
    )


def adaptive(
    pages: Sequence[CorpusPage],
    limits: Mapping[str, float],
    *,
    as_of: date,
    seed: int = 0,
    jobs: int = 1,
    quiet: bool = True,
) -> dict[str, Any]:
    """The best gain by budget and component: unconstrained; of those pages the ones that the filter does not flag;
    and of an attacker who knows the filter and takes no step that it sees.
    """
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
        "left_unflagged": _left(free),
        "unflagged": _summary(unseen),
    }


def _summary(climbs: Sequence[Climb]) -> dict[str, Any]:
    if not climbs:
        return {}
    return {
        str(budget): {
            "mean": mean([c.gains[budget] for c in climbs]),
            "p95": quantile([c.gains[budget] for c in climbs], 0.95),
            "worst": max(c.gains[budget] for c in climbs),
            "components": {n: mean([c.components[budget][n] for c in climbs]) for n in NAMES},
            "moves": _moves(climbs, budget),
            "words": mean([c.words[budget] for c in climbs]),
        }
        for budget in BUDGETS
    }


def _left(climbs: Sequence[Climb]) -> dict[str, Any]:
    """What is left of the unconstrained attacker's gain once flagged pages are taken out."""
    found: dict[str, Any] = {}
    for budget in BUDGETS if climbs else ():
        left = [c for c in climbs if not c.flagged[budget]]
        found[str(budget)] = {
            "pages": len(left),
            "share": len(left) / len(climbs),
            "mean": mean([c.gains[budget] for c in left]) if left else None,
            "over_all": math.fsum(c.gains[budget] for c in left) / len(climbs),
            "components": {n: math.fsum(c.components[budget][n] for c in left) / len(climbs) for n in NAMES},
        }
    return found


def _moves(climbs: Sequence[Climb], budget: int) -> dict[str, float]:
    """How many sentences of each kind were written on a page, on average."""
    kinds = sorted({kind for c in climbs for kind in c.moves[budget]})
    return {kind: mean([c.moves[budget].get(kind, 0) for c in climbs]) for kind in kinds}
