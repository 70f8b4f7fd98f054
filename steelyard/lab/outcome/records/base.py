"""What every format of outcome records is read into: one answer of one engine over one list of sources."""

from __future__ import annotations

from dataclasses import dataclass

from steelyard.lab.outcome.pawc import shares

FORWARD, REVERSED = "forward", "reversed"
BASELINE = "baseline"
GIVEN = "given"  # stands for a mode where the record reports shares itself


@dataclass(frozen=True, slots=True)
class Candidate:
    """A source as the record has it; `rank` is its place in a result list (from 1), `relevance` a model's judgement."""

    key: str
    text: str
    title: str = ""
    url: str = ""
    relevance: float | None = None
    rank: int | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """One answer. `sources` stand in the record's own order, `shown[i]` is the source that the engine saw as [i + 1].

    `given` are shares that the record reports itself, in the order of `sources`, where it holds no answer.
    `probabilities` are the engine's own, for every sentence, of citing each source, in the order of `sources`.
    """

    dataset: str
    query_id: str
    query: str
    engine: str
    sources: tuple[Candidate, ...]
    shown: tuple[int, ...]
    answer: str | None = None
    given: tuple[float, ...] | None = None
    arm: str = BASELINE
    run: str = ""
    order: str = FORWARD
    target: int | None = None
    tags: tuple[str, ...] = ()
    probabilities: tuple[tuple[float, ...], ...] = ()

    def shares(self, mode: str) -> tuple[float, ...] | None:
        """Visibility in the order of `sources`; None when nothing can be allocated."""
        if self.answer is None:
            return self.given
        found = shares(self.answer, len(self.shown), mode)
        if found is None:
            return None
        placed = [0.0] * len(self.sources)
        for place, source in enumerate(self.shown):
            placed[source] = found[place]
        return tuple(placed)
