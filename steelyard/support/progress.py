"""A progress line on a terminal, shown after one second of work."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")

FIRST_AFTER = 1.0  # seconds before the first line
EVERY = 0.2
_BAR_WIDTH = 24
_CLEAR_LINE = "\r\x1b[K"


def show_progress(
    items: Iterable[Item], *, total: int | None, noun: str = "pages", quiet: bool = False, done: int = 0
) -> Iterator[Item]:
    """Yield the items, and show how many have passed on stderr if that is a terminal.

    Args:
        done: Items an earlier run has finished: they count for the bar, not for the rate.
    """
    out = sys.stderr
    if quiet or not out.isatty():
        yield from items
        return
    started = last = time.monotonic()
    try:
        for passed, item in enumerate(items, start=1):
            yield item
            now = time.monotonic()
            if now - started >= FIRST_AFTER and now - last >= EVERY:
                out.write(_CLEAR_LINE + _format_line(passed, total, noun, now - started, done))
                out.flush()
                last = now
    finally:
        if last != started:
            out.write(_CLEAR_LINE)
            out.flush()


def _format_line(passed: int, total: int | None, noun: str, seconds: float, before: int) -> str:
    rate = passed / seconds
    if total is None:
        return f"{passed:,} {noun} · {rate:,.0f}/s"
    done, everything = before + passed, before + total
    filled = _BAR_WIDTH * done // max(1, everything)
    left = (total - passed) / rate if rate else 0.0
    speed = f"{rate:,.0f}/s" if rate >= 10 else f"{rate:.1f}/s"
    bar = "█" * filled + "·" * (_BAR_WIDTH - filled)
    return f"[{bar}] {done:,}/{everything:,} {noun} · {speed} · {left:,.0f} s left"
