"""Connections that must send a request in time: uvicorn closes idle ones only after a first answer."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol


class PunctualProtocol(H11Protocol):
    """Closes a connection on which the head of a request does not arrive in time, whole."""

    seconds: ClassVar[float] = 15.0

    _due: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begin to wait."""
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Go on waiting if the head of a request is not complete, and stop if it is."""
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        if self._due is not None:
            self._due.cancel()
        super().connection_lost(exc)

    def _is_waiting(self) -> bool:
        cycle: Any = self.cycle  # None before the first request
        return cycle is None or bool(cycle.response_complete)

    def _watch(self) -> None:
        if not self._is_waiting():
            if self._due is not None:
                self._due.cancel()
            self._due = None
        elif self._due is None:
            self._due = self.loop.call_later(self.seconds, self._give_up)

    def _give_up(self) -> None:
        self._due = None
        if self._is_waiting() and self.transport is not None:
            self.transport.close()
