"""The body of a request, read up to a limit and within a time."""

from __future__ import annotations

import asyncio

from starlette.types import Message, Receive

from steelyard.web.refusals import Refused


class BoundedBody:
    """Receives a request's body for the app, and refuses more than so many bytes or seconds of it."""

    def __init__(self, receive: Receive, declared: str | None, most: int, seconds: float) -> None:
        if declared is not None and declared.isdecimal() and int(declared[:20]) > most:
            raise _refuse(most)
        self._receive = receive
        self._left = self._most = most
        self._seconds = seconds
        self._deadline: float | None = None
        self._is_complete = False

    async def __call__(self) -> Message:
        """Return the next message.

        Raises:
            Refused: The body is too large, or takes too long.
        """
        if self._is_complete:
            return await self._receive()  # that the client went away
        now = asyncio.get_running_loop().time()
        self._deadline = self._deadline or now + self._seconds
        try:
            async with asyncio.timeout_at(self._deadline):
                message = await self._receive()
        except TimeoutError:
            raise Refused(408, f"the request did not arrive within {self._seconds:g} s; send it again") from None
        if message["type"] == "http.request":
            self._left -= len(message.get("body", b""))
            self._is_complete = not message.get("more_body", False)
            if self._left < 0:
                raise _refuse(self._most)
        return message


def _refuse(most: int) -> Refused:
    return Refused(
        413, f"the request is over the limit of {most:,} bytes; send a shorter text", {"Connection": "close"}
    )
