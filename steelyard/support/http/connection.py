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

from steelyard.support.http.guard import AddressGuard
from steelyard.support.http.messages import NO_NAME, NOT_HTTP, PRIVATE, FetchError, too_large

Resolve = Callable[[str, int], Awaitable[list[str]]]

# The status line and the headers, with every 1xx response before them. One of these may have 100 kB in httpcore.
MAX_HEAD_BYTES = 128 * 1024


async def look_up(host: str, port: int) -> list[str]:
    """Return the IP addresses of a host; in a thread that nobody waits for, since the system knows no deadline.

    Raises:
        FetchError: There is none.
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[list[str]] = loop.create_future()

    def settle(addresses: list[str]) -> None:
        if not answer.done():
            answer.set_result(addresses)

    def ask() -> None:
        addresses = []
        with suppress(OSError, ValueError):  # ValueError: a name that cannot be encoded
            # An address without its scope leads nowhere, so one with a scope is kept whole.
            addresses = [str(info[4][0]) for info in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
        with suppress(RuntimeError):  # the loop ended before the name server answered
            loop.call_soon_threadsafe(settle, addresses)

    threading.Thread(target=ask, daemon=True).start()
    addresses = await answer
    if not addresses:
        raise FetchError(f"the name {host} is not known", NO_NAME, is_temporary=True)
    return addresses


class GuardedBackend(httpcore.AsyncNetworkBackend):
    """What httpcore asks for a connection.

    Args:
        guard: Says which connections are allowed.
        resolve: Returns the IP addresses of a host.
    """

    def __init__(self, guard: AddressGuard, resolve: Resolve = look_up) -> None:
        self._guard, self._resolve = guard, resolve

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to the first address of the host that is allowed and answers, within `timeout` in all.

        Raises:
            FetchError: None of them is, or none of them does.
        """
        del local_address, socket_options
        loop = asyncio.get_running_loop()
        deadline = loop.time() + timeout if timeout is not None else None
        try:
            async with asyncio.timeout_at(deadline):
                addresses = list(dict.fromkeys(await self._resolve(host, port)))
        except TimeoutError as error:
            raise _fail_to_connect(error, timeout) from error
        allowed = [address for address in addresses if self._guard.allows(host, port, address)]
        if not allowed:
            raise _refuse(host, port)
        for number, address in enumerate(allowed):
            # Each address gets its part: one that swallows packets must not use up the time of the others.
            seconds = (deadline - loop.time()) / (len(allowed) - number) if deadline is not None else None
            try:
                async with asyncio.timeout(seconds):
                    reader, writer = await asyncio.open_connection(address, port)
            except OSError as error:
                if number + 1 == len(allowed):
                    raise _fail_to_connect(error, timeout) from error
                continue
            peer = str(writer.get_extra_info("peername")[0])
            if not self._guard.allows(host, port, peer):
                writer.close()
                raise _refuse(host, port)
            return NetworkStream(reader, writer)
        raise AssertionError("the last address is connected to or raises")


def _refuse(host: str, port: int) -> FetchError:
    name = f"[{host}]" if ":" in host else host
    where = name if port in (80, 443) else f"{name}:{port}"
    return FetchError(f"{where} is a private address, and only those that were typed are visited", PRIVATE)


def _fail_to_connect(error: OSError, timeout: float | None) -> FetchError:
    reason = f"no connection within {timeout:g} s" if isinstance(error, TimeoutError) else _name_error(error)
    return FetchError(reason, is_temporary=True)


def _name_error(error: OSError) -> str:
    if isinstance(error, ConnectionRefusedError):
        return "connection refused"
    if isinstance(error, ssl.SSLError) or error.errno is None:
        return "the connection broke off"
    return os.strerror(error.errno).lower()  # the error's own text names IP addresses


class NetworkStream(httpcore.AsyncNetworkStream):
    """A connection as httpcore uses it. It counts every byte; the deadline of the whole answer is kept outside."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._received = 0
        self._max_body: int | None = None

    def end_head(self, max_body: int) -> None:
        """Allow so many bytes after the head, for the body and what surrounds its pieces."""
        self._max_body = max_body

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        if self._max_body is None and self._received >= MAX_HEAD_BYTES:
            raise FetchError(f"sends over {MAX_HEAD_BYTES:,} bytes before its answer", NOT_HTTP)
        if self._max_body is not None and self._received > MAX_HEAD_BYTES + self._max_body:
            raise too_large(self._max_body)
        try:
            piece = await self._reader.read(max_bytes)
        except OSError as error:  # also of TLS
            raise FetchError(_name_error(error), is_temporary=True) from error
        self._received += len(piece)
        return piece

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._received, self._max_body = 0, None  # a new request
        try:
            self._writer.write(buffer)
            await self._writer.drain()
        except OSError as error:  # httpcore then looks for an answer, which may say why the server reads no more
            raise httpcore.WriteError(_name_error(error)) from error

    async def aclose(self) -> None:
        # Without waiting: a server that does not answer the end of TLS would hold the caller.
        self._writer.transport.abort()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.AsyncNetworkStream:
        try:
            async with asyncio.timeout(timeout):
                await self._writer.start_tls(ssl_context, server_hostname=server_hostname)
        except ssl.SSLCertVerificationError as error:
            raise FetchError(f"its certificate is not valid ({error.verify_message})") from error
        except TimeoutError as error:
            raise _fail_to_connect(error, timeout) from error
        except (OSError, ValueError) as error:
            raise FetchError("no encrypted connection (TLS)", is_temporary=True) from error
        return self

    def get_extra_info(self, info: str) -> Any:
        if info == "is_readable":  # an idle connection that the server has closed
            return self._reader.at_eof() or self._writer.is_closing()
        if info == "ssl_object":
            return self._writer.get_extra_info("ssl_object")
        return None
