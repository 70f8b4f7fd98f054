"""Workers for slow work: threads that wait, so that the server goes on answering, and processes that score."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar

from steelyard.errors import MissingExtra, ReadingFailed, SteelyardError, UnsupportedLanguage
from steelyard.pipeline import READING
from steelyard.support.children import ChildDied, Children
from steelyard.web.responses import HTTPError, make_busy_error

_ANSWER, _ERROR, _FAULT = "answer", "error", "fault"

Result = TypeVar("Result")


class Workers:
    """A fixed number of threads and a bounded number of tasks that wait for one.

    A thread cannot be stopped: a task whose request has ended keeps its thread until its work, which is bounded, ends.
    """

    def __init__(self, name: str, threads: int, waiting: int, seconds: float) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=f"steelyard-{name}")
        self._most = threads + waiting
        self._seconds = seconds
        self._tasks = 0

    async def run(self, work: Callable[[], Result]) -> Result:
        """Do some work in a thread.

        Raises:
            HTTPError: Too many tasks wait already, or the work takes too long.
        """
        if self._tasks >= self._most:
            raise make_busy_error()
        self._tasks += 1
        loop = asyncio.get_running_loop()
        job = self._pool.submit(work)
        job.add_done_callback(lambda ended: _call(loop, self._end, ended))
        try:
            async with asyncio.timeout(self._seconds):
                return await asyncio.shield(asyncio.wrap_future(job))
        except TimeoutError:
            raise HTTPError(
                503, f"this took over {self._seconds:g} s; send a shorter text", {"Retry-After": "30"}
            ) from None
        finally:
            job.cancel()  # if it still waits for a thread: nobody waits for its result any more

    def close(self) -> None:
        """Take no more tasks, and drop those that wait."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _end(self, job: Future[Result]) -> None:
        self._tasks -= 1
        if not job.cancelled():
            job.exception()  # of a task whose request has ended, nobody else asks for it


def _call(loop: asyncio.AbstractEventLoop, end: Callable[[Future[Result]], None], job: Future[Result]) -> None:
    """Call back on the loop, from whatever thread; at the end of the server there is none."""
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(end, job)


class WorkerFault(Exception):
    """A bug in a process that scores; the message says where, and nothing of the page."""


class Processes:
    """As many processes as threads ask for at a time, each started when it is first needed.

    Python's share of the work runs on all cores, and a process that takes too long is killed.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._children = Children(seconds)

    def call(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """Do some work in a process, and wait for the answer.

        Raises:
            HTTPError: The work raised one, took too long, or ended its process.
            WorkerFault: It has a bug.
        """
        try:
            kind, answer = self._children.ask(_answer, work, arguments)
        except TimeoutError:
            late = f"this took over {self._seconds:g} s; send a shorter text"
            raise HTTPError(503, late, {"Retry-After": "30"}) from None
        except ChildDied:
            raise HTTPError(422, "the process that scored this page died; send a shorter text") from None
        if kind == _ERROR:
            raise HTTPError(*answer)
        if kind == _FAULT:
            raise WorkerFault(answer)
        return answer

    def close(self) -> None:
        """End all processes, also those at work."""
        self._children.close()


def _explain(error: SteelyardError) -> tuple[Any, ...]:
    """Return the arguments of an HTTPError; of a language not with the options of the command line."""
    if not isinstance(error, UnsupportedLanguage) or error.other_edition is None:
        return 422, str(error)
    other = error.other_edition
    message = f"the text looks like {error.language!r}, which this edition does not have; edition {other} has it"
    return 422, message, None, None, other


def _answer(work: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[str, Any]:
    try:
        return _ANSWER, work(*arguments)
    except HTTPError as error:
        return _ERROR, (error.status, error.message)
    except ReadingFailed as error:
        return _ERROR, (422, str(error), None, READING)
    except MissingExtra as error:
        return _ERROR, (501, str(error))
    except SteelyardError as error:
        return _ERROR, _explain(error)
    except Exception as error:  # noqa: BLE001 - a bug on one page must not end the process
        frame = traceback.extract_tb(error.__traceback__)[-1]
        return _FAULT, f"{type(error).__name__} at {frame.filename}:{frame.lineno}"
