"""Processes that score: Python's share of the work runs on all cores, and one that takes too long is killed."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

from steelyard.errors import MissingExtra, SteelyardError
from steelyard.support.children import ChildDied, Children
from steelyard.web.refusals import Refused

_ANSWER, _REFUSED, _FAULT = "answer", "refused", "fault"


class WorkerFault(Exception):
    """A bug in a process that scores; the message says where, and nothing of the page."""


class Processes:
    """As many processes as threads ask for at a time, each started when it is first needed."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._children = Children(seconds)

    def call(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """Do some work in a process, and wait for the answer.

        Raises:
            Refused: The work refused, took too long, or ended its process.
            WorkerFault: It has a bug.
        """
        try:
            kind, answer = self._children.ask(_answer, work, arguments)
        except TimeoutError:
            late = f"this took over {self._seconds:g} s; send a shorter text"
            raise Refused(503, late, {"Retry-After": "30"}) from None
        except ChildDied:
            raise Refused(422, "the process that scored this page died; send a shorter text") from None
        if kind == _REFUSED:
            raise Refused(*answer)
        if kind == _FAULT:
            raise WorkerFault(answer)
        return answer

    def close(self) -> None:
        """End all processes, also those at work."""
        self._children.close()


def _answer(work: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[str, Any]:
    try:
        return _ANSWER, work(*arguments)
    except Refused as refused:
        return _REFUSED, (refused.status, refused.message)
    except MissingExtra as error:
        return _REFUSED, (501, str(error))
    except SteelyardError as error:
        return _REFUSED, (422, str(error))
    except Exception as error:  # noqa: BLE001 - a bug on one page must not end the process
        frame = traceback.extract_tb(error.__traceback__)[-1]
        return _FAULT, f"{type(error).__name__} at {frame.filename}:{frame.lineno}"
