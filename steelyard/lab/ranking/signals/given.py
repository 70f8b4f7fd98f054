"""given: the relevance that came with the records, such as a language model's log-odds, in a cross-encoder's place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from steelyard.errors import SteelyardError
from steelyard.lab.ranking.dataset import Candidate
from steelyard.lab.ranking.signals.values import finite
from steelyard.support.escape import visible


class RelevanceMissing(SteelyardError):
    def __init__(self, query: str, candidate: Candidate) -> None:
        super().__init__(
            f"the records have no relevance for source {visible(candidate.key)[:80]!r} of the query "
            f"{visible(query)[:80]!r}; leave out --cross-encoder given, or name a model"
        )


@dataclass(frozen=True, slots=True)
class Given:
    """Reads `Candidate.relevance`; it computes nothing, so nothing of it is cached."""

    @property
    def name(self) -> str:
        return "given"

    @property
    def identity(self) -> str:
        return "given"  # the records carry it, and they are hashed as inputs

    def logits(self, query: str, candidates: Sequence[Candidate]) -> list[float]:
        return [_logit(query, candidate) for candidate in candidates]


def _logit(query: str, candidate: Candidate) -> float:
    if candidate.relevance is None:
        raise RelevanceMissing(query, candidate)
    return finite("given", [candidate.relevance])[0]
