"""The child process that extracts: a page in, its content or the reason why there is none out.

A message is a little JSON and one long text, lengths in front.
"""

from __future__ import annotations

import gc
import json
import os
import queue
import signal
import struct
import threading
from dataclasses import asdict
from typing import IO, Any

from steelyard.errors import ExtractionFailed, SelectedNothing
from steelyard.text.dates import DateWords
from steelyard.text.html.backstop import MEMORY_BYTES, limit_memory, limit_time
from steelyard.text.html.extraction import extract_here
from steelyard.text.html.limits import HtmlLimits

_LENGTHS = struct.Struct(">QQ")
# Several times what the largest admitted page can become; the child has read what a stranger wrote.
_MAX_LENGTH = 500_000_000
_COLLECT_AFTER = 50_000  # objects more than before; most of a page's die with the last that names them

Message = tuple[dict[str, Any], str]


def main() -> None:
    """Answer pages from standard input until it closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    answers = _take_standard_output()
    limit_memory()
    # The first page must not wait for these after its time is set.
    import resiliparse.extract.html2text  # noqa: F401
    import trafilatura  # noqa: F401

    spare_collector()
    pages: queue.SimpleQueue[Message] = queue.SimpleQueue()
    threading.Thread(target=_read_pages, args=(os.fdopen(os.dup(0), "rb"), pages), daemon=True).start()
    write_message(answers, {"ready": True})
    while True:
        asked, html = pages.get()
        limit_time()
        write_message(answers, *_answer(html, asked))


def spare_collector() -> None:
    """Look for objects that name each other less often: each look passes over everything that a page has made."""
    gc.freeze()
    gc.set_threshold(_COLLECT_AFTER)


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


def _answer(html: str, asked: dict[str, Any]) -> Message:
    limits, words = HtmlLimits(**asked["limits"]), DateWords.from_json(asked["words"])
    try:
        page = extract_here(html, limits, words, asked["address"], asked["selector"])
    except SelectedNothing:
        return {"unselected": True}, ""
    except ExtractionFailed as error:
        return {"refused": error.reason}, ""
    except MemoryError:
        return {"refused": f"it needs more than {MEMORY_BYTES >> 20:,} MB of memory", "spent": True}, ""
    except Exception as error:  # noqa: BLE001 - a bug of ours, to be reported as one
        return {"bug": f"{type(error).__name__}: {error}"[:500]}, ""
    head: dict[str, Any] = {"title": page.title, "dates": page.dates.to_dict(), "url": page.url, "types": page.types}
    head |= {"reading": asdict(page.reading), "outline": page.outline, "head": asdict(page.head)}
    return head, page.markdown


def write_message(pipe: IO[bytes], head: dict[str, Any], text: str = "") -> None:
    """Write one message. The text is apart from the JSON, in which it would take ten times as long.

    Raises:
        OSError: The other side is gone.
    """
    parts = json.dumps(head).encode("ascii"), text.encode("utf-8", "surrogatepass")
    pipe.write(_LENGTHS.pack(*map(len, parts)))
    for part in parts:
        pipe.write(part)
    pipe.flush()


def read_message(pipe: IO[bytes]) -> Message | None:
    """Read one message; return None when the other side is gone, or when what it sent is no message."""
    lengths = pipe.read(_LENGTHS.size)
    if len(lengths) < _LENGTHS.size:
        return None
    of_head, of_text = _LENGTHS.unpack(lengths)
    if of_head + of_text > _MAX_LENGTH:
        return None
    head, text = pipe.read(of_head), pipe.read(of_text)
    if len(head) < of_head or len(text) < of_text:
        return None
    try:
        decoded = json.loads(head), text.decode("utf-8", "surrogatepass")
    except (ValueError, RecursionError):
        return None
    return decoded if isinstance(decoded[0], dict) else None
