"""A Python function in a process of its own: it may hang, crash or exit, and costs one text each time."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from steelyard.lab.scorers import child
from steelyard.lab.scorers.base import CRASHED, NOT_A_NUMBER, POINTS, TIMED_OUT, Passage, Range, ScorerFailed
from steelyard.lab.scorers.errors import ScorerUnusable, check_target, unloadable
from steelyard.lab.scorers.process import MOST_OUTPUT, OutOfPatience, Output, Process, how_it_ended
from steelyard.support.escape import visible


@dataclass(frozen=True, slots=True)
class Isolated:
    """`module:function` called by `python` in a child process, which is killed and replaced when it misbehaves.

    With `path_file` the module is that file, under the name in `target`. The environment is handed down as it
    is, with the pairs in `environment` added.
    """

    target: str
    folder: Path = field(default_factory=Path.cwd)
    range: Range = field(default_factory=Range)
    timeout: float = 10.0
    python: str = sys.executable
    path_file: Path | None = None
    environment: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        check_target(self.target)

    @property
    def name(self) -> str:
        return self.target

    @property
    def parallel(self) -> bool:
        return True

    @contextmanager
    def open(self) -> Iterator[IsolatedSession]:
        session = IsolatedSession(self)
        try:
            session.start()
            yield session
        finally:
            session.close()


class IsolatedSession:
    """The child at work; none between a kill and the next text."""

    def __init__(self, scorer: Isolated) -> None:
        self._scorer = scorer
        self._process: Process | None = None

    def start(self) -> Process:
        """A child that has loaded the scorer; ScorerUnusable when it cannot."""
        scorer = self._scorer
        folder, file = str(scorer.folder.absolute()), str(scorer.path_file.absolute()) if scorer.path_file else ""
        argv = [scorer.python, child.__file__, scorer.target, folder, file, str(scorer.timeout)]
        try:
            process = Process(argv, environment={**os.environ, **dict(scorer.environment)}, by_line=True)
        except OSError as error:
            raise ScorerUnusable(f"{scorer.python}: cannot be started ({error.strerror}); check the path") from None
        self._process = process
        try:
            hello = process.receive(time.monotonic() + child.STARTUP_SECONDS)
        except OutOfPatience:
            raise ScorerUnusable(
                f"{scorer.target}: not loaded within {child.STARTUP_SECONDS} s; move slow work out of its import"
            ) from None
        if not isinstance(hello, bytes):
            raise ScorerUnusable(f"{scorer.target}: the process ended while loading it ({self._end()})")
        answer = json.loads(hello)
        if "unloadable" in answer:
            raise unloadable(scorer.target, folder, answer["unloadable"])
        return process

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process = None

    def score(self, passage: Passage) -> Mapping[str, float]:
        try:
            process = self._process or self.start()
        except ScorerUnusable as error:  # it could be loaded once, so this is a failure on this text
            self.close()
            raise ScorerFailed(CRASHED, f"it could not be started again: {error}") from None
        request = {"text": passage.text, "language": passage.language, "title": passage.title}
        process.send(json.dumps(request).encode("ascii") + b"\n")
        try:
            answer = process.receive(time.monotonic() + self._scorer.timeout)
        except OutOfPatience:
            self.close()
            raise ScorerFailed(TIMED_OUT, f"no answer within {self._scorer.timeout:g} s") from None
        except BaseException:  # Ctrl-C: an answer that comes later must not be taken for the next text's
            self.close()
            raise
        if answer is Output.FLOODED:
            self.close()
            raise ScorerFailed(NOT_A_NUMBER, f"over {MOST_OUTPUT:,} bytes of output instead of a number")
        if answer is Output.ENDED:
            raise ScorerFailed(CRASHED, self._end())
        return {POINTS: self._scorer.range.points(_value(answer))}

    def _end(self) -> str:
        """How the child ended, which it has."""
        process, self._process = self._process, None
        if process is None:
            return "no process"
        try:
            return how_it_ended(process.status(time.monotonic() + 1.0), process.last_words())
        except OutOfPatience:
            return "it closed its output"
        finally:
            process.kill()


def _value(line: Any) -> float:
    """The number in an answer of child.py; what it says instead is a ScorerFailed."""
    try:
        answer = json.loads(line)
        if "error" in answer:
            failed = ScorerFailed(str(answer["error"]), visible(str(answer["detail"])))
        else:
            return float(answer["value"])
    except (ValueError, TypeError, KeyError):
        failed = ScorerFailed(CRASHED, "the scorer wrote into the pipe that carries its answers")
    raise failed
