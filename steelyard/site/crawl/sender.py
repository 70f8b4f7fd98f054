"""How requests are sent: one at a time per person, or paced by the crawl."""

from __future__ import annotations

from typing import Protocol

from steelyard.site.crawl.exchange import Answer, Client, Wanted


class Sender(Protocol):
    """Sends requests at the pace that their hosts bear."""

    async def send(self, wanted: Wanted) -> Answer:
        """Return the answer; raise ExchangeFailed."""

    def set_delay(self, url: str, seconds: float) -> None:
        """Keep at least so many seconds between two requests to the host of an address."""

    def slow_down(self, url: str) -> None:
        """The host of an address says that it gets too many requests."""

    def speed_up(self, url: str) -> None:
        """The host of an address has answered."""


class DirectSender:
    """Sends at once: for a single page."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def send(self, wanted: Wanted) -> Answer:
        """See Sender."""
        return await self._client.get(wanted)

    def set_delay(self, url: str, seconds: float) -> None:
        """See Sender."""

    def slow_down(self, url: str) -> None:
        """See Sender."""

    def speed_up(self, url: str) -> None:
        """See Sender."""
