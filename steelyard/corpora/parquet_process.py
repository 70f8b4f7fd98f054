"""The process that reads Parquet files: when it runs out of memory or dies, the file is refused and says why."""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from steelyard.corpora.parquet_rows import Piece, Request, read_pieces, read_schema
from steelyard.errors import CorpusRefused
from steelyard.support.children import Child, ChildDied
from steelyard.text.html.backstop import lower_limit

MEMORY_BYTES = 640 << 20  # most of it for one batch before it is cut into pieces
_NEXT = "next"
_idle: list[Child] = []  # kept for the next file, since starting one takes longer than reading a small file


def ask_schema(path: str) -> bytes:
    """Return the schema of a file, serialised.

    Raises:
        CorpusRefused: It cannot be read or used.
    """
    with _borrow_process() as process:
        schema: bytes = _ask(process, path, path)
    return schema


def ask_pieces(request: Request) -> Iterator[Piece]:
    """Yield the rows of a file in pieces.

    Raises:
        CorpusRefused: The file is damaged, or one of its rows needs too much memory.
    """
    with _borrow_process() as process:
        question: Any = request
        while (piece := _ask(process, request.path, question)) is not None:
            yield piece
            question = _NEXT


@contextmanager
def _borrow_process() -> Iterator[Child]:
    """Lend a process; one whose work was not finished is ended, also for the memory that it may hold."""
    process = _idle.pop() if _idle else Child()
    is_done = False
    try:
        yield process
        is_done = True
    finally:
        if is_done:
            _idle.append(process)
        else:
            process.kill()
            process.stop()


@atexit.register
def _end_processes() -> None:
    while _idle:
        _idle.pop().stop()


def _ask(process: Child, path: str, question: Any) -> Any:
    try:
        kind, answer = process.ask(_answer, question)
    except ChildDied as error:
        died = f"reading it ended the process that reads, exit code {error.code}"
        raise CorpusRefused(path, f"damaged, or needs too much memory ({died}); fetch or write it again") from error
    if kind == "refused":
        raise CorpusRefused(path, answer)
    return answer


def _answer(question: str | Request) -> tuple[str, Any]:
    """Answer a question in the process that reads; whatever goes wrong is an answer too."""
    try:
        return "read", _open_reader().answer(question)
    except CorpusRefused as error:
        return "refused", error.reason


@cache
def _open_reader() -> _Reader:
    _silence_errors()
    _limit_memory()
    return _Reader()


class _Reader:
    """The state of the process between two questions: the file that is being read."""

    def __init__(self) -> None:
        self._pieces: Iterator[Piece] | None = None

    def answer(self, question: str | Request) -> Any:
        """Return the schema of a file, or the next of the pieces that were asked for; None at the end."""
        if isinstance(question, Request):
            self._pieces = read_pieces(question)
        elif question != _NEXT:
            return read_schema(question)
        return next(self._pieces, None) if self._pieces else None


def _silence_errors() -> None:
    """Discard what a library prints before it ends the process; its exit code is reported."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    os.close(nowhere)


def _limit_memory() -> None:
    """Limit what this process may allocate, where the platform can; memory that is given back is given back at once."""
    if sys.platform == "win32":
        return
    import resource

    import pyarrow as pa

    pa.set_memory_pool(pa.system_memory_pool())
    lower_limit(resource.RLIMIT_DATA, MEMORY_BYTES)
    lower_limit(resource.RLIMIT_CORE, 0)
