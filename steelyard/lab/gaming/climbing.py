"""The climbing attacker: it knows every formula, and writes what gains most per word until its words are used up."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Generic, TypeVar

from steelyard import languages
from steelyard.errors import SteelyardError, UnknownName
from steelyard.lab.edits import phrasebook
from steelyard.lab.edits.base import Target
from steelyard.lab.edits.topics import TooLittleText
from steelyard.lab.protocol.variants import LEVERS
from steelyard.pipeline import Measured, Page, measure_pages
from steelyard.scoring.page import PageScore
from steelyard.settings import Settings

PER_WORD = 0.005  # points: a sentence that gains less per word is not worth writing
TRIES = 2  # sentences tried of each kind in each step
PATIENCE = 2  # draws without a sentence worth writing, after which an attacker of a leaderboard gives up
MAX_CHARACTERS = 200_000  # of a page; on a longer one a few words change nothing, and trying them takes minutes
_ENDS = re.compile(r"[a-z][.!?] ")

Detail = TypeVar("Detail")
Score = Callable[[Sequence[str]], Sequence[tuple[float, Detail] | None]]  # points and details; None: cannot be scored


@dataclass(frozen=True)
class Step(Generic[Detail]):
    """One sentence written into the page."""

    rate: float  # points gained per word
    kind: str
    words: int
    text: str  # of the whole page
    points: float
    detail: Detail


@cache
def load_sentences(language: str) -> dict[str, list[str]]:
    """Read the short sentences an attacker would write, by what they are for."""
    return languages.read_toml(language, "edits", "adaptive.toml")


def climb(
    target: Target,
    text: str,
    points: float,
    rng: random.Random,
    *,
    words: int,
    patience: int,
    score: Score[Detail],
    is_allowed: Callable[[str], bool] = lambda text: True,
) -> Iterator[Step[Detail]]:
    """Yield the sentences that a greedy attacker writes, each with the page that has it.

    Args:
        target: The page as it was, whose topics the sentences are about.
        text: The page to climb from, which may have sentences of the attacker already.
        points: What that page has.
        rng: Draws the sentences and their places.
        words: How many may be written.
        patience: Draws in a row without a sentence worth writing, after which the attacker gives up.
        score: Scores changed pages.
        is_allowed: Whether the attacker dares to publish a page.
    """
    fruitless = 0
    while fruitless < patience:
        steps = _rank_steps(target, text, points, rng, words_left=words, score=score)
        step = next((step for step in steps if is_allowed(step.text)), None)
        fruitless = 0 if step else fruitless + 1
        if step:
            text, points = step.text, step.points
            words -= step.words
            yield step


def _rank_steps(
    target: Target, text: str, points: float, rng: random.Random, *, words_left: int, score: Score[Detail]
) -> list[Step[Detail]]:
    """Return the sentences that fit the budget and are worth writing, the largest gain per word first."""
    drawn = [(kind, sentence, len(sentence.split())) for kind, sentence in draw_sentences(target, rng)]
    fitting = [(kind, sentence, words) for kind, sentence, words in drawn if words <= words_left]
    changed = [place_sentence(text, sentence, rng) for _, sentence, _ in fitting]
    steps = []
    for (kind, _, words), page, scored in zip(fitting, changed, score(changed), strict=True):
        if scored is not None and (rate := (scored[0] - points) / words) > PER_WORD:
            steps.append(Step(rate, kind, words, page, *scored))
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


def measure_gain(text: str, title: str | None, settings: Settings, *, words: int) -> float | None:
    """Return the points that so many words add to a page's score, at least 0; None for one that cannot be attacked.

    The attacker ignores the detectors.
    """
    if len(text) > MAX_CHARACTERS:
        return None

    def score(texts: Sequence[str]) -> list[tuple[float, PageScore] | None]:
        pages = measure_pages([Page("page", text, title) for text in texts], settings, evidence=False) if texts else []
        return [_read_score(page) for page in pages]

    (first,) = score([text])
    if first is None:
        return None
    target = Target(text, settings.language)
    rng = random.Random(f"leaderboard|{target.digest}")
    points, start = first
    try:
        load_sentences(settings.language)
        climbed = climb(target, text, points, rng, words=words, patience=PATIENCE, score=score)
        return max([start.score, *(step.detail.score for step in climbed)]) - start.score
    except (TooLittleText, UnknownName, FileNotFoundError):
        return None  # too little to write about, or a language without sentences for attackers


def _read_score(page: Measured | BaseException) -> tuple[float, PageScore] | None:
    if isinstance(page, Measured):
        return page.score.content, page.score
    if not isinstance(page, SteelyardError):
        raise page  # a bug
    return None
