"""What every format of outcome records is read into: one answer of one engine over one list of sources."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from steelyard.lab.outcome.pawc import shares
from steelyard.lab.outcome.records.rows import Row

FORWARD, REVERSED = "forward", "reversed"
BASELINE = "baseline"
GIVEN = "given"  # the mode of records that report shares themselves


@dataclass(frozen=True, slots=True)
class SourceRecord:
    """A source as the record has it; `rank` is its place in a result list (from 1), `relevance` a model's judgement."""

    key: str
    text: str
    title: str = ""
    url: str = ""
    relevance: float | None = None
    rank: int | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """One answer. `sources` are in the record's own order, `shown[i]` is the source that the engine saw as [i + 1].

    `given` are shares that the record reports itself, in the order of `sources`, if it holds no answer.
    """

    dataset: str
    query_id: str
    query: str
    engine: str
    sources: tuple[SourceRecord, ...]
    shown: tuple[int, ...]
    answer: str | None = None
    given: tuple[float, ...] | None = None
    arm: str = BASELINE
    run: str = ""
    order: str = FORWARD
    target: int | None = None
    tags: tuple[str, ...] = ()

    @property
    def group(self) -> str:
        """Engine and run: figures are given for each."""
        return f"{self.engine}, {self.run}" if self.run else self.engine

    def shares(self, mode: str) -> tuple[float, ...] | None:
        """Return the shares in the order of `sources`; None if nothing can be allocated."""
        if self.answer is None:
            return self.given
        in_prompt = shares(self.answer, len(self.shown), mode)
        return None if in_prompt is None else self.order_by_source(in_prompt)

    def order_by_source(self, in_prompt: Sequence[float]) -> tuple[float, ...]:
        """Return shares by place in the prompt in the order of `sources`; a source that was not shown has 0."""
        by_source = dict(zip(self.shown, in_prompt, strict=True))
        return tuple(by_source.get(source, 0.0) for source in range(len(self.sources)))


def number_runs(outcomes: Iterable[Outcome]) -> Iterator[Outcome]:
    """Yield the outcomes with their runs named: a query that an engine answers again is run 2, 3, …"""
    runs: Counter[tuple[str, str]] = Counter()
    for outcome in outcomes:
        runs[outcome.query_id, outcome.engine] += 1
        yield replace(outcome, run=str(runs[outcome.query_id, outcome.engine]))


def read_source(
    row: Row, key: str, *, default_text: str | None = "", relevance: str = "llm_relevance", rank: int | None = None
) -> SourceRecord:
    """Read a source; without a default its text must not be blank."""
    text, title, url = row.text("text", default_text), row.text("title", ""), row.text("url", "")
    return SourceRecord(key, text, title, url, row.optional_number(relevance), rank)
