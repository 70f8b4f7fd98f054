"""A Python function as a scorer: in our own process, which is fast and trusts it, or in a child process."""

from __future__ import annotations

import contextlib
import json
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

from steelyard.errors import SteelyardError
from steelyard.lab.scorers import child
from steelyard.lab.scorers.base import CRASHED, POINTS, TIMED_OUT, Passage, Range, ScorerFailed, Session
from steelyard.lab.scorers.process import Process
from steelyard.support.escape import make_visible

_DOTTED = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
TARGET = re.compile(f"{_DOTTED}:{_DOTTED}")
_PIPE_MISUSED = "the scorer wrote into the pipe that carries its answers"
_REPEAT = 0.05  # seconds between further signals to a function that swallowed the first


@dataclass(frozen=True, slots=True)
class FunctionScorer:
    """`module:function` of a folder, called with the text, and with `language` if it has such a parameter.

    What it prints goes to stderr. The time limit is a signal, so it needs POSIX and the main thread.
    """

    target: str
    folder: Path = field(default_factory=Path.cwd)
    range: Range = field(default_factory=Range)
    timeout: float = 10.0
    parallel = False

    def __post_init__(self) -> None:
        if not TARGET.fullmatch(self.target):
            advice = "write module:function, for example my_module:my_scorer"
            raise SteelyardError(f"{make_visible(self.target)!r} does not name a function; {advice}")

    @property
    def name(self) -> str:
        return self.target

    @contextmanager
    def open(self) -> Iterator[Session]:
        folder = str(self.folder.absolute())
        try:
            with contextlib.redirect_stdout(sys.stderr):
                function = child.ScoringFunction(child.load_function(self.target, folder), folder)
        except child.Unloadable as error:
            raise SteelyardError(f"{self.target}: {make_visible(str(error))}") from None
        yield FunctionSession(function, self.range, self.timeout)


@dataclass(frozen=True, slots=True)
class CallableScorer:
    """A function passed to the API: it takes a text (and `language`, if it has that parameter), returns a number."""

    function: Callable[..., Any]
    range: Range = field(default_factory=Range)
    timeout: float = 10.0
    parallel = False

    @property
    def name(self) -> str:
        return getattr(self.function, "__qualname__", type(self.function).__qualname__)

    def __repr__(self) -> str:
        """Leave out the address in memory, which would make every run look like a different scorer."""
        return f"Given({getattr(self.function, '__module__', '?')}:{self.name}, {self.range}, {self.timeout})"

    @contextmanager
    def open(self) -> Iterator[Session]:
        yield FunctionSession(child.ScoringFunction(self.function, ""), self.range, self.timeout)


@dataclass(frozen=True, slots=True)
class FunctionSession:
    """A loaded function and its limits."""

    function: child.ScoringFunction
    range: Range
    timeout: float

    def score(self, passage: Passage) -> Mapping[str, float]:
        try:
            with limit_time(self.timeout), contextlib.redirect_stdout(sys.stderr):
                value = self.function.call(passage.text, passage.language)
        except child.Failure as error:
            raise ScorerFailed(error.kind, make_visible(error.detail)) from None
        except child.TimeLimitReached:
            raise ScorerFailed(TIMED_OUT, f"no answer within {self.timeout:g} s") from None
        return {POINTS: self.range.to_points(value)}


@contextmanager
def limit_time(seconds: float) -> Iterator[None]:
    """Raise TimeLimitReached in the block after that time, if signals allow it; restore handler and timer."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return
    armed = True

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        if armed:
            raise child.TimeLimitReached

    handler_before = signal.signal(signal.SIGALRM, interrupt)
    timer_before = signal.setitimer(signal.ITIMER_REAL, seconds, _REPEAT)
    try:
        try:
            yield
        finally:
            armed = False  # from here on a late signal is ignored, so that it cannot interrupt the cleaning up
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler_before)
        signal.setitimer(signal.ITIMER_REAL, *timer_before)


@dataclass(frozen=True, slots=True)
class IsolatedScorer(FunctionScorer):
    """`module:function`, called by `python` in a child process that is killed and replaced when it misbehaves.

    It may hang, crash or exit, and loses one text each time. The child inherits the environment, plus the pairs in
    `environment`.
    """

    python: str = sys.executable
    environment: tuple[tuple[str, str], ...] = ()
    parallel = True

    @contextmanager
    def open(self) -> Iterator[Session]:
        session = IsolatedSession(self)
        try:
            session.start()
            yield session
        finally:
            session.close()


class IsolatedSession:
    """A child process and its replacements; there is none between a kill and the next text."""

    def __init__(self, scorer: IsolatedScorer) -> None:
        self._scorer = scorer
        self._process: Process | None = None

    def start(self) -> Process:
        """Start a child and wait until it has loaded the function; raise SteelyardError when it cannot."""
        scorer = self._scorer
        argv = [scorer.python, child.__file__, scorer.target, str(scorer.folder.absolute()), str(scorer.timeout)]
        try:
            process = Process(argv, environment=scorer.environment, by_line=True)
        except OSError as error:
            raise SteelyardError(f"{scorer.python}: cannot be started ({error.strerror}); check the path") from None
        self._process = process
        try:
            answer = process.receive(time.monotonic() + child.STARTUP_SECONDS)
            if answer is None:
                raise SteelyardError(f"{scorer.target}: the process ended while loading it ({_describe_end(process)})")
            reason = json.loads(answer).get("unloadable")
        except TimeoutError:
            reason = f"not loaded within {child.STARTUP_SECONDS} s; move slow work out of its import"
        except (ScorerFailed, ValueError, AttributeError, RecursionError):
            reason = _PIPE_MISUSED
        if reason is not None:
            raise SteelyardError(f"{scorer.target}: {make_visible(reason)}")
        return process

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process = None

    def score(self, passage: Passage) -> Mapping[str, float]:
        try:
            process = self._process or self.start()
        except SteelyardError as error:  # it could be loaded once, so this is a failure on this text
            self.close()
            raise ScorerFailed(CRASHED, f"it could not be started again: {error}") from None
        try:
            process.send(json.dumps(asdict(passage)).encode("ascii") + b"\n")
            answer = process.receive(time.monotonic() + self._scorer.timeout)
            if answer is None:
                raise ScorerFailed(CRASHED, _describe_end(process))
        except TimeoutError:
            self.close()
            raise ScorerFailed(TIMED_OUT, f"no answer within {self._scorer.timeout:g} s") from None
        except BaseException:  # Ctrl-C too: an answer that comes later must not be taken for the next text's
            self.close()
            raise
        return {POINTS: self._scorer.range.to_points(_parse_value(answer))}


def _describe_end(process: Process) -> str:
    try:
        return process.describe_exit(process.wait(time.monotonic() + 1.0))
    except TimeoutError:
        return "it closed its output"


def _parse_value(line: bytes) -> float:
    """Return the number in an answer of child.py; raise the ScorerFailed that it reports instead."""
    try:
        answer = json.loads(line)
        if "error" not in answer:
            return float(answer["value"])
        failure = ScorerFailed(str(answer["error"]), make_visible(str(answer["detail"])))
    except (ValueError, TypeError, KeyError, RecursionError):
        failure = ScorerFailed(CRASHED, _PIPE_MISUSED)
    raise failure
