"""The Engine contract: a query and sources in, an answer with citations out."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from steelyard.errors import SteelyardError

# Why a call gave no usable answer.
REFUSED, RATE_LIMITED, SERVER_ERROR, TIMED_OUT = "refused", "rate limited", "server error", "timed out"
DROPPED, MALFORMED, WRONG_MODEL = "dropped", "malformed", "wrong model"
TOO_LARGE, CRASHED = "too large", "crashed"
EMBEDDED, LOCAL, SERVED = "embedded reference", "local model", "served model"  # kinds of engines


class EngineFailed(SteelyardError):
    """One call failed after all its retries; `kind` is one of the constants above. The message holds no secret."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(f"{kind}: {reason}")
        self.kind, self.reason = kind, reason


@dataclass(frozen=True, slots=True)
class Question:
    """What an engine is asked: the sources are in the order in which it sees them, [1] first."""

    query: str
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What an engine said; tokens as it counted them, None if it did not report them."""

    text: str
    model: str = ""  # as reported
    finish: str = "stop"  # "length" if it was cut
    tokens_in: int | None = None
    tokens_out: int | None = None
    attempts: int = 1
    citations: Mapping[str, Any] | None = None  # what is known of how its citations came about, if anything is


class Session(Protocol):
    """An opened engine; `ask` may be called from several threads if the engine is parallel."""

    def ask(self, question: Question) -> Answer: ...


@runtime_checkable
class Postponing(Protocol):
    """A session whose answers are made elsewhere: what has none yet is written down for whoever answers it."""

    postponed: int  # calls that wait for an answer

    def claim(self, name: str, question: Question, *, wanted: bool, again: bool) -> bool:
        """Note that the plan has a question; return whether it is wanted and has an answer to be read now.

        Args:
            name: The call's, for messages.
            question: Every question of the plan, in order: an answer that none of them claims is foreign.
            wanted: Whether an answer is needed; if there is none yet, the question is postponed.
            again: Whether it was asked before, so that a failure is no answer to it.
        """

    def finish(self) -> tuple[str, ...]:
        """Write down what is postponed, and return lines for the user; after the last question of the plan."""


class Engine(Protocol):
    """How an engine is named and opened."""

    @property
    def name(self) -> str:
        """Short, for tables: the model's id or "extractive reference"."""

    @property
    def kind(self) -> str:
        """EMBEDDED, LOCAL or SERVED: printed with every figure."""

    @property
    def paid(self) -> bool:
        """Whether a second call for the same question may cost money."""

    @property
    def parallel(self) -> int:
        """Calls that may run at the same time."""

    @property
    def identity(self) -> Mapping[str, Any]:
        """Everything that determines an answer, as JSON and without secrets; it is in the journal's header."""

    def open(self) -> AbstractContextManager[Session]: ...
