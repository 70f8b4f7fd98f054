"""The Engine contract: a query and sources in, an answer with citations out."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from steelyard.errors import SteelyardError

# Why a call gave no answer that can be used.
REFUSED, RATE_LIMITED, SERVER_ERROR, TIMED_OUT, DROPPED, MALFORMED, WRONG_MODEL, TOO_LARGE, CRASHED = FAILURES = (
    "refused", "rate limited", "server error", "timed out", "dropped", "malformed", "wrong model", "too large",
    "crashed",
)  # fmt: skip


class EngineFailed(SteelyardError):
    """One call failed for good, after its retries; `kind` is one of FAILURES. The message holds no secret."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(f"{kind}: {reason}")
        self.kind, self.reason = kind, reason


@dataclass(frozen=True, slots=True)
class Question:
    """What an engine is asked: the sources stand in the order in which it sees them, [1] first."""

    query: str
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What an engine said; tokens as it counted them, None when it did not say."""

    text: str
    model: str = ""  # as reported
    finish: str = "stop"  # "length" when it was cut
    tokens_in: int | None = None
    tokens_out: int | None = None
    attempts: int = 1
    seconds: float = 0.0


class Session(Protocol):
    """An opened engine; `ask` may be called from several threads where the engine is parallel."""

    def ask(self, question: Question) -> Answer: ...


class Engine(Protocol):
    """How an engine is named and opened."""

    @property
    def name(self) -> str:
        """Short, for tables: the model's id or "extractive reference"."""

    @property
    def kind(self) -> str:
        """ "embedded reference", "local model" or "served model": said beside every figure."""

    @property
    def paid(self) -> bool:
        """Whether a second call for the same question may cost money."""

    @property
    def parallel(self) -> int:
        """Calls that may run at a time."""

    @property
    def identity(self) -> Mapping[str, Any]:
        """Everything that decides an answer, as JSON and without secrets: it goes into the journal's header."""

    def open(self) -> AbstractContextManager[Session]: ...
