"""Crawl a site."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from steelyard.errors import MissingExtra
from steelyard.site.crawl.end import CrawlEnd
from steelyard.site.crawl.options import CrawlOptions
from steelyard.site.model import Fetched, Frontier, Visit

if TYPE_CHECKING:
    from steelyard.site.crawl.sender import Sender


def crawl(
    frontier: Frontier,
    options: CrawlOptions,
    handle: Callable[[Fetched], Awaitable[Visit]],
    progress: Callable[[int, int], None] = lambda _finished, _known: None,
) -> CrawlEnd:
    """Visit the addresses of a frontier and those their pages link to.

    The same site gives the same pages in every run, whatever the order of its answers. What is finished is in the
    frontier, so a crawl that was interrupted or killed goes on with the same call.

    Args:
        frontier: The addresses: those to start from must have been added.
        options: The limits and the pace.
        handle: Returns what became of an address; awaited on the event loop, for some addresses at a time.
        progress: Told how many addresses are finished and known, a few times a second.

    Returns:
        The limits that were reached, and what else the user should know.

    Raises:
        MissingExtra: Scrapy is not installed.
        KeyboardInterrupt: Ctrl-C was pressed; what was under way will be visited again.
    """
    try:
        from steelyard.site.crawl.scrapy_engine import run_with_scrapy
        from steelyard.site.crawl.visits import Visits
    except ModuleNotFoundError as error:
        raise MissingExtra("site", (error.name or "scrapy").partition(".")[0]) from error
    ends: list[CrawlEnd] = []

    async def work(sender: Sender) -> None:
        ends.append(await Visits(frontier, options, sender, handle, progress).run())

    with _stop_like_ctrl_c(signal.SIGTERM):
        asyncio.run(run_with_scrapy(options, work))
    return ends[0]


@contextmanager
def _stop_like_ctrl_c(number: int) -> Iterator[None]:
    """Let a signal that raises KeyboardInterrupt do so as Ctrl-C does: asyncio ends its tasks in order first."""
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(number) is not signal.default_int_handler:
        yield
        return
    signal.signal(number, lambda *_: signal.raise_signal(signal.SIGINT))
    try:
        yield
    finally:
        signal.signal(number, signal.default_int_handler)
