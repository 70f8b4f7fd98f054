"""A progress line on a terminal, shown after one second of work."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterable, Iterator
from typing import TextIO, TypeVar

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
                _show(out, _CLEAR_LINE + _format_line(passed, total, noun, now - started, done))
                last = now
    finally:
        if last != started:
            _show(out, _CLEAR_LINE)


def _show(out: TextIO, text: str) -> None:
    with contextlib.suppress(OSError):  # the terminal is gone, which must not end the work
        out.write(text)
        out.flush()


class ShareProgress:
    """A progress line for work whose share is known and whose number of items is not."""

    def __init__(self, noun: str, *, quiet: bool = False) -> None:
        self._out = sys.stderr
        self._shown = not quiet and self._out.isatty()
        self._noun = noun
        self._started = self._last = time.monotonic()
        self._before: tuple[int, float] | None = None  # when this run started: not its own work

    def update(self, count: int, share: float) -> None:
        """Show that so many items, and this share of the work from 0 to 1, are done."""
        self._before = self._before or (count, share)
        now = time.monotonic()
        if self._shown and now - self._started >= FIRST_AFTER and now - self._last >= EVERY:
            line = _format_share(count, share, self._noun, now - self._started, self._before)
            _show(self._out, _CLEAR_LINE + line)
            self._last = now

    def clear(self) -> None:
        """Remove the line."""
        if self._last != self._started:
            _show(self._out, _CLEAR_LINE)


def _format_share(count: int, share: float, noun: str, seconds: float, before: tuple[int, float]) -> str:
    rate = (count - before[0]) / seconds
    gained = share - before[1]
    left = f" · {seconds * (1 - share) / gained:,.0f} s left" if gained > 0 else ""
    filled = int(_BAR_WIDTH * share)
    bar = "█" * filled + "·" * (_BAR_WIDTH - filled)
    return f"[{bar}] {share:.0%} · {count:,} {noun} · {rate:,.0f}/s{left}"


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
