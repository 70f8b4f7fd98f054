"""A progress line on a terminal, after one second of work."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TextIO, TypeVar

Item = TypeVar("Item")

PATIENCE = 1.0  # seconds before the first line
EVERY = 0.2
_BAR = 24


def tracked(
    items: Iterable[Item], *, total: int | None, noun: str = "pages", quiet: bool = False, stream: TextIO | None = None
) -> Iterator[Item]:
    """The items, with a line on `stream` (stderr) while they pass, if it is a terminal."""
    out = stream or sys.stderr
    if quiet or not out.isatty():
        yield from items
        return
    started = shown = time.monotonic()
    drawn = False
    try:
        for done, item in enumerate(items, start=1):
            yield item
            now = time.monotonic()
            if now - started >= PATIENCE and now - shown >= EVERY:
                out.write("\r\x1b[K" + _line(done, total, noun, now - started))
                out.flush()
                shown, drawn = now, True
    finally:
        if drawn:
            out.write("\r\x1b[K")
            out.flush()


def _line(done: int, total: int | None, noun: str, seconds: float) -> str:
    rate = done / seconds
    if total is None:
        return f"{done:,} {noun} · {rate:,.0f}/s"
    filled = _BAR * done // max(1, total)
    left = (total - done) / rate if rate else 0.0
    return f"[{'█' * filled}{'·' * (_BAR - filled)}] {done:,}/{total:,} {noun} · {rate:,.0f}/s · {left:,.0f} s left"
