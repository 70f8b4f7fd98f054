"""Read a run back from its journal: every answer as an outcome, without an engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steelyard.errors import SteelyardError
from steelyard.lab.outcome.engines.prompt import PLAIN, VERSIONS
from steelyard.lab.outcome.experiment import CANARY, list_orders
from steelyard.lab.outcome.records.base import Outcome
from steelyard.lab.outcome.records.questions import ExperimentQuestion, read_journal_question
from steelyard.lab.outcome.records.rows import Row
from steelyard.lab.outcome.run import ANSWER, FAILED, KIND, QUESTION, SENT, SKIPPED, Usage
from steelyard.lab.outcome.soft_shares import ForcedCitations, read_citations
from steelyard.support import journal

LOST = "lost in flight"


@dataclass(frozen=True)
class RecordedRun:
    """The answers of a run in the order of its plan, how its calls ended, and what is known of their citations."""

    outcomes: tuple[Outcome, ...]
    counts: Mapping[str, Any]
    forced: Mapping[str, ForcedCitations]  # by call


def name_run(identity: Mapping[str, Any]) -> str:
    """Return the name of a run's instructions, empty for the plain ones, with the seed where answers were drawn."""
    styles = {version: "" if style == PLAIN else style for style, version in VERSIONS.items()}
    style = styles.get(identity.get("prompt", ""), "")
    return f"{style}-{identity['seed']}".removeprefix("-") if identity.get("temperature") else style


def read_run(path: str | Path) -> RecordedRun:
    """Read every answer of a journal as an outcome, and count how the calls ended."""
    header, records = journal.read(path)
    if header.kind != KIND:
        raise SteelyardError(f"{path}: a journal of {header.kind!r}, not of an outcome run")
    parameters = header.parameters
    questions: dict[str, ExperimentQuestion] = {}
    outcomes: dict[str, Outcome] = {}
    last: dict[str, tuple[str, str]] = {}  # how the last try of every call ended
    reasons: dict[str, str] = {}
    forced: dict[str, ForcedCitations] = {}
    usage = Usage()
    for number, record in enumerate(records, start=2):
        kind = record["kind"]
        usage.add(record)
        if kind == QUESTION:
            questions[record["query_id"]] = read_journal_question(Row(f"{path}:{number}", record["question"]))
        elif kind == SENT:
            last[record["call"]] = (SENT, LOST)
        elif kind == FAILED:
            last[record["call"]] = (FAILED, record["failure"])
            reasons[record["failure"]] = record["reason"]
        elif kind == ANSWER:
            last[record["call"]] = (ANSWER, record["finish"])
            question = questions[record["query_id"]]
            outcomes[record["call"]] = Outcome(
                KIND, question.query_id, question.query, str(parameters["name"]), question.sources,
                tuple(record["shown"]), answer=record["answer"], arm=record["arm"], order=record["order"],
                run=name_run(parameters["engine"]), target=question.target, tags=question.tags,
            )  # fmt: skip
            if record.get("citations") is not None:
                forced[record["call"]] = read_citations(Row(f"{path}:{number}", record).row("citations"))
    ends = Counter(last.values())
    failed = {reason: n for (kind, reason), n in sorted(ends.items()) if kind == FAILED}
    counts = {
        "engine": parameters["name"],
        "engine_kind": parameters["kind"],
        "queries": parameters["queries"],
        "skipped": sum(record["kind"] == SKIPPED for record in records),
        "calls": len(last),
        "answered": sum(n for (kind, _), n in ends.items() if kind == ANSWER),
        "cut": ends[ANSWER, "length"],
        "failed": failed,
        "reasons": {kind: reasons[kind] for kind in failed},  # the last of each kind
        "lost_in_flight": ends[SENT, LOST],
        "sent": usage.calls,
        "tokens": usage.tokens,
    }
    places = {query: i for i, query in enumerate(questions)}
    arms = [*parameters["arms"], CANARY]

    def place_in_plan(o: Outcome) -> tuple[int, int, int]:
        orders = list(list_orders(len(o.shown), parameters["orders"]))
        return places[o.query_id], arms.index(o.arm), orders.index(o.order)

    return RecordedRun(tuple(sorted(outcomes.values(), key=place_in_plan)), counts, forced)
