"""Ask again after a failure that may pass, ever more slowly."""

from __future__ import annotations

import asyncio
import random
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from itertools import count

from steelyard.site.crawl.exchange import Answer, ExchangeFailed, Wanted, describe_status
from steelyard.site.crawl.options import CrawlOptions
from steelyard.site.crawl.sender import Sender

LONGEST_WAIT = 60.0
_PASSING = frozenset({429, 502, 503, 504})
_FIRST_WAIT = 0.5
# Addresses that were given up, one after the other, after which each gets a single attempt: the host is down, or busy
# for longer than anybody waits.
_GIVES_UP_AFTER = 8
_MAX_HEADER = 100  # characters of a Retry-After


@dataclass(slots=True)
class Retries:
    """The further attempts that an address may get, in all the places to which it leads."""

    left: int


class Attempts:
    """Sends requests, and sends them again where that may help."""

    def __init__(self, sender: Sender, options: CrawlOptions) -> None:
        self._sender, self._options = sender, options
        self._given_up = 0

    def allow_retries(self) -> Retries:
        """Return the further attempts for one address."""
        return Retries(self._options.retries)

    async def send(self, wanted: Wanted, retries: Retries, *, retry_names: bool = True) -> Answer:
        """Return an answer.

        Args:
            wanted: What is asked for.
            retries: The further attempts that are left; those that are made are taken from them.
            retry_names: Ask again when the name of the host is not known.

        Raises:
            ExchangeFailed: There is none, or the last one asks to come back later.
        """
        waits = random.Random(wanted.url)  # the same waits in every run, and others for every address
        is_down = self._given_up >= _GIVES_UP_AFTER
        for attempt in count():
            asked_for = 0.0
            is_last = is_down or retries.left <= 0
            try:
                answer = await self._sender.send(wanted)
            except ExchangeFailed as failure:
                if not failure.may_pass:
                    raise
                if is_last or (failure.no_name and not retry_names):
                    self._given_up += 1
                    raise
            else:
                if answer.status not in _PASSING:
                    self._given_up = 0
                    self._sender.speed_up(wanted.url)
                    return answer
                if answer.status == 429:
                    self._sender.slow_down(wanted.url)
                if is_last:
                    self._given_up += 1
                    again = f", {attempt + 1} times" if attempt else ""
                    raise ExchangeFailed(describe_status(answer.status) + again, status=answer.status)
                asked_for = read_retry_after(answer.headers.get("retry-after", ""))
            retries.left -= 1
            back_off = _FIRST_WAIT * 2**attempt * (1 + waits.random())
            await asyncio.sleep(min(LONGEST_WAIT, max(back_off, asked_for)))
        raise AssertionError("the last attempt returns or raises")


def read_retry_after(value: str) -> float:
    """Return the seconds that a Retry-After header asks for, at most a minute."""
    value = value[:_MAX_HEADER].strip()
    if value.isascii() and value.isdigit():
        return min(LONGEST_WAIT, float(value[:9]))
    try:
        seconds = parsedate_to_datetime(value).timestamp() - time.time()
    except (ValueError, TypeError, OverflowError, OSError):
        return 0.0
    return min(LONGEST_WAIT, max(0.0, seconds))
