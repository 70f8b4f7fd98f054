"""Time against size: a page that takes far more time per byte than others of its kind."""

from __future__ import annotations

import statistics
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

MIN_BYTES = 1_000  # bytes; a shorter page is counted as one of this size
RATIO = 30.0  # to the median
SUSPICIOUS = 10.0  # from which on a time is measured again
MIN_SECONDS = 0.1  # below which no ratio matters
MIN_TIMES = 50  # before there is a median to compare with
MAX_SECONDS_PER_BYTE = 1e-4  # before that: a tenth of a second for a thousand bytes
KEPT = 2_000


class Pace:
    """Seconds per byte of one kind of work."""

    def __init__(self) -> None:
        self._rates: deque[float] = deque(maxlen=KEPT)
        self.highest = 0.0  # ratio to the median

    def judge(self, size: int, seconds: float, again: Callable[[], float]) -> str | None:
        """Record a time; return what is wrong with it if it is far off and stays so twice."""
        size = max(size, MIN_BYTES)
        known = list(self._rates) if seconds >= MIN_SECONDS else []
        self._rates.append(seconds / size)
        if seconds < MIN_SECONDS:
            return None
        usual = statistics.median(known) if len(known) >= MIN_TIMES else MAX_SECONDS_PER_BYTE / RATIO
        for _ in range(2):
            if seconds < MIN_SECONDS or seconds / size <= SUSPICIOUS * usual:
                break
            seconds = min(seconds, again())
        ratio = seconds / size / usual
        self.highest = max(self.highest, ratio)
        if seconds < MIN_SECONDS or ratio <= RATIO:
            return None
        return f"{seconds:.2f} s for {size:,} bytes, {ratio:.0f} times the usual per byte (measured three times)"


@contextmanager
def stopwatch(clock: Callable[[], float] = time.process_time) -> Iterator[Callable[[], float]]:
    """Measure a block in seconds, by default of the processor: another program on the machine does not count."""
    started = clock()
    ended: list[float] = []
    yield lambda: (ended[0] if ended else clock()) - started
    ended.append(clock())
