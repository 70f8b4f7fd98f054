"""Questions, engines and servers for tests of a run, and the command line in this process."""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

from steelyard.cli.main import main
from steelyard.lab.outcome import run as runs
from steelyard.lab.outcome.engines.base import Answer, EngineFailed, Question
from steelyard.lab.outcome.experiment import Call, ExperimentPlan, SkippedQuery, plan_calls
from steelyard.lab.outcome.records.base import SourceRecord
from steelyard.lab.outcome.records.questions import ExperimentQuestion
from steelyard.lab.outcome.run import RunSummary
from tests.lab.outcome.engines.chat import completion
from tests.lab.scorers.server import Handler

Done = subprocess.CompletedProcess[str]
Say = Callable[[Question], "Answer | EngineFailed | str"]

_GOODS = ("salt", "timber", "barley", "copper", "linen", "amber", "candles", "herring", "leather", "pottery")
_TOWNS = ("Skane", "Narva", "Visby", "Turku", "Stade", "Ribe", "Lund")


def page_text(query: int, source: int) -> str:
    """A page with words of its own."""
    goods, town = _GOODS[query % len(_GOODS)], _TOWNS[source % len(_TOWNS)]
    return (
        f"The harbour of {town} trades {goods} in the spring, and the merchant keeps a ledger of every cargo {query}. "
        f"A crane lifts the {goods} onto the quay. The customs house of {town} weighs the cargo before the market."
    )


def make_questions(n: int, *, sources: int = 3, sizes: Sequence[int] = ()) -> tuple[ExperimentQuestion, ...]:
    """Questions of so many sources each, or of `sizes` in turn; the target goes round."""
    found = []
    for i in range(n):
        size = sizes[i % len(sizes)] if sizes else sources
        listed = tuple(SourceRecord(str(k), page_text(i, k)) for k in range(size))
        found.append(
            ExperimentQuestion(
                f"q{i}", f"Where is {_GOODS[i % len(_GOODS)]} traded, and by whom ({i})?", listed, i % size
            )
        )
    return tuple(found)


def write_questions(path: Path, asked: Sequence[ExperimentQuestion]) -> Path:
    """The questions as a user would write them."""
    rows = [
        {"query_id": q.query_id, "query": q.query, "sources": [s.text for s in q.sources], "target": q.target}
        for q in asked
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def list_calls(asked: Sequence[ExperimentQuestion], plan: ExperimentPlan) -> list[Call]:
    """Every call of a plan, in order; fail if a query cannot be edited."""
    calls = [call for question in asked for call in plan_calls(question, plan)]
    assert not [call for call in calls if isinstance(call, SkippedQuery)]
    return [call for call in calls if isinstance(call, Call)]


# Engines


def make_answer(question: Question) -> str:
    """An answer that depends on every letter of the question, and cites two of its sources."""
    digest = hashlib.sha256("\0".join((question.query, *question.sources)).encode()).digest()
    one, two = (byte % len(question.sources) + 1 for byte in digest[:2])
    return f"It is traded in the spring [{one}]. A ledger is kept of every cargo {digest[:3].hex()} [{two}]."


@dataclass
class Stub:
    """An engine of a few lines that notes what it is asked, in the order in which that comes."""

    say: Say = make_answer
    paid: bool = False
    parallel: int = 1
    slowest: float = 0.0  # seconds; how long a call takes depends on the question
    name: str = "stub"
    kind: str = "served model"
    identity: Mapping[str, Any] = field(default_factory=lambda: {"engine": "stub"})
    asked: list[Question] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @contextmanager
    def open(self) -> Iterator[Stub]:
        yield self

    def ask(self, question: Question) -> Answer:
        with self.lock:
            self.asked.append(question)
        time.sleep(self.slowest * hashlib.sha256(question.sources[0].encode()).digest()[0] / 255)
        found = self.say(question)
        if isinstance(found, EngineFailed):
            raise found
        return Answer(found, model="stub-1", tokens_in=10, tokens_out=2) if isinstance(found, str) else found


def run_experiment(
    asked: Sequence[ExperimentQuestion], engine: Any, path: Path, plan: ExperimentPlan | None = None, **options: Any
) -> RunSummary:
    """A run with its own header."""
    plan = plan or ExperimentPlan()
    return runs.run(asked, engine, plan, path, runs.make_header(asked, {}, engine, plan), **options)


# Servers

_SOURCE = re.compile(r"^\[\d+\] <source>\n(.*?)\n</source>$", re.MULTILINE | re.DOTALL)


def prompt_of(handler: Handler, number: int) -> str:
    """What a request asks, which is another text for each call of a plan."""
    prompt: str = handler.server.seen[number - 1][2]["messages"][1]["content"]
    return prompt


def question_of(prompt: str) -> Question:
    return Question(prompt.rpartition("Question: ")[2], tuple(_SOURCE.findall(prompt)))


def healthy(handler: Handler, number: int) -> None:
    handler.reply(200, completion(make_answer(question_of(prompt_of(handler, number)))))


# The command line


def steelyard(*arguments: str | Path) -> Done:
    """The command in this process, where starting one would cost more than the command."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    before = signal.getsignal(signal.SIGTERM)
    command = ["steelyard", *map(str, arguments)]
    with (
        mock.patch.object(sys, "argv", command),
        mock.patch.object(sys, "stdout", out),
        mock.patch.object(sys, "stderr", err),
        mock.patch.dict(os.environ, {"STEELYARD_AS_OF": "2026-07-01"}),
    ):
        code: Any = None
        try:
            main()
        except SystemExit as ended:
            code = ended.code
        finally:
            signal.signal(signal.SIGTERM, before)
    assert isinstance(code, int)
    for stream in (out, err):
        stream.flush()
    texts = [stream.buffer.getvalue().decode("utf-8") for stream in (out, err)]
    return subprocess.CompletedProcess(command, code, *texts)
