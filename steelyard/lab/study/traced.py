"""Numbers that know where in an artifact they were read, and say so when they are printed."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

# Characters of private use around what is printed: no font shows them, no escape touches them, no page text gets here.
_OPEN, _PART, _CLOSE = "\ue000", "\ue001", "\ue002"
_MARKED = re.compile(f"{_OPEN}([0-9]{{1,9}}){_PART}([^{_CLOSE}]*){_CLOSE}")
LONGEST = 300  # characters of an address: a sum over a whole column is told by its first members
_noted: ContextVar[list[str] | None] = ContextVar("noted", default=None)


@dataclass(frozen=True, slots=True)
class Printed:
    """A printed number: where in the text it stands, and where it was read."""

    start: int
    text: str
    where: str

    @property
    def end(self) -> int:
        return self.start + len(self.text)


class Traced:
    """What traced numbers have in common: an address, kept through arithmetic, marked in print."""

    where: str

    def _plain(self) -> Any:
        """The number alone."""
        raise NotImplementedError

    def __format__(self, spec: str) -> str:
        return _mark(format(self._plain(), spec), self.where)

    def __str__(self) -> str:
        return str(self._plain())  # of a number that is a key: what is printed is formatted

    def __neg__(self) -> Any:
        return _number(-self._plain(), f"−{self.where}")

    def __abs__(self) -> Any:
        return _number(abs(self._plain()), f"|{self.where}|")

    def __round__(self, digits: int | None = None) -> Any:
        return _number(round(self._plain(), digits), self.where)

    def __add__(self, other: Any) -> Any:
        return _computed(operator.add, "+", self, other)

    def __radd__(self, other: Any) -> Any:
        return _computed(operator.add, "+", other, self)

    def __sub__(self, other: Any) -> Any:
        return _computed(operator.sub, "−", self, other)

    def __rsub__(self, other: Any) -> Any:
        return _computed(operator.sub, "−", other, self)

    def __mul__(self, other: Any) -> Any:
        return _computed(operator.mul, "×", self, other)

    def __rmul__(self, other: Any) -> Any:
        return _computed(operator.mul, "×", other, self)

    def __truediv__(self, other: Any) -> Any:
        return _computed(operator.truediv, "/", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return _computed(operator.truediv, "/", other, self)


class TracedFloat(Traced, float):  # type: ignore[misc]
    def _plain(self) -> float:
        return float.__pos__(self)


class TracedInt(Traced, int):  # type: ignore[misc]
    def _plain(self) -> int:
        return int.__index__(self)


def _number(value: Any, where: str) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    made = TracedInt(value) if isinstance(value, int) else TracedFloat(value)
    made.where = where
    return made


def _computed(operation: Callable[[Any, Any], Any], sign: str, left: Any, right: Any) -> Any:
    """The result with both addresses in its own."""
    if any(isinstance(side, bool) or not isinstance(side, int | float) for side in (left, right)):
        return NotImplemented
    (a, first), (b, second) = _operand(left), _operand(right)
    where = f"({first} {sign} {second})"
    return _number(operation(a, b), where if len(where) <= LONGEST else f"{where[: LONGEST - 1]}…")


def _operand(value: Any) -> tuple[Any, str]:
    return (value._plain(), value.where) if isinstance(value, Traced) else (value, repr(value))


def traced(value: Any, where: str) -> Any:
    """A JSON value with every number in it traced; `where` is the address of the whole, as `artifact#`."""
    if isinstance(value, dict):
        return {k: traced(v, f"{where}/{k.replace('~', '~0').replace('/', '~1')}") for k, v in value.items()}
    if isinstance(value, list):
        return [traced(v, f"{where}/{i}") for i, v in enumerate(value)]
    return _number(value, where)


def _mark(text: str, where: str) -> str:
    noted = _noted.get()
    if noted is None:
        return text
    noted.append(where)
    return f"{_OPEN}{len(noted) - 1}{_PART}{text}{_CLOSE}"


@contextmanager
def noting() -> Iterator[Callable[[str], tuple[str, list[Printed]]]]:
    """Within it traced numbers are marked in print; what it gives takes a text's marks off, and tells the numbers."""
    noted: list[str] = []
    token = _noted.set(noted)

    def read(marked: str) -> tuple[str, list[Printed]]:
        parts, found, at, length = [], [], 0, 0
        for mark in _MARKED.finditer(marked):
            if int(mark[1]) >= len(noted):  # no mark of ours: a name in somebody's records
                continue
            before = marked[at : mark.start()]
            found.append(Printed(length + len(before), mark[2], noted[int(mark[1])]))
            parts += [before, mark[2]]
            length += len(before) + len(mark[2])
            at = mark.end()
        return "".join([*parts, marked[at:]]), found

    try:
        yield read
    finally:
        _noted.reset(token)
