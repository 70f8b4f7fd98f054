"""Ask the engine: every call is in the journal before it is sent, and its answer as soon as it arrives.

A journal is both the record of an experiment and the state from which an interrupted one continues. A call that was
sent and never answered may have been paid for, so a paid engine is not asked again unless the user wants it.
"""

from __future__ import annotations

import hashlib
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from steelyard import __version__
from steelyard.errors import SteelyardError
from steelyard.lab.outcome.engines.base import DROPPED, Engine, EngineFailed, Postponing, Session
from steelyard.lab.outcome.experiment import Call, ExperimentPlan, SkippedQuery, list_orders, plan_calls
from steelyard.lab.outcome.records.questions import ExperimentQuestion
from steelyard.support.artifacts import to_unescaped_json
from steelyard.support.formatting import format_count
from steelyard.support.journal import Header, Journal, Record
from steelyard.support.progress import show_progress

KIND, SCHEMA = "outcome run", "steelyard.lab.outcome.run/1"
QUESTION, SKIPPED, SENT, ANSWER, FAILED = "question", "skipped", "sent", "answer", "failed"
CHARACTERS_A_TOKEN = 4  # in English prose, for an estimate before the engine counts
QUEUED_PER_WORKER = 2
MAX_FAILING_QUERIES = 3  # after these, an engine that never answered is given up


@dataclass(frozen=True, slots=True)
class Budget:
    """What a run may spend, over all its sessions; None is no limit."""

    calls: int | None = None
    tokens: int | None = None


@dataclass(slots=True)
class Usage:
    """What was sent so far; a call that the client tried again counts once, tokens as the engine counted them."""

    calls: int = 0
    tokens: int = 0

    def add(self, record: Mapping[str, Any]) -> None:
        """Add what a record of the journal stands for."""
        self.calls += record["kind"] == SENT
        if record["kind"] == ANSWER:
            self.tokens += (record["tokens_in"] or 0) + (record["tokens_out"] or 0)

    def find_limit(self, budget: Budget) -> str | None:
        """Return the limit that is used up, if any."""
        if budget.calls is not None and self.calls >= budget.calls:
            return format_count(budget.calls, "call")
        if budget.tokens is not None and self.tokens >= budget.tokens:
            return format_count(budget.tokens, "token")
        return None


@dataclass(frozen=True, slots=True)
class RunSummary:
    """Which limit stopped a run early, if one did, and which parameters the server did not accept.

    `postponed` calls wait for an answer that is made elsewhere; `notes` say where, and what was wrong with those there.
    """

    stopped: str | None
    dropped: tuple[str, ...] = ()
    postponed: int = 0
    notes: tuple[str, ...] = ()


def make_header(
    questions: Sequence[ExperimentQuestion], inputs: Mapping[str, str], engine: Engine, plan: ExperimentPlan
) -> Header:
    """Return the header of the journal, under which alone a run can be resumed."""
    digest = _hash([q.to_record() for q in questions])
    described = {"engine": dict(engine.identity), "name": engine.name, "kind": engine.kind, "queries": len(questions)}
    parameters = {**described, **asdict(plan)}
    return Header(KIND, SCHEMA, {**inputs, "questions asked": digest}, parameters, {"steelyard": __version__})


def count_calls(questions: Sequence[ExperimentQuestion], plan: ExperimentPlan) -> int:
    """Return the calls of a plan if no query has to be left out."""
    return sum(_calls_per_query(q, plan) for q in questions)


def estimate_tokens(questions: Sequence[ExperimentQuestion], plan: ExperimentPlan) -> int:
    """Return roughly the tokens of all questions; answers are not included."""
    size = 0
    for question in questions:
        words = [" ".join(s.text.split()[: plan.words]) for s in question.sources]
        size += _calls_per_query(question, plan) * sum(map(len, words))
    return size // CHARACTERS_A_TOKEN


def _calls_per_query(question: ExperimentQuestion, plan: ExperimentPlan) -> int:
    return (len(plan.arms) + plan.canary) * len(list_orders(len(question.sources), plan.orders))


def run(
    questions: Sequence[ExperimentQuestion],
    engine: Engine,
    plan: ExperimentPlan,
    path: str | Path,
    header: Header,
    *,
    budget: Budget | None = None,
    again: bool = False,
    force: bool = False,
    quiet: bool = True,
) -> RunSummary:
    """Ask everything that the journal at `path` does not hold yet.

    Args:
        questions: The queries with their sources.
        engine: Which engine to ask.
        plan: Arms, orders and lengths.
        path: The journal, created or resumed.
        header: What `make_header` returns for these questions.
        budget: Limits over all sessions of the run.
        again: Repeat calls that failed or were never answered.
        force: Start a new journal and keep nothing of the old one.
        quiet: Show no progress.
    """
    # The engine first: one that cannot be used must not cost the file that `force` overwrites.
    with engine.open() as session, Journal.open(path, header, _record_key, force=force) as journal:
        state = _RunState(journal, session, engine.paid, budget or Budget(), again=again)
        done = sum(record["kind"] == ANSWER for record in journal.done.values())
        left = count_calls(questions, plan) - done
        ended = _ask_all(state, state.list_open_calls(questions, plan), engine.parallel)
        for _ in show_progress(ended, total=left, noun="calls", quiet=quiet, done=done):
            pass
        dropped = tuple(sorted(getattr(session, "dropped", ())))
        if state.elsewhere is None:
            return RunSummary(state.stopped, dropped)
        return RunSummary(state.stopped, dropped, state.elsewhere.postponed, state.elsewhere.finish())


class _RunState:
    """Decides which calls are open, from the records of the journal alone, and adds to these; threads share it."""

    def __init__(self, journal: Journal, session: Session, paid: bool, budget: Budget, *, again: bool) -> None:
        self.journal, self.session, self.paid, self.budget, self.again = journal, session, paid, budget, again
        self.elsewhere = session if isinstance(session, Postponing) else None
        self.stopped: str | None = None
        self.lock = threading.RLock()
        self.usage = Usage()
        self.tries = Counter[str]()
        self.last: dict[str, str] = {}  # by call the kind of its last record: SENT if it was never answered
        self.given_up = False
        self.failing_queries: set[str] = set()
        for record in journal.done.values():
            self._count(record)

    def list_open_calls(self, questions: Sequence[ExperimentQuestion], plan: ExperimentPlan) -> Iterator[Call]:
        """Yield the calls that are still to be made, in order."""
        for question in questions:
            self._record({"kind": QUESTION, "query_id": question.query_id, "question": question.to_record()})
            for call in plan_calls(question, plan):
                if isinstance(call, SkippedQuery):
                    self._record({"kind": SKIPPED, "query_id": call.query_id, "reason": call.reason})
                elif self._is_open(call) if self.elsewhere is None else self._is_answered(call, self.elsewhere):
                    yield call

    def _is_open(self, call: Call) -> bool:
        tries = self.tries[call.name]
        if not tries:
            return True
        if self.journal.done[SENT, call.name, tries]["asked"] != _hash_question(call):
            raise SteelyardError(
                f"{self.journal.path}: {call.name} asked for something else then; "
                "choose another file, or start a new one with --force"
            )
        end = self.last[call.name]
        return end != ANSWER and (self.again or (end == SENT and not self.paid))

    def _is_answered(self, call: Call, elsewhere: Postponing) -> bool:
        """Return whether a call is open and its answer there; what the budget does not allow is not even postponed."""
        wanted = self._is_open(call)
        if wanted and self.budget.calls is not None and self.usage.calls + elsewhere.postponed >= self.budget.calls:
            self.stopped, wanted = format_count(self.budget.calls, "call"), False
        return elsewhere.claim(call.name, call.question, wanted=wanted, again=self.tries[call.name] > 0)

    def ask(self, call: Call) -> None:
        """Make one call, if the budget allows it, and record its answer or its failure."""
        with self.lock:
            if self.stopped is None and self.elsewhere is None:  # an answer that is there costs nothing more
                self.stopped = self.usage.find_limit(self.budget)
            if self.stopped is not None or self.given_up:
                return
            number = self.tries[call.name] + 1
            self._record({"kind": SENT, "call": call.name, "try": number, "asked": _hash_question(call)})
        try:
            answer = self.session.ask(call.question)
        except EngineFailed as error:
            failure = {"failure": error.kind, "reason": error.reason}
            self._record({"kind": FAILED, "call": call.name, "try": number, **failure})
            if self.elsewhere is None:
                self._give_up_if_hopeless(call, error)
            return
        record = {
            "kind": ANSWER, "call": call.name, "try": number, "query_id": call.query_id, "arm": call.arm,
            "order": call.order, "shown": list(call.shown), "answer": answer.text, "model": answer.model,
            "finish": answer.finish, "tokens_in": answer.tokens_in, "tokens_out": answer.tokens_out,
            "attempts": answer.attempts,
        }  # fmt: skip
        self._record(record if answer.citations is None else {**record, "citations": dict(answer.citations)})

    def _give_up_if_hopeless(self, call: Call, error: EngineFailed) -> None:
        """Stop if nothing was ever answered: at once if no server is there, else when it cannot be the query."""
        with self.lock:
            self.failing_queries.add(call.query_id)
            hopeless = error.kind == DROPPED or len(self.failing_queries) >= MAX_FAILING_QUERIES
            self.given_up |= hopeless and ANSWER not in self.last.values()
        if self.given_up:
            raise SteelyardError(f"no call was answered; the last one failed: {error}; fix that, then add --again")

    def _record(self, record: Record) -> None:
        with self.lock:
            if _record_key(record) not in self.journal.done:
                self.journal.append(record)
                self._count(record)

    def _count(self, record: Record) -> None:
        self.usage.add(record)
        if "call" in record:
            self.tries[record["call"]] += record["kind"] == SENT
            self.last[record["call"]] = record["kind"]


def _ask_all(state: _RunState, calls: Iterator[Call], parallel: int) -> Iterator[None]:
    """Yield once for every call, as they end; use this thread if there is only one call at a time."""
    if parallel == 1:
        for call in calls:
            state.ask(call)
            yield
            if state.stopped:
                return
        return
    with ThreadPoolExecutor(parallel) as pool:
        _start_threads(pool, parallel)
        running: set[Future[None]] = set()
        try:
            for call in calls:
                running.add(pool.submit(state.ask, call))
                if len(running) >= parallel * QUEUED_PER_WORKER:
                    ended, running = wait(running, return_when=FIRST_COMPLETED)
                    for future in ended:
                        future.result()
                        yield
                if state.stopped:
                    break
            for future in running:
                future.result()
                yield
        finally:
            for future in running:
                future.cancel()


def _start_threads(pool: ThreadPoolExecutor, number: int) -> None:
    """Start all threads before the first call.

    The pool does not wait for a thread that an interruption hits while it starts, and the journal would be closed
    before its answer.
    """
    all_there = threading.Barrier(number + 1)
    try:
        for _ in range(number):
            pool.submit(all_there.wait)
        all_there.wait()
    except BaseException:
        all_there.abort()
        raise


def _record_key(record: Mapping[str, Any]) -> tuple[Any, ...]:
    if record["kind"] in (QUESTION, SKIPPED):
        return record["kind"], record["query_id"]
    return record["kind"], record["call"], record["try"]


def _hash_question(call: Call) -> str:
    """Hash what the engine was asked; the text itself follows from the question and the plan."""
    return _hash([call.question.query, list(call.question.sources)])[:16]


def _hash(value: object) -> str:
    return hashlib.sha256(to_unescaped_json(value).encode("utf-8", "surrogatepass")).hexdigest()
