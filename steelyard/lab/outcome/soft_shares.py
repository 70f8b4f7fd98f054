"""Soft shares: a citation that a model was made to write, divided by the probabilities it gave to every source.

A server can make a model cite: a sentence that ends without a citation gets the likeliest one. The written citation
then shows only the winner. With the probabilities, the credit of such a sentence goes to all sources, and a source that
moves from 20% to 30% is seen to move. A citation of the model's own stays as it was written.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from steelyard.errors import SteelyardError
from steelyard.lab.outcome.experiment import call_name
from steelyard.lab.outcome.pawc import divide_credit, read_strict
from steelyard.lab.outcome.records.base import Outcome
from steelyard.lab.outcome.records.rows import Row, read_rows


@dataclass(frozen=True, slots=True)
class ForcedCitations:
    """The probabilities of one answer's forced citations, by place in the prompt, and its own citations' number."""

    probabilities: tuple[tuple[float, ...], ...]
    own: int


def is_probability_file(path: str | Path) -> bool:
    """Return whether the first record of a file holds the probabilities of an answer's citations.

    False for a file that cannot be read: its own reader will say why.
    """
    try:
        return {"call", "cite_probs"} <= next(read_rows(path)).value.keys()
    except SteelyardError:
        return False


def read_probabilities(path: str | Path) -> dict[str, ForcedCitations]:
    """Read `{"call": …, "cite_probs": [[…], …], "native": …}` a line, by the call's name in the journal of its run."""
    by_call: dict[str, ForcedCitations] = {}
    for row in read_rows(path):
        call = row.text("call")
        if call in by_call:
            raise row.error(f"the call {call!r} occurs twice")
        by_call[call] = ForcedCitations(
            row.probabilities("cite_probs"), row.whole("native") if row.has("native") else 0
        )
    return by_call


def read_citations(row: Row) -> ForcedCitations:
    """Read what the journal of a run says of an answer's citations."""
    forced = row.probabilities("forced") if row.has("forced") else ()
    return ForcedCitations(forced, row.whole("own") if row.has("own") else 0)


def soften(outcomes: Iterable[Outcome], forced: Mapping[str, ForcedCitations]) -> list[Outcome]:
    """Return the answers with soft shares in place of their text; without those that cannot be matched."""
    softened = []
    for outcome in outcomes:
        known = forced.get(call_name(outcome.query_id, outcome.arm, outcome.order))
        if known is None or outcome.answer is None:
            continue
        shares = compute_soft_shares(outcome.answer, len(outcome.shown), known.probabilities)
        if shares is not None:
            softened.append(replace(outcome, answer=None, given=outcome.order_by_source(shares)))
    return softened


def compute_soft_shares(answer: str, n: int, forced: Sequence[Sequence[float]]) -> tuple[float, ...] | None:
    """Return each source's share; None if nothing is earned, or the probabilities do not fit the answer's citations.

    A forced citation stands alone in its sentence and names a likeliest source, so the probabilities belong to the next
    such sentence in turn.
    """
    if any(len(line) != n or min(line) < 0 or not any(line) for line in forced):
        return None
    waiting = list(forced)[::-1]
    sentences = []
    for sentence in read_strict(answer, n):
        if waiting and len(sentence.cited) == 1 and waiting[-1][sentence.cited[0][0]] >= max(waiting[-1]):
            likely = waiting.pop()
            sentences.append(replace(sentence, cited=tuple(enumerate(likely)), parts=math.fsum(likely)))
        else:
            sentences.append(sentence)
    return None if waiting else divide_credit(sentences, n)
