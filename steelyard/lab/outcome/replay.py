"""Reading a run: every answer of a journal as an outcome, without an engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steelyard.errors import SteelyardError
from steelyard.lab.outcome.arms import CANARY
from steelyard.lab.outcome.orders import orders
from steelyard.lab.outcome.records.base import Outcome
from steelyard.lab.outcome.records.questions import Asked, from_record
from steelyard.lab.outcome.records.rows import Row
from steelyard.lab.outcome.run import ANSWER, FAILED, KIND, QUESTION, SENT, SKIPPED, spent_in
from steelyard.support import journal
from steelyard.support.journal import Header, Record


@dataclass(frozen=True)
class Replayed:
    """A run as its journal tells it: no engine is needed."""

    header: Header
    outcomes: tuple[Outcome, ...]
    counts: Mapping[str, Any]

    @property
    def engine(self) -> str:
        return str(self.header.parameters["name"])


def replay(path: str | Path) -> Replayed:
    """Every answer of a journal as an outcome, and what became of the other calls."""
    found = journal.read(path)
    if found.header.kind != KIND:
        raise SteelyardError(f"{path}: a journal of {found.header.kind!r}, not of an outcome run")
    parameters = found.header.parameters
    questions: dict[str, Asked] = {}
    outcomes: dict[str, Outcome] = {}
    last: dict[str, tuple[str, str]] = {}
    skipped: list[Record] = []
    why: dict[str, str] = {}
    for number, record in enumerate(found.records, start=2):
        kind = record["kind"]
        if kind == QUESTION:
            questions[record["query_id"]] = from_record(Row(f"{path}:{number}", record["question"]))
        elif kind == SKIPPED:
            skipped.append(record)
        elif kind == SENT:
            last[record["call"]] = (SENT, "lost in flight")
        elif kind == FAILED:
            last[record["call"]] = (FAILED, record["failure"])
            why[record["failure"]] = record["reason"]
        else:
            last[record["call"]] = (ANSWER, record["finish"])
            asked = questions[record["query_id"]]
            outcomes[record["call"]] = Outcome(
                dataset=KIND, query_id=asked.query_id, query=asked.query, engine=str(parameters["name"]),
                sources=asked.sources, shown=tuple(record["shown"]), answer=record["answer"], arm=record["arm"],
                order=record["order"], target=asked.target, tags=asked.tags,
            )  # fmt: skip
    ends = Counter(last.values())
    failed = {reason: n for (kind, reason), n in sorted(ends.items()) if kind == FAILED}
    spent = spent_in(found.records)
    counts = {
        "engine": parameters["name"],
        "engine_kind": parameters["kind"],
        "queries": parameters["queries"],
        "skipped": len(skipped),
        "calls": len(last),
        "answered": sum(n for (kind, _), n in ends.items() if kind == ANSWER),
        "cut": ends[ANSWER, "length"],
        "failed": failed,
        "reasons": {kind: why[kind] for kind in failed},  # of each kind the last
        "lost_in_flight": ends[SENT, "lost in flight"],
        "sent": spent.calls,
        "tokens": spent.tokens,
    }
    return Replayed(found.header, _in_order(list(outcomes.values()), list(questions), parameters), counts)


def _in_order(
    outcomes: Sequence[Outcome], queries: Sequence[str], parameters: Mapping[str, Any]
) -> tuple[Outcome, ...]:
    """By the plan's order, whatever order the answers came in."""
    place = {query: i for i, query in enumerate(queries)}
    arms = [*parameters["arms"], CANARY]
    shown = {n: list(orders(n, parameters["orders"])) for n in {len(o.shown) for o in outcomes}}

    def planned(o: Outcome) -> tuple[int, int, int]:
        return place[o.query_id], arms.index(o.arm), shown[len(o.shown)].index(o.order)

    return tuple(sorted(outcomes, key=planned))
