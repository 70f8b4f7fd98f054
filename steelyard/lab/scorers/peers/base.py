"""What a peer is: a function of ours, or a package of somebody else's in an environment of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Protocol

from steelyard.lab.scorers.base import POINTS, Passage, Range, Scorer
from steelyard.lab.scorers.isolated import Isolated, IsolatedSession
from steelyard.lab.scorers.peers import environments
from steelyard.support.clock import VARIABLE as AS_OF

_ADAPTERS = Path(__file__).parent / "adapters"


class Peer(Protocol):
    """An entry of the registry."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    @property
    def range(self) -> Range: ...

    @property
    def about(self) -> str:
        """What it measures, in one sentence."""

    def scorer(self, *, timeout: float, as_of: date) -> Scorer: ...


@dataclass(frozen=True, slots=True)
class InProcess:
    """A peer that is a function here; it is its own scorer."""

    name: str
    version: str
    range: Range
    about: str
    measure: Callable[[str], float]

    @property
    def parallel(self) -> bool:
        return True

    def scorer(self, *, timeout: float, as_of: date) -> Scorer:
        return self

    @contextmanager
    def open(self) -> Iterator[_Measuring]:
        yield _Measuring(self)


@dataclass(frozen=True, slots=True)
class _Measuring:
    peer: InProcess

    def score(self, passage: Passage) -> Mapping[str, float]:
        return {POINTS: self.peer.range.points(self.peer.measure(passage.text))}


@dataclass(frozen=True, slots=True)
class InEnvironment:
    """A peer that is a published package: `adapters/<file>.py` calls it, `adapters/<file>.txt` pins all of it."""

    name: str
    version: str
    range: Range
    about: str
    file: str

    @property
    def lock(self) -> Path:
        return _ADAPTERS / f"{self.file}.txt"

    @property
    def adapter(self) -> Path:
        return _ADAPTERS / f"{self.file}.py"

    def scorer(self, *, timeout: float, as_of: date) -> Scorer:
        return Installed(self, timeout, as_of)


@dataclass(frozen=True, slots=True)
class Installed:
    """The scorer of such a peer; opening it makes the environment when it is not there yet."""

    peer: InEnvironment
    timeout: float
    as_of: date

    @property
    def name(self) -> str:
        return self.peer.name

    @property
    def parallel(self) -> bool:
        return True

    @contextmanager
    def open(self) -> Iterator[IsolatedSession]:
        python = environments.python(self.peer.name, self.peer.lock.read_text("utf-8"))
        isolated = Isolated(
            target="adapter:score",
            folder=_ADAPTERS,
            range=self.peer.range,
            timeout=self.timeout,
            python=str(python),
            path_file=self.peer.adapter,
            environment=((AS_OF, self.as_of.isoformat()),),
        )
        with isolated.open() as session:
            yield session
