"""A Python function in our own process: fast, and trusted not to take the process down."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from steelyard.lab.scorers import child
from steelyard.lab.scorers.base import POINTS, TIMED_OUT, Passage, Range, ScorerFailed
from steelyard.lab.scorers.errors import check_target, unloadable
from steelyard.support.escape import visible

_REPEAT = 0.05  # seconds between further signals to a scorer that swallowed the first


@dataclass(frozen=True, slots=True)
class Function:
    """`module:function` of a folder, called with the text, and with `language` where it has such a parameter.

    What it prints goes to stderr. The time limit is a signal, so it needs POSIX and the main thread.
    """

    target: str
    folder: Path = field(default_factory=Path.cwd)
    range: Range = field(default_factory=Range)
    timeout: float = 10.0

    def __post_init__(self) -> None:
        check_target(self.target)

    @property
    def name(self) -> str:
        return self.target

    @property
    def parallel(self) -> bool:
        return False

    @contextmanager
    def open(self) -> Iterator[FunctionSession]:
        folder = str(self.folder.absolute())
        try:
            with contextlib.redirect_stdout(sys.stderr):
                call = child.Call(child.load(self.target, folder), folder)
        except child.Unloadable as error:
            raise unloadable(self.target, folder, error.why) from None
        yield FunctionSession(call, self.range, self.timeout)


@dataclass(frozen=True, slots=True)
class FunctionSession:
    """One function, called text by text."""

    call: child.Call
    range: Range
    timeout: float

    def score(self, passage: Passage) -> Mapping[str, float]:
        try:
            with time_limit(self.timeout), contextlib.redirect_stdout(sys.stderr):
                value = self.call.value(passage.text, passage.language)
        except child.Failure as error:
            raise ScorerFailed(error.kind, visible(error.detail)) from None
        except child.OutOfTime:
            raise ScorerFailed(TIMED_OUT, f"no answer within {self.timeout:g} s") from None
        return {POINTS: self.range.points(value)}


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise OutOfTime in the block after so many seconds, where signals allow it; leave handler and timer as found."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return
    armed = True

    def ring(_number: int, _frame: FrameType | None) -> None:
        if armed:
            raise child.OutOfTime

    before = signal.signal(signal.SIGALRM, ring)
    timer = signal.setitimer(signal.ITIMER_REAL, seconds, _REPEAT)
    try:
        try:
            yield
        finally:
            armed = False  # from here on a late signal is ignored, and the cleaning up is not interrupted
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, *timer)
