"""The child process that extracts: a page in, its content or the reason why there is none out."""

from __future__ import annotations

import os
import queue
import signal
import threading
from typing import IO

from steelyard.errors import ExtractionFailed
from steelyard.text.html.backstop import MEMORY_BYTES, limit_memory, limit_time
from steelyard.text.html.budget import HtmlLimits
from steelyard.text.html.messages import Message, read_message, write_message


def main() -> None:
    """Answer pages from standard input until it closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    answers = _take_standard_output()
    limit_memory()
    import trafilatura  # noqa: F401 - the first page must not wait for it after its time is set

    pages: queue.SimpleQueue[Message] = queue.SimpleQueue()
    threading.Thread(target=_read_pages, args=(os.fdopen(os.dup(0), "rb"), pages), daemon=True).start()
    write_message(answers, {"ready": True})
    while True:
        limits, html = pages.get()
        limit_time()
        write_message(answers, *_answer(html, HtmlLimits(**limits)))


def _take_standard_output() -> IO[bytes]:
    """Return standard output as a file of its own; what a library prints goes nowhere."""
    answers = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    return answers


def _read_pages(pipe: IO[bytes], pages: queue.SimpleQueue[Message]) -> None:
    """Read ahead of the work, so that the parent's end is noticed in the middle of a page."""
    while (page := read_message(pipe)) is not None:
        pages.put(page)
    os._exit(0)


def _answer(html: str, limits: HtmlLimits) -> Message:
    from steelyard.text.html.extraction import extract_here

    try:
        found = extract_here(html, limits)
    except ExtractionFailed as error:
        return {"refused": error.reason}, ""
    except MemoryError:
        return {"refused": f"it needs more than {MEMORY_BYTES >> 20:,} MB of memory", "spent": True}, ""
    except Exception as error:  # noqa: BLE001 - a bug of ours, to be reported as one
        return {"bug": f"{type(error).__name__}: {error}"[:500]}, ""
    dates = [day.isoformat() for day in found.dates]
    return {"title": found.title, "dates": dates, "url": found.url}, found.markdown
