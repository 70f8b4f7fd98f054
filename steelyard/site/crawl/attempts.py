"""Ask again after a failure that may pass, ever more slowly."""

from __future__ import annotations

import asyncio
import random
import time
from email.utils import parsedate_to_datetime

from steelyard.site.crawl.exchange import Answer, ExchangeFailed, Wanted, describe_status
from steelyard.site.crawl.options import CrawlOptions
from steelyard.site.crawl.sender import Sender

LONGEST_WAIT = 60.0
_PASSING = frozenset({429, 502, 503, 504})
_FIRST_WAIT = 0.5
# Addresses without any answer, one after the other, after which each gets a single attempt: the host is down.
_GIVES_UP_AFTER = 8


class Attempts:
    """Sends requests, and sends them again where that may help."""

    def __init__(self, sender: Sender, options: CrawlOptions) -> None:
        self._sender, self._options = sender, options
        self._without_answer = 0

    async def send(self, wanted: Wanted, *, retry_names: bool = True) -> Answer:
        """Return an answer.

        Args:
            wanted: What is asked for.
            retry_names: Ask again when the name of the host is not known.

        Raises:
            ExchangeFailed: There is none, or the last one asks to come back later.
        """
        waits = random.Random(wanted.url)  # the same waits in every run, and others for every address
        retries = self._options.retries if self._without_answer < _GIVES_UP_AFTER else 0
        for attempt in range(retries + 1):
            asked_for = 0.0
            try:
                answer = await self._sender.send(wanted)
            except ExchangeFailed as failure:
                if not failure.may_pass:
                    raise
                if attempt == retries or (failure.no_name and not retry_names):
                    self._without_answer += 1
                    raise
            else:
                self._without_answer = 0
                if answer.status not in _PASSING:
                    self._sender.speed_up(wanted.url)
                    return answer
                if answer.status == 429:
                    self._sender.slow_down(wanted.url)
                if attempt == retries:
                    again = f", {attempt + 1} times" if attempt else ""
                    raise ExchangeFailed(describe_status(answer.status) + again, status=answer.status)
                asked_for = read_retry_after(answer.headers.get("retry-after", ""))
            back_off = _FIRST_WAIT * 2**attempt * (1 + waits.random())
            await asyncio.sleep(min(LONGEST_WAIT, max(back_off, asked_for)))
        raise AssertionError("the last attempt returns or raises")


def read_retry_after(value: str) -> float:
    """Return the seconds that a Retry-After header asks for, at most a minute."""
    value = value.strip()
    if value.isascii() and value.isdigit():
        return min(LONGEST_WAIT, float(value[:9]))
    try:
        seconds = parsedate_to_datetime(value).timestamp() - time.time()
    except (ValueError, TypeError, OverflowError, OSError):
        return 0.0
    return min(LONGEST_WAIT, max(0.0, seconds))
