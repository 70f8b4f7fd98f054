"""Connections to a server of ours: how many there may be, and how long a client may keep one waiting."""

from __future__ import annotations

import asyncio
import ipaddress
from collections import Counter
from typing import Any, ClassVar

from uvicorn.protocols.http.flow_control import service_unavailable
from uvicorn.protocols.http.h11_impl import H11Protocol

MAX_CONNECTIONS = 300  # each may hold a body of 2 MB
MAX_PER_CLIENT = 200  # behind a proxy and on loopback all clients are one
MAX_HEAD_SECONDS = 15  # for the head of a request to arrive, whole
MAX_READ_SECONDS = 30  # in which a client must take something of its answer
KEPT_OPEN = 15  # seconds for which an idle connection is kept


class BoundedProtocol(H11Protocol):
    """Ends a connection whose client neither sends nor reads in time; when all are taken, makes room for a new one.

    Uvicorn by itself closes a connection only when it is idle after an answer that was read: one that never sent a
    whole request, or never reads, would stay for ever. To close is not enough there, since that waits for the client
    to read the rest.
    """

    head_seconds: ClassVar[float] = MAX_HEAD_SECONDS
    read_seconds: ClassVar[float] = MAX_READ_SECONDS
    max_connections: ClassVar[int] = MAX_CONNECTIONS
    max_per_client: ClassVar[int] = MAX_PER_CLIENT

    _head_due: asyncio.TimerHandle | None = None
    _read_due: asyncio.TimerHandle | None = None
    _unread = 0  # bytes of an answer, when its client was last seen to read
    _waits_since = 0.0
    _name = ""

    def connection_made(self, transport: Any) -> None:
        """Make room, and begin to wait for a request."""
        super().connection_made(transport)
        transport.set_write_buffer_limits(high=0)  # so that we are told about every byte that is not read
        self._name = name_client(self.client[0]) if self.client else ""
        self._waits_since = self.loop.time()
        if not self._make_room():
            self.app = service_unavailable
        self._watch_head()

    def data_received(self, data: bytes) -> None:
        """Go on waiting if the head of a request is not complete, and stop if it is."""
        super().data_received(data)
        self._watch_head()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        self._waits_since = self.loop.time()
        super().on_response_complete()

    def pause_writing(self) -> None:
        """Begin to wait for the client to read."""
        super().pause_writing()
        self._waits_since = self.loop.time()
        self._watch_reading()

    def resume_writing(self) -> None:
        """Stop waiting: everything is on its way."""
        super().resume_writing()
        _cancel(self._read_due)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        _cancel(self._head_due)
        _cancel(self._read_due)
        super().connection_lost(exc)

    def end(self) -> None:
        """End the connection now, whatever its client has not read."""
        self.connections.discard(self)  # its place is free at once
        self.transport.abort()

    def _is_waiting(self) -> bool:
        cycle: Any = self.cycle  # None before the first request
        return cycle is None or bool(cycle.response_complete)

    def _watch_head(self) -> None:
        if not self._is_waiting():
            _cancel(self._head_due)
            self._head_due = None
        elif self._head_due is None:
            self._head_due = self.loop.call_later(self.head_seconds, self._check_head)

    def _check_head(self) -> None:
        self._head_due = None
        if self._is_waiting():
            self.end()

    def _watch_reading(self) -> None:
        self._unread = self.transport.get_write_buffer_size()
        self._read_due = self.loop.call_later(self.read_seconds, self._check_reading)

    def _check_reading(self) -> None:
        if self.transport.get_write_buffer_size() < self._unread:
            self._watch_reading()
        else:
            self.end()

    def _make_room(self) -> bool:
        """Return whether there is room for this connection, after ending the one that is missed least.

        That is one of the client with the most connections, and of these the one that waits longest.
        """
        others = [other for other in self.connections if isinstance(other, BoundedProtocol) and other is not self]
        held = Counter(other._name for other in others)
        if held[self._name] >= self.max_per_client:
            others = [other for other in others if other._name == self._name]
        elif len(others) < self.max_connections:
            return True
        ranked = [((-held[o._name], rank, o._waits_since), o) for o in others if (rank := o._rank()) is not None]
        if not ranked:
            return False
        min(ranked, key=lambda pair: pair[0])[1].end()
        return True

    def _rank(self) -> int | None:
        """Return how soon this connection may be ended for another; None: never, since it is we who are at work."""
        if self.flow.write_paused:
            return 1
        if self._is_waiting():
            return 0
        if self.cycle.more_body:
            return 2
        return 1 if self.flow.read_paused else None  # paused: it has sent more requests than were answered


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()


def name_client(address: str) -> str:
    """Return the address, or of an IPv6 address the network, since one client has all addresses in it."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    return address if parsed.version == 4 else str(ipaddress.ip_network((parsed, 64), strict=False))
