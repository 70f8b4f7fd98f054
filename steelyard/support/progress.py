"""A progress line on a terminal, shown after one second of work."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterable, Iterator
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
    line = _Line(quiet=quiet)
    if not line.is_shown:
        yield from items
        return
    try:
        for passed, item in enumerate(items, start=1):
            yield item
            line.show(lambda seconds: _format_count(passed, total, noun, seconds, done))  # noqa: B023 - called at once
    finally:
        line.clear()


class ShareProgress:
    """A progress line for work whose share is known and whose number of items is not."""

    def __init__(self, noun: str, *, quiet: bool = False) -> None:
        self._noun = noun
        self._line = _Line(quiet=quiet)
        self._start: tuple[int, float] | None = None  # what an earlier run had done: not work of this one

    def update(self, count: int, share: float) -> None:
        """Show that so many items, and this share of the work from 0 to 1, are done."""
        start = self._start = self._start or (count, share)
        self._line.show(lambda seconds: _format_share(count, share, self._noun, seconds, start))

    def clear(self) -> None:
        """Remove the line."""
        self._line.clear()


class _Line:
    """A line on stderr that is written over now and then, if that is a terminal."""

    def __init__(self, *, quiet: bool) -> None:
        self._out = sys.stderr
        self.is_shown = not quiet and self._out.isatty()
        self._started = self._last = time.monotonic()

    def show(self, make_line: Callable[[float], str]) -> None:
        """Show what the function makes of the seconds since the start, unless that is too early."""
        now = time.monotonic()
        if self.is_shown and now - self._started >= FIRST_AFTER and now - self._last >= EVERY:
            self._write(_CLEAR_LINE + make_line(now - self._started))
            self._last = now

    def clear(self) -> None:
        if self._last != self._started:
            self._write(_CLEAR_LINE)

    def _write(self, text: str) -> None:
        with contextlib.suppress(OSError):  # the terminal is gone, which must not end the work
            self._out.write(text)
            self._out.flush()


def _format_share(count: int, share: float, noun: str, seconds: float, start: tuple[int, float]) -> str:
    gained = share - start[1]
    left = f" · {seconds * (1 - share) / gained:,.0f} s left" if gained > 0 else ""
    rate = (count - start[0]) / seconds
    return f"{_draw_bar(int(_BAR_WIDTH * share))} {share:.0%} · {count:,} {noun} · {rate:,.0f}/s{left}"


def _format_count(passed: int, total: int | None, noun: str, seconds: float, before: int) -> str:
    rate = passed / seconds
    if total is None:
        return f"{passed:,} {noun} · {rate:,.0f}/s"
    done, everything = before + passed, before + total
    bar = _draw_bar(_BAR_WIDTH * done // max(1, everything))
    left = (total - passed) / rate if rate else 0.0
    speed = f"{rate:,.0f}/s" if rate >= 10 else f"{rate:.1f}/s"
    return f"{bar} {done:,}/{everything:,} {noun} · {speed} · {left:,.0f} s left"


def _draw_bar(filled: int) -> str:
    return f"[{'█' * filled}{'·' * (_BAR_WIDTH - filled)}]"
