"""A program, started once a text: the text on its stdin as UTF-8, one number on its stdout."""

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

from steelyard.lab.scorers.base import CRASHED, NOT_A_NUMBER, POINTS, TIMED_OUT, Passage, Range, ScorerFailed
from steelyard.lab.scorers.errors import ScorerUnusable
from steelyard.lab.scorers.process import MOST_OUTPUT, OutOfPatience, Output, Process, how_it_ended
from steelyard.support.escape import visible

# float() alone would also take 1_000, Arabic digits and Infinity.
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?(?:nan|inf)", re.IGNORECASE)
_SHOWN = 80
_NEVER_STARTS = (errno.ENOENT, errno.EACCES, errno.ENOEXEC, errno.ENOTDIR)


@dataclass(frozen=True, slots=True)
class Command:
    """A program and its arguments, run without a shell in `folder`; it and what it starts are killed at the limit."""

    argv: tuple[str, ...]
    range: Range = field(default_factory=Range)
    timeout: float = 10.0
    folder: Path = field(default_factory=Path.cwd)

    def __post_init__(self) -> None:
        if not self.argv:
            raise ScorerUnusable("an empty command; write the program and its arguments, as in 'python3 score.py'")

    @property
    def name(self) -> str:
        return visible(shlex.join(self.argv))

    @property
    def parallel(self) -> bool:
        return True

    @contextmanager
    def open(self) -> Iterator[CommandSession]:
        program = self.argv[0]
        known = (self.folder / program).exists() if Path(program).name != program else shutil.which(program)
        if not known:
            raise self._unusable("no such program")
        yield CommandSession(self)

    def _unusable(self, reason: str) -> ScorerUnusable:
        return ScorerUnusable(
            f"{visible(self.argv[0])}: cannot be run ({reason}); check the path, which starts from {self.folder}"
        )

    def started(self) -> Process:
        """The program, running."""
        try:
            return Process(self.argv, folder=self.folder, by_line=False)
        except OSError as error:
            if error.errno in _NEVER_STARTS:
                raise self._unusable(error.strerror or str(error)) from None
            raise ScorerFailed(CRASHED, f"it could not be started: {error.strerror}") from None
        except ValueError as error:  # a NUL in an argument
            raise self._unusable(str(error)) from None


@dataclass(frozen=True, slots=True)
class CommandSession:
    """Nothing is kept between two texts."""

    command: Command

    def score(self, passage: Passage) -> Mapping[str, float]:
        limit = self.command.timeout
        deadline = time.monotonic() + limit
        process = self.command.started()
        try:
            process.send(passage.text.encode("utf-8", "replace"))
            process.end_input()
            if process.receive(deadline) is Output.FLOODED:
                raise ScorerFailed(NOT_A_NUMBER, f"over {MOST_OUTPUT:,} bytes of output instead of a number")
            status = process.status(deadline)
            if status != 0:
                raise ScorerFailed(CRASHED, how_it_ended(status, process.last_words()))
            value = _number(bytes(process.output), process)
        except OutOfPatience:
            raise ScorerFailed(TIMED_OUT, f"no answer within {limit:g} s") from None
        finally:
            process.kill()
        return {POINTS: self.command.range.points(value)}


def _number(output: bytes, process: Process) -> float:
    text = output.decode("utf-8", "replace").strip()
    if _NUMBER.fullmatch(text):
        return float(text)
    seen = f"it printed {visible(text[:_SHOWN])!r}" if text else "it printed nothing"
    last = process.last_words()
    raise ScorerFailed(NOT_A_NUMBER, f"{seen}; its last words: {last}" if last else seen)
