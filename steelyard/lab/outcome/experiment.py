"""The experiment: every query under every arm in every order, and what each call of the engine needs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from steelyard.lab.corpus.corpus import cut
from steelyard.lab.edits.base import Target
from steelyard.lab.edits.phrasebook import LANGUAGES
from steelyard.lab.edits.topics import TooLittleText
from steelyard.lab.outcome.arms import ARMS, CANARY, list_arms, plant_canary
from steelyard.lab.outcome.engines.base import Question
from steelyard.lab.outcome.orders import SCHEMES, list_orders
from steelyard.lab.outcome.records.questions import ExperimentQuestion

MAX_SOURCE_WORDS = 400


@dataclass(frozen=True, slots=True)
class Plan:
    """What is asked; equal plans over equal questions ask the same."""

    arms: tuple[str, ...] = list_arms("five")
    orders: str = SCHEMES[0]
    words: int = MAX_SOURCE_WORDS
    seed: int = 0
    canary: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """One question to the engine. `name` is its key in the journal."""

    query_id: str
    arm: str
    order: str
    shown: tuple[int, ...]
    question: Question

    @property
    def name(self) -> str:
        return call_name(self.query_id, self.arm, self.order)


def call_name(query_id: str, arm: str, order: str) -> str:
    """Return the key of a call in the journal of its run."""
    return f"{query_id}|{arm}|{order}"


@dataclass(frozen=True, slots=True)
class Skipped:
    """A query that cannot be edited, with the reason."""

    query_id: str
    reason: str


def plan_calls(asked: ExperimentQuestion, plan: Plan) -> Iterator[Call | Skipped]:
    """Yield all calls of one query; none of them if its target cannot be edited, so that arms stay paired."""
    if asked.language not in LANGUAGES:
        yield Skipped(asked.query_id, f"there are no edits in {asked.language!r}, only in {', '.join(LANGUAGES)}")
        return
    texts = [cut(s.text, plan.words).strip() for s in asked.sources]
    target = Target(texts[asked.target], asked.language)
    try:
        edited = {name: ARMS[name](target, plan.seed) for name in plan.arms}
    except TooLittleText as error:
        yield Skipped(asked.query_id, str(error))
        return
    if plan.canary:
        edited[CANARY] = plant_canary(target.text, asked.query)
    for arm, text in edited.items():
        sources = [text if place == asked.target else other for place, other in enumerate(texts)]
        for order, shown in list_orders(len(sources), plan.orders).items():
            question = Question(asked.query, tuple(sources[place] for place in shown))
            yield Call(asked.query_id, arm, order, shown, question)
