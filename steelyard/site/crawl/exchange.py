"""One request and its answer, within the deadline and the limits; no redirects and no second attempts."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from urllib.parse import urlsplit

import httpcore

from steelyard.site.crawl.connection import GuardedBackend, NameFailed, PrivateAddress, Resolve, look_up
from steelyard.site.crawl.options import CrawlOptions
from steelyard.site.crawl.unpacking import OFFERED, Body, TooLong, Unpackable
from steelyard.site.guard import is_public, may_connect
from steelyard.site.model import EXCLUDED, FAILED, NOT_MEASURED, PAGE_TYPES

MOST_HEADERS = 200
_DRAINED = 16_384  # bytes of an unwanted body that are read to keep the connection
_IDLE_SECONDS = 15.0
_MAX_TYPE = 200  # characters of a content type, which is kept with each page


class ExchangeFailed(Exception):
    """There is no answer to use. `reason` is the end of a sentence about the address.

    Attributes:
        reason: Why.
        outcome: FAILED, NOT_MEASURED or EXCLUDED.
        may_pass: Another attempt may help.
        status: The status of the answer, where there was one.
        content_type: Its type, where there was one.
        no_name: The name of the host is not known.
    """

    def __init__(
        self,
        reason: str,
        *,
        outcome: str = FAILED,
        may_pass: bool = False,
        status: int | None = None,
        content_type: str = "",
        no_name: bool = False,
    ) -> None:
        super().__init__(reason)
        self.reason, self.outcome, self.may_pass = reason, outcome, may_pass
        self.status, self.content_type, self.no_name = status, content_type, no_name


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked for: an address, with the user's own headers or without, and how much of the answer is wanted.

    `most_bytes` is the limit of the body, `cut` keeps the first bytes of a longer one, and `any_type` reads bodies
    that are no pages.
    """

    url: str
    own_headers: bool
    most_bytes: int
    cut: bool = False
    any_type: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer. Header names are in lower case; the body is empty unless the status is a success."""

    status: int
    headers: Mapping[str, str]
    body: bytes = b""

    @property
    def content_type(self) -> str:
        """The type without parameters, in lower case."""
        return read_content_type(self.headers)


class Client:
    """Asks for addresses.

    Args:
        options: Limits, headers and the hosts that may be private.
        resolve: Returns the IP addresses of a host.
    """

    def __init__(self, options: CrawlOptions, resolve: Resolve = look_up) -> None:
        import certifi

        self._options = options
        self._public_hosts: set[str] = set()
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=_trust(certifi.where()),
            max_connections=None,
            max_keepalive_connections=options.concurrency,
            keepalive_expiry=_IDLE_SECONDS,
            network_backend=GuardedBackend(self._may_connect, resolve),
        )

    def _may_connect(self, host: str, port: int, address: str) -> bool:
        """Return whether a connection is allowed. A host that was public once must stay so, whoever typed it."""
        if self._options.allow_private:
            return True
        if is_public(address):
            self._public_hosts.add(host)
            return True
        return host not in self._public_hosts and may_connect(host, port, address, self._options.private_hosts)

    async def get(self, wanted: Wanted) -> Answer:
        """Return the answer to a request.

        Raises:
            ExchangeFailed: There is none that can be used.
        """
        seconds = self._options.timeout
        try:
            async with asyncio.timeout(seconds):
                return await self._exchange(wanted)
        except TimeoutError as error:
            raise ExchangeFailed(f"timed out after {seconds:g} s") from error
        except PrivateAddress as error:
            host = urlsplit(wanted.url).netloc
            reason = f"{host} is a private address, and only those that were typed are visited"
            raise ExchangeFailed(reason, outcome=EXCLUDED) from error
        except NameFailed as error:
            name = urlsplit(wanted.url).hostname
            raise ExchangeFailed(f"the name {name} is not known", may_pass=True, no_name=True) from error
        except (httpcore.ConnectError, httpcore.ReadError, httpcore.WriteError) as error:
            raise ExchangeFailed(str(error) or "the connection broke off", may_pass=True) from error
        except httpcore.RemoteProtocolError as error:
            # The server hung up, perhaps on a connection that had been idle; or it does not speak HTTP.
            may_pass = "disconnected" in str(error) or "closed connection" in str(error)
            reason = "the connection broke off" if may_pass else "the answer is not valid HTTP"
            raise ExchangeFailed(reason, may_pass=may_pass) from error

    async def close(self) -> None:
        """Close all connections."""
        await self._pool.aclose()

    def _headers(self, wanted: Wanted) -> list[tuple[bytes, bytes]]:
        headers = {
            "Host": urlsplit(wanted.url).netloc,
            "User-Agent": self._options.user_agent,
            "Accept": "*/*" if wanted.any_type else "text/html,application/xhtml+xml,text/markdown,text/plain;q=0.9",
            "Accept-Encoding": OFFERED,
        }
        if wanted.own_headers:
            own = {name.lower() for name in self._options.headers}
            headers = {name: value for name, value in headers.items() if name.lower() not in own}
            headers |= self._options.headers
        return [(name.encode("ascii"), value.strip().encode("latin-1")) for name, value in headers.items()]

    async def _exchange(self, wanted: Wanted) -> Answer:
        async with self._pool.stream(
            "GET",
            wanted.url,
            headers=self._headers(wanted),
            extensions={"timeout": {"connect": self._options.timeout}},
        ) as response:
            if len(response.headers) > MOST_HEADERS:
                raise ExchangeFailed(f"has over {MOST_HEADERS} headers", status=response.status)
            headers = _join_headers(response.headers)
            answer = Answer(response.status, headers)
            if not 200 <= response.status < 300:
                await _drain(response, headers)
                return answer
            if not wanted.any_type and answer.content_type not in PAGE_TYPES:
                raise ExchangeFailed(
                    f"is {answer.content_type[:80]}, not a page",
                    outcome=NOT_MEASURED,
                    status=response.status,
                    content_type=answer.content_type,
                )
            return Answer(response.status, headers, await self._read(response, answer, wanted))

    async def _read(self, response: httpcore.Response, answer: Answer, wanted: Wanted) -> bytes:
        reason = f"is larger than {wanted.most_bytes:,} bytes"
        try:
            body = Body(answer.headers.get("content-encoding", ""), wanted.most_bytes, cut=wanted.cut)
            length = _read_length(answer.headers)
            if length is not None and length > wanted.most_bytes and not wanted.cut:
                raise TooLong
            async for piece in response.aiter_stream():
                if not body.add(piece):
                    break
            return body.end()
        except Unpackable as error:
            reason = str(error)
        except TooLong:
            pass
        raise ExchangeFailed(reason, outcome=NOT_MEASURED, status=answer.status, content_type=answer.content_type)


@cache
def _trust(certificates: str) -> ssl.SSLContext:
    """Return what checks a server's certificate; made once, since it takes longer than a request on loopback."""
    return ssl.create_default_context(cafile=certificates)


async def _drain(response: httpcore.Response, headers: Mapping[str, str]) -> None:
    """Read a short body that nobody wants, so that the connection can be used again."""
    length = _read_length(headers)
    if length is not None and length <= _DRAINED:
        async for _ in response.aiter_stream():
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


def read_content_type(headers: Mapping[str, str]) -> str:
    """Return the type of an answer without parameters, in lower case."""
    return headers.get("content-type", "").partition(",")[0].partition(";")[0].strip().lower()[:_MAX_TYPE]


def read_charset(headers: Mapping[str, str]) -> str | None:
    """Return the charset that the header names."""
    for part in headers.get("content-type", "").split(";")[1:]:
        name, _, value = part.partition("=")
        if name.strip().lower() == "charset":
            return value.partition(",")[0].strip().strip("\"'").strip()[:40] or None
    return None


def describe_status(status: int) -> str:
    """Return `answered with status 404 (Not Found)`."""
    try:
        return f"answered with status {status} ({HTTPStatus(status).phrase})"
    except ValueError:
        return f"answered with status {status}"
