"""The experiment: every query under every arm in every order, and what each call of the engine needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from steelyard.lab.corpus.corpus import cut
from steelyard.lab.edits.base import Target
from steelyard.lab.edits.topics import TooLittleText
from steelyard.lab.outcome.arms import ARMS, CANARY, canary
from steelyard.lab.outcome.engines.base import Question
from steelyard.lab.outcome.orders import SCHEMES, orders
from steelyard.lab.outcome.records.questions import Asked
from steelyard.languages import CODES as LANGUAGES

MOST_WORDS = 400  # of a source


@dataclass(frozen=True, slots=True)
class Plan:
    """What is asked; equal plans over equal questions ask the same."""

    arms: tuple[str, ...] = tuple(ARMS)
    orders: str = SCHEMES[0]
    words: int = MOST_WORDS
    seed: int = 0
    canary: bool = False

    def parameters(self) -> dict[str, Any]:
        return {
            "arms": list(self.arms), "orders": self.orders, "words": self.words, "seed": self.seed,
            "canary": self.canary,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Call:
    """One question to the engine. `name` is its key in the journal."""

    asked: Asked
    arm: str
    order: str
    shown: tuple[int, ...]
    question: Question

    @property
    def name(self) -> str:
        return f"{self.asked.query_id}|{self.arm}|{self.order}"


@dataclass(frozen=True, slots=True)
class Skipped:
    """A query that cannot be edited, with the reason."""

    query_id: str
    reason: str


def calls(asked: Asked, plan: Plan) -> Iterator[Call | Skipped]:
    """All calls of one query; none of them if its target cannot be edited, so that arms stay paired."""
    if asked.language not in LANGUAGES:
        yield Skipped(asked.query_id, f"there are no edits in {asked.language!r}, only in {', '.join(LANGUAGES)}")
        return
    texts = [cut(s.text, plan.words).strip() for s in asked.sources]
    target = Target(texts[asked.target], asked.language)
    try:
        edited = {name: ARMS[name].make(target, plan.seed) for name in plan.arms}
    except TooLittleText as error:
        yield Skipped(asked.query_id, str(error))
        return
    if plan.canary:
        edited[CANARY] = canary(target.text, asked.query)
    for arm, text in edited.items():
        sources = [text if place == asked.target else other for place, other in enumerate(texts)]
        for order, shown in orders(len(sources), plan.orders).items():
            yield Call(asked, arm, order, shown, Question(asked.query, tuple(sources[place] for place in shown)))


def planned(questions: Sequence[Asked], plan: Plan) -> tuple[list[Call], list[Skipped]]:
    """Every call in order, and the queries left out."""
    every = [found for asked in questions for found in calls(asked, plan)]
    return [c for c in every if isinstance(c, Call)], [s for s in every if isinstance(s, Skipped)]
