"""Connections that are made only to addresses that are allowed, checked on the address really connected to.

A name is looked up once per connection, its addresses are checked, and the connection is made to one of those
addresses and not to the name, so an answer of the name server that changes a moment later changes nothing.
"""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
import threading
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import Any

import httpcore

Resolve = Callable[[str, int], Awaitable[list[str]]]
MayConnect = Callable[[str, int, str], bool]


class PrivateAddress(Exception):
    """The host's address is not one that this crawl may connect to."""


class NameFailed(Exception):
    """The host's name leads to no address."""


async def look_up(host: str, port: int) -> list[str]:
    """Return the IP addresses of a host; in a thread that nobody waits for, since the system knows no deadline.

    Raises:
        NameFailed: There is none.
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[list[str]] = loop.create_future()

    def settle(found: list[str] | None) -> None:
        if not answer.done():
            if found:
                answer.set_result(found)
            else:
                answer.set_exception(NameFailed())

    def ask() -> None:
        found = None
        with suppress(OSError, ValueError):  # ValueError: a name that cannot be encoded
            # An address without its scope leads nowhere, so one with a scope is kept whole.
            found = [str(info[4][0]) for info in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
        with suppress(RuntimeError):  # the loop ended before the name server answered
            loop.call_soon_threadsafe(settle, found)

    threading.Thread(target=ask, daemon=True).start()
    return await answer


class GuardedBackend(httpcore.AsyncNetworkBackend):
    """What httpcore asks for a connection.

    Args:
        may_connect: Whether a connection to a host, port and IP address is allowed.
        resolve: Returns the IP addresses of a host.
    """

    def __init__(self, may_connect: MayConnect, resolve: Resolve = look_up) -> None:
        self._may_connect, self._resolve = may_connect, resolve

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to the first address of the host that is allowed and answers."""
        del local_address, socket_options
        addresses = list(dict.fromkeys(await self._resolve(host, port)))
        allowed = [address for address in addresses if self._may_connect(host, port, address)]
        if not allowed:
            raise PrivateAddress
        for number, address in enumerate(allowed):
            # Each address gets its part: one that swallows packets must not use up the time of the others.
            seconds = timeout / (len(allowed) - number) if timeout is not None else None
            try:
                async with asyncio.timeout(seconds):
                    reader, writer = await asyncio.open_connection(address, port)
            except (OSError, TimeoutError) as error:
                if number + 1 == len(allowed):
                    raise httpcore.ConnectError(_name_error(error)) from error
                continue
            peer = str(writer.get_extra_info("peername")[0])
            if not self._may_connect(host, port, peer):
                writer.close()
                raise PrivateAddress
            return _Stream(reader, writer)
        raise NameFailed


def _name_error(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "no connection in time"
    if isinstance(error, ConnectionRefusedError):
        return "connection refused"
    if isinstance(error, ssl.SSLError) or not isinstance(error, OSError) or error.errno is None:
        return "the connection broke off"
    return os.strerror(error.errno).lower()  # the error's own text names IP addresses


class _Stream(httpcore.AsyncNetworkStream):
    """A connection as httpcore uses it. The deadline of the whole answer is kept outside."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        try:
            return await self._reader.read(max_bytes)
        except OSError as error:  # also of TLS
            raise httpcore.ReadError(_name_error(error)) from error

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        try:
            self._writer.write(buffer)
            await self._writer.drain()
        except OSError as error:
            raise httpcore.WriteError(_name_error(error)) from error

    async def aclose(self) -> None:
        # Without waiting: a server that does not answer the end of TLS would hold the crawl.
        self._writer.transport.abort()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.AsyncNetworkStream:
        try:
            await self._writer.start_tls(ssl_context, server_hostname=server_hostname)
        except ssl.SSLCertVerificationError as error:
            raise httpcore.ConnectError(f"its certificate is not valid ({error.verify_message})") from error
        except (OSError, ValueError) as error:
            raise httpcore.ConnectError("no encrypted connection (TLS)") from error
        return self

    def get_extra_info(self, info: str) -> Any:
        if info == "is_readable":  # an idle connection that the server has closed
            return self._reader.at_eof() or self._writer.is_closing()
        if info == "ssl_object":
            return self._writer.get_extra_info("ssl_object")
        return None
