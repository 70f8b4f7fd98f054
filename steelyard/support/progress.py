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
    items: Iterable[Item],
    *,
    total: int | None,
    noun: str = "pages",
    quiet: bool = False,
    stream: TextIO | None = None,
    done: int = 0,
) -> Iterator[Item]:
    """The items, with a line on `stream` (stderr) while they pass, if it is a terminal.

    `done` are those an earlier run has finished: they count for the bar, not for the rate.
    """
    out = stream or sys.stderr
    if quiet or not out.isatty():
        yield from items
        return
    started = shown = time.monotonic()
    drawn = False
    try:
        for passed, item in enumerate(items, start=1):
            yield item
            now = time.monotonic()
            if now - started >= PATIENCE and now - shown >= EVERY:
                out.write("\r\x1b[K" + _line(passed, total, noun, now - started, done))
                out.flush()
                shown, drawn = now, True
    finally:
        if drawn:
            out.write("\r\x1b[K")
            out.flush()


def _line(passed: int, total: int | None, noun: str, seconds: float, before: int = 0) -> str:
    rate = passed / seconds
    if total is None:
        return f"{passed:,} {noun} · {rate:,.0f}/s"
    done, everything = before + passed, before + total
    filled = _BAR * done // max(1, everything)
    left = (total - passed) / rate if rate else 0.0
    speed = f"{rate:,.0f}/s" if rate >= 10 else f"{rate:.1f}/s"
    return f"[{'█' * filled}{'·' * (_BAR - filled)}] {done:,}/{everything:,} {noun} · {speed} · {left:,.0f} s left"
