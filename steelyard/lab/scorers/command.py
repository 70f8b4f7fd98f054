"""A program that is started for each text: the text on its stdin as UTF-8, one number on its stdout."""

from __future__ import annotations

import errno
import re
import shlex
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from steelyard.errors import SteelyardError
from steelyard.lab.scorers.base import CRASHED, NOT_A_NUMBER, POINTS, TIMED_OUT, Passage, Range, ScorerFailed
from steelyard.lab.scorers.process import Process
from steelyard.support.escape import make_visible

# float() alone would also accept 1_000, Arabic digits and Infinity.
_NUMBER = re.compile(r"[+-]?(?:[0-9]++(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?(?:nan|inf)", re.IGNORECASE)
_MAX_SHOWN = 80
_NEVER_STARTS = (errno.ENOENT, errno.EACCES, errno.ENOEXEC, errno.ENOTDIR)


@dataclass(frozen=True, slots=True)
class CommandScorer:
    """A program and its arguments, run in `folder` without a shell.

    The program and the processes it starts are killed at the time limit. Nothing is kept between two texts, so
    the scorer is its own session.
    """

    argv: tuple[str, ...]
    range: Range = field(default_factory=Range)
    timeout: float = 10.0
    folder: Path = field(default_factory=Path.cwd)
    parallel = True

    def __post_init__(self) -> None:
        if not self.argv:
            raise SteelyardError("an empty command; write the program and its arguments, as in 'python3 score.py'")

    @property
    def name(self) -> str:
        return make_visible(shlex.join(self.argv))

    @contextmanager
    def open(self) -> Iterator[CommandScorer]:
        program = self.argv[0]
        exists = (self.folder / program).exists() if Path(program).name != program else shutil.which(program)
        if not exists:
            raise self._unusable("no such program")
        yield self

    def _unusable(self, reason: str) -> SteelyardError:
        program = make_visible(self.argv[0])
        return SteelyardError(f"{program}: cannot be run ({reason}); check the path, which starts from {self.folder}")

    def _start(self) -> Process:
        try:
            return Process(self.argv, folder=self.folder, by_line=False)
        except OSError as error:
            if error.errno in _NEVER_STARTS:
                raise self._unusable(error.strerror or str(error)) from None
            raise ScorerFailed(CRASHED, f"it could not be started: {error.strerror}") from None
        except ValueError as error:  # a NUL in an argument
            raise self._unusable(str(error)) from None

    def score(self, passage: Passage) -> Mapping[str, float]:
        deadline = time.monotonic() + self.timeout
        process = self._start()
        try:
            process.send(passage.text.encode("utf-8", "replace"))
            process.send(None)
            process.receive(deadline)
            if (status := process.wait(deadline)) != 0:
                raise ScorerFailed(CRASHED, process.describe_exit(status))
            printed = process.output.decode("utf-8", "replace").strip()
            if not _NUMBER.fullmatch(printed):
                seen = f"it printed {make_visible(printed[:_MAX_SHOWN])!r}" if printed else "it printed nothing"
                raise ScorerFailed(NOT_A_NUMBER, process.add_stderr(seen))
        except TimeoutError:
            raise ScorerFailed(TIMED_OUT, f"no answer within {self.timeout:g} s") from None
        finally:
            process.kill()
        return {POINTS: self.range.to_points(float(printed))}
