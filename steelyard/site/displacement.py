"""How much 50 words written for the score alone would gain on a page: what a rank on a leaderboard is worth.

The attacker is the laboratory's adaptive one, which knows every formula: it draws sentences made to be counted, writes
the one that gains most per word, and goes on until its words are used up. It ignores the detectors.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from steelyard.errors import SteelyardError, UnknownName
from steelyard.lab.edits.base import Target
from steelyard.lab.edits.topics import TooLittleText
from steelyard.lab.gaming.adaptive import PER_WORD, draw_sentences, load_sentences, place_sentence
from steelyard.pipeline import Measured, Page, measure_pages
from steelyard.scoring.page import PageScore
from steelyard.settings import Settings

WORDS = 50
PATIENCE = 2  # draws without a sentence worth writing, after which the attacker gives up
LONGEST = 200_000  # characters of a page; on a longer one 50 words change nothing, and trying them takes minutes


@dataclass(frozen=True, slots=True)
class KeptPage:
    """A page whose text was kept, with its title and language."""

    text: str
    language: str
    title: str | None


def measure_gain(kept: KeptPage, settings: Settings) -> float | None:
    """Return the points that the attack adds to the score, at least 0; None for a page that cannot be attacked."""
    if len(kept.text) > LONGEST:
        return None
    target = Target(kept.text, kept.language)
    rng = random.Random(f"leaderboard|{target.digest}")
    text, words, fruitless = kept.text, 0, 0
    (first,) = _score([text], kept, settings)
    if first is None:
        return None
    content, best = first.content, first.score
    try:
        load_sentences(kept.language)
        while words < WORDS and fruitless < PATIENCE:
            drawn = [sentence for _, sentence in draw_sentences(target, rng)]
            fitting = [sentence for sentence in drawn if words + len(sentence.split()) <= WORDS]
            tried = [place_sentence(text, sentence, rng) for sentence in fitting]
            scores = _score(tried, kept, settings)
            rates = [
                (0.0 if score is None else (score.content - content) / len(sentence.split()))
                for sentence, score in zip(fitting, scores, strict=True)
            ]
            chosen = max(range(len(rates)), key=rates.__getitem__, default=None)
            step = None if chosen is None or rates[chosen] <= PER_WORD else scores[chosen]
            if chosen is None or step is None:
                fruitless += 1
                continue
            text, content, fruitless = tried[chosen], step.content, 0
            words += len(fitting[chosen].split())
            best = max(best, step.score)
    except (TooLittleText, UnknownName, FileNotFoundError):
        return None  # too little to write about, or a language without sentences for attackers
    return best - first.score


def _score(texts: Sequence[str], kept: KeptPage, settings: Settings) -> list[PageScore | None]:
    pages = [Page("page", text, kept.title) for text in texts]
    found = measure_pages(pages, settings, evidence=False) if pages else []
    scores: list[PageScore | None] = []
    for one in found:
        if not isinstance(one, Measured | SteelyardError):
            raise one  # a bug
        scores.append(one.score if isinstance(one, Measured) else None)
    return scores
