"""Asking the engine: every call is in the journal before it is sent, and its answer as soon as it is there.

A journal is both the record of an experiment and what an interrupted one goes on from. A call that was sent and never
answered may have been paid for, so of an engine that costs money it is not sent again unless that is asked for.
"""

from __future__ import annotations

import hashlib
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steelyard import __version__
from steelyard.errors import SteelyardError
from steelyard.lab.outcome.engines.base import DROPPED, Engine, EngineFailed, Session
from steelyard.lab.outcome.experiment import Call, Plan, Skipped, calls
from steelyard.lab.outcome.orders import orders
from steelyard.lab.outcome.records.questions import Asked
from steelyard.support.artifacts import to_json
from steelyard.support.journal import Header, Journal, Record
from steelyard.support.progress import tracked
from steelyard.support.wording import counted

KIND, SCHEMA = "outcome run", "steelyard.lab.outcome.run/1"
QUESTION, SKIPPED, SENT, ANSWER, FAILED = "question", "skipped", "sent", "answer", "failed"
CHARACTERS_A_TOKEN = 4  # of English prose, for an estimate before anything was counted
AHEAD = 2  # calls waiting per call that runs
PATIENCE = 3  # queries that fail before an engine that never answered is given up


class Questioned(SteelyardError):
    """The journal holds a call under the same name that asked something else."""

    def __init__(self, path: Path, call: str) -> None:
        super().__init__(
            f"{path}: {call} asked for something else then; choose another file, or start anew with --force"
        )


class Unanswered(SteelyardError):
    """Not one call was answered, and there is no hope for the others."""

    def __init__(self, last: EngineFailed) -> None:
        super().__init__(f"no call was answered, the last one failed so: {last}; once that is mended add --again")


@dataclass(frozen=True, slots=True)
class Budget:
    """What a run may spend, over all its sessions; None is no limit."""

    calls: int | None = None
    tokens: int | None = None


@dataclass(slots=True)
class Spent:
    """What was sent so far; a call that the client tried again counts once, tokens as the engine counted them."""

    calls: int = 0
    tokens: int = 0

    def reached(self, budget: Budget) -> str | None:
        """Which limit is used up."""
        if budget.calls is not None and self.calls >= budget.calls:
            return counted(budget.calls, "call")
        if budget.tokens is not None and self.tokens >= budget.tokens:
            return counted(budget.tokens, "token")
        return None


@dataclass(frozen=True, slots=True)
class Ran:
    """How a run ended: why it stopped early, if it did, and what the server would not take."""

    stopped: str | None
    dropped: tuple[str, ...] = ()


def header(questions: Sequence[Asked], inputs: Mapping[str, str], engine: Engine, plan: Plan) -> Header:
    digest = hashlib.sha256(to_json([q.to_record() for q in questions]).encode()).hexdigest()
    return Header(
        KIND,
        SCHEMA,
        {**inputs, "questions asked": digest},
        {
            "engine": dict(engine.identity),
            "name": engine.name,
            "kind": engine.kind,
            "queries": len(questions),
            **plan.parameters(),
        },
        {"steelyard": __version__},
    )


def expected(questions: Sequence[Asked], plan: Plan) -> int:
    """Calls of a plan if no query has to be left out."""
    arms = len(plan.arms) + plan.canary
    return sum(arms * len(orders(len(q.sources), plan.orders)) for q in questions)


def estimated_tokens(questions: Sequence[Asked], plan: Plan) -> int:
    """Tokens of all questions, roughly; answers come on top."""
    size = 0
    for asked in questions:
        words = [" ".join(s.text.split()[: plan.words]) for s in asked.sources]
        size += (len(plan.arms) + plan.canary) * len(orders(len(words), plan.orders)) * sum(map(len, words))
    return size // CHARACTERS_A_TOKEN


def run(
    questions: Sequence[Asked],
    engine: Engine,
    plan: Plan,
    path: str | Path,
    head: Header,
    *,
    budget: Budget | None = None,
    again: bool = False,
    force: bool = False,
    quiet: bool = True,
) -> Ran:
    """Ask what the journal does not hold yet. `again` repeats calls that failed or were never answered."""
    # The engine first: one that cannot be used must not cost the file that `force` begins anew.
    with engine.open() as session, Journal.open(path, head, _key, force=force) as book:
        desk = _Desk(book, session, engine.paid, budget or Budget(), again=again)
        total = expected(questions, plan)
        before = sum(record["kind"] == ANSWER for record in book.done.values())
        waiting = desk.waiting(questions, plan)
        for _ in tracked(
            _answered(desk, waiting, engine.parallel), total=total - before, noun="calls", quiet=quiet, done=before
        ):
            pass
        return Ran(desk.stopped, tuple(sorted(getattr(session, "dropped", ()))))


class _Desk:
    """Hands out calls and writes down what becomes of them; threads share it."""

    def __init__(self, book: Journal, session: Session, paid: bool, budget: Budget, *, again: bool) -> None:
        self.book, self.session, self.paid, self.budget, self.again = book, session, paid, budget, again
        self.stopped: str | None = None
        self.lock = threading.Lock()
        self.spent = spent_in(book.done.values())
        self.tries = Counter(str(r["call"]) for r in book.done.values() if r["kind"] == SENT)
        self.ended = {(r["call"], r["try"]): r["kind"] for r in book.done.values() if r["kind"] in (ANSWER, FAILED)}
        self.answered = ANSWER in self.ended.values()
        self.given_up = False
        self.failing: set[str] = set()

    def waiting(self, questions: Sequence[Asked], plan: Plan) -> Iterator[Call]:
        """Calls that are still to be made, in order."""
        for asked in questions:
            self._note({"kind": QUESTION, "query_id": asked.query_id, "question": asked.to_record()})
            for call in calls(asked, plan):
                if isinstance(call, Skipped):
                    self._note({"kind": SKIPPED, "query_id": call.query_id, "reason": call.reason})
                elif self._open(call):
                    yield call

    def _open(self, call: Call) -> bool:
        tries = self.tries[call.name]
        if not tries:
            return True
        sent = self.book.done[SENT, call.name, tries]
        if sent["asked"] != _digest(call):
            raise Questioned(self.book.path, call.name)
        end = self.ended.get((call.name, tries))
        if end == ANSWER:
            return False
        return self.again or (end is None and not self.paid)

    def ask(self, call: Call) -> None:
        """One call from the budget to the answer in the journal; a failure is an answer too."""
        with self.lock:
            if self.stopped is None:
                self.stopped = self.spent.reached(self.budget)
            if self.stopped is not None or self.given_up:
                return
            number = self.tries[call.name] + 1
            self.tries[call.name] = number
            self.spent.calls += 1
            self.book.append({"kind": SENT, "call": call.name, "try": number, "asked": _digest(call)})
        try:
            answer = self.session.ask(call.question)
        except EngineFailed as error:
            self._note(
                {"kind": FAILED, "call": call.name, "try": number, "failure": error.kind, "reason": error.reason}
            )
            self._despair(call, error)
            return
        with self.lock:
            self.answered = True
            self.spent.tokens += (answer.tokens_in or 0) + (answer.tokens_out or 0)
        self._note(
            {
                "kind": ANSWER, "call": call.name, "try": number, "query_id": call.asked.query_id, "arm": call.arm,
                "order": call.order, "shown": list(call.shown), "answer": answer.text, "model": answer.model,
                "finish": answer.finish, "tokens_in": answer.tokens_in, "tokens_out": answer.tokens_out,
                "attempts": answer.attempts,
            }
        )  # fmt: skip

    def _despair(self, call: Call, error: EngineFailed) -> None:
        """Give up where nothing was ever answered: at once if nobody is there, else when it cannot be the query."""
        with self.lock:
            self.failing.add(call.asked.query_id)
            self.given_up |= not self.answered and (error.kind == DROPPED or len(self.failing) >= PATIENCE)
        if self.given_up:
            raise Unanswered(error)

    def _note(self, record: Record) -> None:
        with self.lock:
            if _key(record) not in self.book.done:
                self.book.append(record)


def _answered(desk: _Desk, waiting: Iterator[Call], parallel: int) -> Iterator[None]:
    """One item a call, as they end; in this thread if there is only one at a time."""
    if parallel == 1:
        for call in waiting:
            desk.ask(call)
            yield
            if desk.stopped:
                return
        return
    with ThreadPoolExecutor(parallel) as pool:
        running: set[Future[None]] = set()
        try:
            for call in waiting:
                running.add(pool.submit(desk.ask, call))
                if len(running) >= parallel * AHEAD:
                    ended, running = wait(running, return_when=FIRST_COMPLETED)
                    for future in ended:
                        future.result()
                        yield
                if desk.stopped:
                    break
            for future in running:
                future.result()
                yield
        finally:
            for future in running:
                future.cancel()


def _key(record: Mapping[str, Any]) -> tuple[Any, ...]:
    if record["kind"] in (QUESTION, SKIPPED):
        return record["kind"], record["query_id"]
    return record["kind"], record["call"], record["try"]


def _digest(call: Call) -> str:
    """Of what the engine was asked; the text itself follows from the question and the plan."""
    return hashlib.sha256(to_json([call.question.query, list(call.question.sources)]).encode()).hexdigest()[:16]


def spent_in(records: Any) -> Spent:
    spent = Spent()
    for record in records:
        spent.calls += record["kind"] == SENT
        if record["kind"] == ANSWER:
            spent.tokens += (record["tokens_in"] or 0) + (record["tokens_out"] or 0)
    return spent
