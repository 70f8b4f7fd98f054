"""A Python function handed over as it is, through the API."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from steelyard.lab.scorers import child
from steelyard.lab.scorers.base import Range
from steelyard.lab.scorers.function import FunctionSession


@dataclass(frozen=True, slots=True)
class Given:
    """A callable that takes a text (and a `language`, where it has such a parameter) and returns a number."""

    function: Callable[..., Any]
    range: Range = field(default_factory=Range)
    timeout: float = 10.0

    @property
    def name(self) -> str:
        return getattr(self.function, "__qualname__", type(self.function).__qualname__)

    @property
    def parallel(self) -> bool:
        return False

    def __repr__(self) -> str:
        """Without the address in memory, which would make every run another one."""
        return f"Given({getattr(self.function, '__module__', '?')}:{self.name}, {self.range}, {self.timeout})"

    @contextmanager
    def open(self) -> Iterator[FunctionSession]:
        yield FunctionSession(child.Call(self.function, ""), self.range, self.timeout)
