"""Post JSON and wait for the answer: bounded in time, size and retries, and silent about secrets."""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections.abc import Coroutine, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import SplitResult, quote, urljoin, urlsplit

from steelyard.errors import MissingExtra
from steelyard.support.escape import make_visible
from steelyard.support.http.guard import AddressGuard
from steelyard.support.http.messages import (
    NO_NAME,
    NOT_HTTP,
    NOT_SENT,
    REDIRECTED,
    TIMED_OUT,
    TOO_LARGE,
    TOO_MANY_REQUESTS,
    UNPACKABLE,
    UNREACHABLE,
    FetchError,
    Request,
    Response,
)
from steelyard.support.http.pace import Pace
from steelyard.support.http.retrying import RetryingClient, RetryPolicy
from steelyard.support.redaction import encode_credentials, find_header_secrets, redact, strip_credentials

MAX_REDIRECTS = 3
NO_ANSWER = (UNREACHABLE, NO_NAME, NOT_HTTP)  # the kinds of failures where no server has answered
_HEADERS = {"accept": "*/*", "content-type": "application/json", "user-agent": "steelyard"}
_TEMPORARY = frozenset({TOO_MANY_REQUESTS, *range(500, 1000)})
_MAX_REASON = 160  # characters of an error that may quote the server
_HOST = re.compile(r"[a-z0-9._~%-]+|[0-9a-f:.%a-z]+")
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits in seconds, bytes and retries.

    `total` is a deadline for everything that belongs to a call: looking up the name, connecting, sending, headers and
    body of all tries, and the waits between them.
    """

    connect: float = 10.0
    total: float = 120.0
    max_bytes: int = 10_000_000
    retries: int = 3
    first_wait: float = 0.5
    max_wait: float = 30.0


class JsonClient:
    """Posts JSON, within limits, each time on a new connection; for any number of threads.

    Answers must not be encoded: a small one can unpack to gigabytes. Redirects are followed only on the same origin,
    so no header reaches another host. Every address is allowed: the user named it.

    Args:
        rng: Draws the waits between tries.
        headers: Sent with every request.
        secrets: What no message may hold, besides the secrets in `headers`.
        limits: The limits of each call.

    Raises:
        MissingExtra: httpcore is not installed.
    """

    def __init__(
        self,
        *,
        rng: random.Random,
        headers: Mapping[str, str] | None = None,
        secrets: Iterable[str] = (),
        limits: Limits | None = None,
    ) -> None:
        try:
            from steelyard.support.http import client
        except ModuleNotFoundError as error:
            raise MissingExtra("lab", error.name or "httpcore") from error
        self._make_client = client.Client
        self._rng, self._limits = rng, limits or Limits()
        self._headers = {**(headers or {}), **_HEADERS}
        self._secrets = (*secrets, *find_header_secrets(headers or {}))
        client.load_certificates()  # now, as it takes time that is not the server's

    def redact(self, text: str, *, least: int = 0) -> str:
        """Replace this client's secrets in the text, or only those of `least` characters or more."""
        return redact(text, [s for s in self._secrets if len(s) >= least])

    def post(self, url: str, payload: Any, *, seconds: float | None = None) -> Response:
        """Return the response to the last try, of any status.

        Args:
            url: The address, http or https.
            payload: What is sent, as JSON.
            seconds: The time for this call, if it is less than the limit of the client.

        Raises:
            FetchError: There was no response.
        """
        content = json.dumps(payload, allow_nan=False).encode("ascii")
        total = self._limits.total if seconds is None else min(seconds, self._limits.total)
        try:
            request = self._make_request(url, content)
            return _run(self._send(request, total))
        except FetchError as error:
            failure = self._explain(url, error)
        raise failure  # without the first error, which may hold secrets

    def _make_request(self, url: str, content: bytes) -> Request:
        address, authorization = _read_address(url)
        return Request(
            address,
            self._limits.max_bytes,
            self._headers | authorization,
            "POST",
            content,
            packed=False,
            error_bodies=True,
        )

    async def _send(self, request: Request, seconds: float) -> Response:
        limits = self._limits
        client = self._make_client(AddressGuard(allow_private=True), timeout=limits.total, connect=limits.connect)
        policy = RetryPolicy(limits.retries, _TEMPORARY, limits.first_wait, limits.max_wait)
        followed = 0

        async def follow(sent: Request, response: Response) -> Request | None:
            nonlocal followed
            if not 300 <= response.status < 400:
                return None
            target = _join(sent.url, response.headers.get("location", ""))
            followed += 1
            keeps_method = response.status in (307, 308)
            if not keeps_method or _find_origin(target) != _find_origin(sent.url) or followed > MAX_REDIRECTS:
                reason = f"answers {response.status} and points to {self._shorten(strip_credentials(target))}"
                raise FetchError(reason, REDIRECTED)
            return replace(sent, url=_read_address(target)[0])

        try:
            retrying = RetryingClient(client, policy, Pace())
            return await retrying.send(request, follow=follow, seconds=seconds, rng=self._rng)
        finally:
            await client.close()

    def _shorten(self, text: str) -> str:
        """Return text that may come from the server, safe to show; its secrets go first, as half a key is a secret."""
        return make_visible(self.redact(text)[:_MAX_REASON])

    def _explain(self, url: str, error: FetchError) -> FetchError:
        """Return the error with the address and with what to do, and without secrets."""
        limits, reason = self._limits, self._shorten(error.reason)
        sentence = {
            TIMED_OUT: f"no whole answer within {limits.total:g} s; allow more time",
            TOO_LARGE: f"the answer is over {limits.max_bytes:,} bytes; it was not read to its end",
            UNPACKABLE: f"the answer {reason}; turn compression off on the server",
            REDIRECTED: f"{reason}; if you trust that address, use it instead",
            NOT_SENT: f"not an address ({reason}); write it as https://host/path",
        }.get(error.kind, f"cannot be reached ({reason}); check the address and that the server runs")
        return FetchError(f"{self.redact(strip_credentials(url))}: {sentence}", error.kind)


def _run(work: Coroutine[Any, Any, Response]) -> Response:
    """Run work to its end, also in a thread that runs an event loop, such as a notebook's."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


def _read_address(url: str) -> tuple[str, dict[str, str]]:
    """Return an address in ASCII without user and password, and the header that holds these.

    Raises:
        FetchError: It cannot be sent.
    """
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").encode("idna").decode("ascii"), parts.port
    except ValueError:
        raise FetchError("it cannot be read", NOT_SENT) from None
    if parts.scheme not in _PORTS or not _HOST.fullmatch(host):
        raise FetchError("no host, or neither http:// nor https://", NOT_SENT)
    netloc = f"[{host}]" if ":" in host else host
    netloc = netloc if port is None else f"{netloc}:{port}"
    path, query = (quote(part, safe="/%:@!$&'()*+,;=?~") for part in (parts.path or "/", parts.query))
    is_secured = parts.username or parts.password
    authorization = {"authorization": f"Basic {encode_credentials(parts)}"} if is_secured else {}
    return SplitResult(parts.scheme, netloc, path, query, "").geturl(), authorization


def _join(base: str, location: str) -> str:
    """Return the address that a redirect names, or the redirect itself if it cannot be read: it then has no origin."""
    try:
        return urljoin(base, location)
    except ValueError:
        return location


def _find_origin(url: str) -> tuple[str, str | None, int | None]:
    try:
        parts = urlsplit(url)
        return parts.scheme, parts.hostname, parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        return "", None, None
