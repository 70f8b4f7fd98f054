"""Cases, the kinds that they belong to, and the faults that checks find in them."""

from __future__ import annotations

import os
import random
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import steelyard

Options = Mapping[str, str | None]
_PACKAGE = str(Path(steelyard.__file__).parent.parent) + os.sep


@dataclass(frozen=True, slots=True)
class Case:
    """One input: its bytes, and the options it is used with. A text may hold lone surrogates, as JSON records can."""

    kind: str
    data: bytes
    options: Options = field(default_factory=dict)

    @property
    def text(self) -> str | None:
        """The data as text, or None where they are no text even with lone surrogates."""
        try:
            return self.data.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            return None

    def to_row(self) -> list[Any]:
        """Return the case as JSON can hold it."""
        return [self.kind, self.data.decode("latin-1"), dict(self.options)]

    @classmethod
    def from_row(cls, row: Sequence[Any]) -> Case:
        """Return the case that such a row stands for."""
        kind, data, options = row
        return cls(kind, data.encode("latin-1"), options)


class Fault(NamedTuple):
    """A promise that does not hold for a case: the check's name, and what it saw."""

    case: Case
    check: str
    message: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What checking some cases gave: faults, what each case did, and how many were refused for which reason."""

    faults: Sequence[Fault] = ()
    traits: Sequence[frozenset[str]] = ()  # per case; a trait not seen before makes a case worth mutating again
    refused: Sequence[str] = ()
    counts: Mapping[str, int] = field(default_factory=dict)  # of checks that only a part of the cases goes through


class Depth(IntEnum):
    """How thoroughly pages are checked; each depth has the checks of those before it."""

    NUMBERS = 0  # everything that a score promises
    REPORTED = 1  # what is shown and written about pages, too
    ALL = 2  # explained, and again with the Python core and in a batch with evidence, too


class Kind(ABC):
    """A kind of input: how a case is made, and what must hold for it."""

    name: ClassVar[str]
    share: ClassVar[float]  # of all batches, when every kind is fuzzed
    batch: ClassVar[int] = 64
    is_page: ClassVar[bool] = False

    def choose_options(self, rng: random.Random) -> Options:
        """Choose the options that the cases of one batch share."""
        return {}

    @abstractmethod
    def make(self, rng: random.Random, kept: Sequence[bytes]) -> bytes:
        """Make one case from the seeds, or from the cases that were worth keeping."""

    @abstractmethod
    def check(self, cases: Sequence[Case], *, depth: Depth = Depth.REPORTED) -> Outcome:
        """Check cases as thoroughly as `depth` says."""


def encode(text: str) -> bytes:
    """Return the bytes of a text that may hold lone surrogates."""
    return text.encode("utf-8", "surrogatepass")


def describe_error(error: BaseException) -> str:
    """Return an exception with the place in the project that raised it."""
    trace, place = error.__traceback__, "?"
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if name.startswith(_PACKAGE):
            place = f"{name.removeprefix(_PACKAGE)}:{trace.tb_lineno}"
        trace = trace.tb_next
    return f"{type(error).__name__}: {str(error)[:300]} ({place})"


def list_problems(case: Case, problems: Iterable[tuple[str, str]]) -> list[Fault]:
    """Return the faults of one case from pairs of a check's name and what it saw."""
    return [Fault(case, check, message) for check, message in problems]
