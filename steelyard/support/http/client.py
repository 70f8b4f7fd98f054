"""One request and its response, within the deadline and the limits; no redirects and no second attempts."""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import Mapping
from functools import cache
from urllib.parse import urlsplit

import certifi
import httpcore

from steelyard.support.http.body import OFFERED, Body
from steelyard.support.http.connection import GuardedBackend, NetworkStream, Resolve, look_up
from steelyard.support.http.guard import AddressGuard
from steelyard.support.http.messages import (
    NOT_HTTP,
    NOT_SENT,
    OTHER_TYPE,
    TIMED_OUT,
    TOO_LARGE,
    UNPACKABLE,
    FetchError,
    Request,
    Response,
    too_large,
)

MAX_HEADERS = 200
_DRAINED = 16_384  # bytes of an unwanted body that are read to keep the connection
_IDLE_SECONDS = 15.0


class Client:
    """Sends requests. Proxies and passwords of the environment are not used, and certificates are verified.

    Args:
        guard: Says which connections are allowed.
        timeout: Seconds for one whole response, from the look-up of the name to the last byte.
        connect: Seconds until there is a connection, and again for its encryption; `timeout` if None.
        idle: Connections that are kept for further requests. With 0 every request has a connection of its own, so
            that a server which sends more than it announced cannot answer the next request with the rest.
        resolve: Returns the IP addresses of a host.
    """

    def __init__(
        self,
        guard: AddressGuard,
        *,
        timeout: float,
        connect: float | None = None,
        idle: int = 0,
        resolve: Resolve = look_up,
    ) -> None:
        logging.getLogger("httpcore").setLevel(logging.WARNING)  # it would log addresses, which may hold keys
        self._timeout, self._connect, self._idle = timeout, connect, idle
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=load_certificates(),
            max_connections=None,
            max_keepalive_connections=idle,
            keepalive_expiry=_IDLE_SECONDS,
            network_backend=GuardedBackend(guard, resolve),
        )

    async def send(self, request: Request, seconds: float | None = None) -> Response:
        """Return the response to a request.

        Args:
            request: The request.
            seconds: The time for it, where that is less than the client's timeout.

        Raises:
            FetchError: There is no response that can be used.
        """
        limit = self._timeout if seconds is None else min(seconds, self._timeout)
        try:
            async with asyncio.timeout(limit):
                return await self._exchange(request, limit)
        except TimeoutError as error:
            raise FetchError(f"timed out after {limit:g} s", TIMED_OUT) from error
        except httpcore.RemoteProtocolError as error:
            # The server hung up, perhaps on a connection that had been idle; or it does not speak HTTP.
            if "disconnected" in str(error) or "closed connection" in str(error):
                raise FetchError("the connection broke off", is_temporary=True) from error
            raise FetchError("the answer is not valid HTTP", NOT_HTTP) from error
        except (httpcore.LocalProtocolError, httpcore.UnsupportedProtocol, UnicodeError) as error:
            raise FetchError("the request cannot be sent", NOT_SENT) from error

    async def close(self) -> None:
        """Close all connections."""
        await self._pool.aclose()

    def _list_headers(self, request: Request) -> list[tuple[bytes, bytes]]:
        headers = {"host": ("Host", urlsplit(request.url).netloc)}
        headers |= {name.lower(): (name, value) for name, value in request.headers.items()}
        headers["accept-encoding"] = "Accept-Encoding", OFFERED if request.packed else "identity"
        if not self._idle:
            headers["connection"] = "Connection", "close"
        if request.content:
            headers["content-length"] = "Content-Length", str(len(request.content))
        return [(name.encode("ascii"), value.strip().encode("latin-1")) for name, value in headers.values()]

    async def _exchange(self, request: Request, seconds: float) -> Response:
        connect = seconds if self._connect is None else min(self._connect, seconds)
        async with self._pool.stream(
            request.method,
            request.url,
            headers=self._list_headers(request),
            content=request.content or None,
            extensions={"timeout": {"connect": connect}},
        ) as received:
            stream = received.extensions["network_stream"]
            if isinstance(stream, NetworkStream):
                stream.end_head(request.max_bytes)
            response = Response(received.status, _join_headers(received.headers))
            if len(received.headers) > MAX_HEADERS:
                raise FetchError(f"has over {MAX_HEADERS} headers", NOT_HTTP, response=Response(received.status, {}))
            if not response.ok and not request.error_bodies:
                await _drain(received, response)
                return response
            if request.types is not None and response.content_type not in request.types:
                raise FetchError(f"is {response.content_type[:80]}", OTHER_TYPE, response=response)
            try:
                body = await _read(received, response, request)
            except FetchError as error:
                if error.kind in (TOO_LARGE, UNPACKABLE):
                    error.response = response
                raise
            return Response(response.status, response.headers, body)


def load_certificates() -> ssl.SSLContext:
    """Return the system's certificate authorities, if it has any, and certifi's; read once, as that is slow."""
    return _load_certificates(certifi.where())


@cache
def _load_certificates(path: str) -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.load_verify_locations(path)
    return context


async def _read(received: httpcore.Response, response: Response, request: Request) -> bytes:
    body = Body(response.headers.get("content-encoding", ""), request.max_bytes, cut=request.cut, packed=request.packed)
    length = _read_length(response.headers)
    if length is not None and length > request.max_bytes and not request.cut:
        raise too_large(request.max_bytes)
    try:
        async for piece in received.aiter_stream():
            if not body.add(piece):
                break
    except FetchError as error:
        if not (request.cut and error.kind == TOO_LARGE):
            raise
    return body.end()


async def _drain(received: httpcore.Response, response: Response) -> None:
    """Read a short body that nobody wants, so that the connection can be used again."""
    length = _read_length(response.headers)
    if length is not None and length <= _DRAINED:
        async for _ in received.aiter_stream():
            pass


def _read_length(headers: Mapping[str, str]) -> int | None:
    length = headers.get("content-length", "")
    return int(length) if length.isascii() and length.isdigit() and len(length) < 20 else None


def _join_headers(pairs: list[tuple[bytes, bytes]]) -> dict[str, str]:
    """Return the headers by name; the values of one that occurs several times are joined."""
    joined: dict[str, list[str]] = {}
    for name, value in pairs:
        joined.setdefault(name.decode("latin-1").lower(), []).append(_decode_header(value))
    return {name: ", ".join(values) for name, values in joined.items()}


def _decode_header(value: bytes) -> str:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.decode("latin-1")
