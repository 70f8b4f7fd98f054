"""The progress of an audit: a line for people, or lines of JSON for a program."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

from steelyard.support.artifacts import to_json
from steelyard.support.progress import ShareProgress
from steelyard.terminal.output import warn

if TYPE_CHECKING:
    from steelyard.site.audit import Run


class LineProgress:
    """Shows one line on a terminal, with the time that is left."""

    def __init__(self, *, quiet: bool, max_pages: int, is_kept: bool) -> None:
        self._line = ShareProgress("addresses", quiet=quiet)
        self._quiet, self._max_pages, self._is_kept = quiet, max_pages, is_kept
        self.finished = 0

    def start(self, audit: int, resumed: bool) -> None:
        if resumed and not self._quiet:
            warn(f"steelyard: continuing audit {audit}, which was interrupted (--fresh begins anew)")

    def update(self, finished: int, known: int) -> None:
        self.finished = finished
        self._line.update(finished, finished / max(1, min(known, self._max_pages)))

    def end(self, run: Run) -> None:
        self._line.clear()
        if not run.is_over and self._is_kept and not self._quiet:
            warn("steelyard: stopped by --max-time; the same command continues the audit")

    def fail(self, error: Exception) -> None:
        self._line.clear()


class JsonProgress:
    """Writes one line of JSON to standard error for every step, for a program that shows the progress."""

    EVERY = 0.5  # seconds

    def __init__(self, site: str, max_pages: int) -> None:
        self._site, self._max_pages = site, max_pages
        self._started = self._last = time.monotonic()
        self._before: int | None = None
        self.finished = 0

    def start(self, audit: int, resumed: bool) -> None:
        self._write({"event": "started", "audit": audit, "site": self._site, "resumed": resumed})

    def update(self, finished: int, known: int) -> None:
        self._before = finished if self._before is None else self._before
        self.finished = finished
        now = time.monotonic()
        if now - self._last < self.EVERY and finished < known:
            return
        self._last = now
        done = finished - self._before
        left_over = min(known, self._max_pages) - finished
        left = (now - self._started) / done * max(0, left_over) if done else None
        self._write(
            {"event": "progress", "finished": finished, "known": known, "seconds_left": left and round(left, 1)}
        )

    def end(self, run: Run) -> None:
        state = "done" if run.is_over else "interrupted"
        self._write({"event": "ended", "audit": run.audit, "state": state, **run.summary.figures()})

    def fail(self, error: Exception) -> None:
        self._write({"event": "error", "message": str(error)})

    def _write(self, event: dict[str, Any]) -> None:
        print(to_json(event, indent=None), file=sys.stderr, flush=True)
