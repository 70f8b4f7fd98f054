"""The one HTTP client: bounded in time, size and retries, and silent about secrets."""

from __future__ import annotations

import json
import logging
import random
import ssl
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from steelyard.errors import MissingExtra, SteelyardError
from steelyard.support import net_connection
from steelyard.support.escape import make_visible
from steelyard.support.redaction import find_header_secrets, redact, strip_credentials

if TYPE_CHECKING:
    import httpx

TOO_MANY_REQUESTS = 429
MOST_REDIRECTS = 3
_HEADERS = {
    "accept": "*/*",
    "accept-encoding": "identity",
    "connection": "close",
    "content-type": "application/json",
    "user-agent": "steelyard",
}
_LONGEST_REASON = 160  # characters of an error that may quote the server
_LONGEST_DATE = 64  # characters of a date in a header


class NetError(SteelyardError):
    """A request got no usable response; `is_temporary` says whether another try may help."""

    def __init__(self, message: str, *, is_temporary: bool = False) -> None:
        super().__init__(message)
        self.is_temporary = is_temporary


class Unreachable(NetError):
    """No connection to the server."""


class TimedOut(NetError):
    """No complete response within the time limit."""

    def __init__(self, url: str, seconds: float) -> None:
        super().__init__(f"{url}: no whole answer within {seconds:g} s; allow more time")


class ResponseTooLarge(NetError):
    """The response is over the size limit and was not read to its end."""

    def __init__(self, url: str, limit: int) -> None:
        super().__init__(f"{url}: the answer is over {limit:,} bytes; it was not read to its end")


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits in seconds, bytes and retries.

    `total` is a deadline for everything that belongs to a call: looking up the name, connecting, sending, headers and
    body of all tries, and the waits between them.
    """

    connect: float = 10.0
    read: float = 60.0
    total: float = 120.0
    most_bytes: int = 10_000_000
    retries: int = 3
    first_wait: float = 0.5
    longest_wait: float = 30.0


@dataclass(frozen=True, slots=True)
class Response:
    """A complete response of any status; header names are in lower case."""

    status: int
    body: bytes
    headers: Mapping[str, str]
    attempts: int = 1

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300


class Client:
    """A client that posts JSON, within limits, each time on a new connection.

    Answers must not be encoded: a small one can unpack to gigabytes. Redirects are followed only on the same origin,
    so no header reaches another host. Proxies and passwords of the environment are not used. Certificates are verified.
    """

    def __init__(
        self,
        *,
        rng: random.Random,
        headers: Mapping[str, str] | None = None,
        secrets: Iterable[str] = (),
        limits: Limits | None = None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._limits = limits or Limits()
        self._secrets = (*secrets, *find_header_secrets(headers or {}))
        self._rng, self._sleep, self._clock = rng, sleep, clock
        _check_packages()
        self._headers = {**(headers or {}), **_HEADERS}
        self._certificates = load_certificates()  # now, as it takes time that is not the server's

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        """Close nothing: every call closes its connection."""

    def redact(self, text: str, *, least: int = 0) -> str:
        """Replace this client's secrets in the text, or only those of `least` characters or more."""
        return redact(text, [s for s in self._secrets if len(s) >= least])

    def post_json(self, url: str, payload: Any, *, seconds: float | None = None) -> Response:
        """Return the response to the last try, of any status.

        Args:
            url: The address, http or https.
            payload: What is sent, as JSON.
            seconds: The time for this call, if it is less than the limit of the client.

        Raises:
            NetError: There was no response.
        """
        body = json.dumps(payload, allow_nan=False).encode("ascii")
        total = self._limits.total
        deadline = self._clock() + (total if seconds is None else min(seconds, total))
        attempt = 0
        while True:
            attempt += 1
            outcome: Response | NetError
            try:
                outcome = self._post_following_redirects(url, body, deadline)
            except NetError as error:
                outcome = error
            wait = self._choose_wait(outcome, attempt)
            if wait is None or self._clock() + wait >= deadline:
                break
            self._sleep(wait)
        if isinstance(outcome, NetError):
            outcome.__context__ = None  # httpx's own error, which holds the address with its secrets
            raise outcome
        return replace(outcome, attempts=attempt)

    def _choose_wait(self, outcome: Response | NetError, attempt: int) -> float | None:
        """Return the seconds until the next try, or None when there is to be none."""
        limits, requested = self._limits, None
        if isinstance(outcome, NetError):
            is_temporary = outcome.is_temporary
        else:
            is_temporary = outcome.status == TOO_MANY_REQUESTS or outcome.status >= 500
            requested = parse_retry_after(outcome.headers.get("retry-after"))
        if not is_temporary or attempt > limits.retries:
            return None
        backoff = min(limits.longest_wait, limits.first_wait * 2 ** (attempt - 1))
        wait = backoff * self._rng.uniform(0.5, 1.0)  # always drawn: the n-th wait depends on the seed alone
        return wait if requested is None else min(requested, limits.longest_wait)

    def _post_following_redirects(self, url: str, body: bytes, deadline: float) -> Response:
        """Try once, following redirects that stay on the same origin and keep the method."""
        current = url
        for followed in range(MOST_REDIRECTS + 1):
            response = self._post(current, body, deadline)
            if not 300 <= response.status < 400:
                return response
            target = _join_address(current, response.headers.get("location", ""))
            keeps_method = response.status in (307, 308)
            if not keeps_method or _origin(target) != _origin(current) or followed == MOST_REDIRECTS:
                break
            current = target
        raise NetError(
            f"{self._name(url)}: answers {response.status} and points to {self._shorten(strip_credentials(target))}; "
            "if you trust that address, use it instead"
        )

    def _name(self, url: str) -> str:
        return self.redact(strip_credentials(url))

    def _shorten(self, text: str) -> str:
        """Return text that may come from the server, safe to show; its secrets go first, as half a key is a secret."""
        return make_visible(self.redact(text)[:_LONGEST_REASON])

    def _build_request(self, url: str, body: bytes) -> httpx.Request:
        import httpx

        try:
            request = httpx.Request("POST", url, content=body, headers=self._headers)
        except (httpx.InvalidURL, UnicodeError) as error:
            raise self._no_address(url, str(error)) from None
        address = request.url
        if address.scheme not in ("http", "https") or not address.host:
            raise self._no_address(url, "no host, or neither http:// nor https://")
        if address.username or address.password:
            request = next(httpx.BasicAuth(address.username, address.password).auth_flow(request))
        return request

    def _no_address(self, url: str, reason: str) -> NetError:
        return NetError(f"{self._name(url)}: not an address ({self._shorten(reason)}); write it as https://host/path")

    def _post(self, url: str, body: bytes, deadline: float) -> Response:
        import httpcore

        name, limits = self._name(url), self._limits
        left = deadline - self._clock()
        if left <= 0:
            raise TimedOut(name, limits.total)
        request = self._build_request(url, body)
        advice = "check the address and that the server runs"
        connect = min(limits.connect, left)
        budget = net_connection.Budget(self._clock, deadline, limits.most_bytes)
        try:
            with net_connection.send(request, self._certificates, budget, connect=connect, read=limits.read) as answer:
                self._check_headers(answer.headers, name)
                return Response(answer.status, self._read(answer.pieces, name, deadline), answer.headers)
        except net_connection.TooManyBytes:
            raise ResponseTooLarge(name, limits.most_bytes) from None
        except net_connection.BadHead as error:
            raise NetError(f"{name}: the headers of the answer are too long ({error}); {advice}") from None
        except net_connection.ConnectTimedOut:
            reason = f"no connection within {connect:g} s"
            raise Unreachable(f"{name}: cannot be reached ({reason}); {advice}", is_temporary=True) from None
        except TimeoutError:
            raise TimedOut(name, min(limits.read, limits.total)) from None
        except (OSError, httpcore.ProtocolError) as error:
            reason = self._shorten(str(error)) or type(error).__name__
            is_temporary = "CERTIFICATE_VERIFY_FAILED" not in str(error)
            raise Unreachable(f"{name}: cannot be reached ({reason}); {advice}", is_temporary=is_temporary) from None

    def _check_headers(self, headers: Mapping[str, str], name: str) -> None:
        """Refuse what cannot be read as it is, or is too large by its own account."""
        most, encoding = self._limits.most_bytes, headers.get("content-encoding", "")
        if encoding.lower() not in ("", "identity"):
            reason = f"the answer is encoded ({self._shorten(encoding)}), which was not asked for"
            raise NetError(f"{name}: {reason}; turn compression off on the server")
        declared = headers.get("content-length", "")
        if declared.isdecimal() and int(declared[:20]) > most:
            raise ResponseTooLarge(name, most)

    def _read(self, pieces: Iterable[bytes], name: str, deadline: float) -> bytes:
        most, body = self._limits.most_bytes, bytearray()
        for piece in pieces:
            body += piece
            if len(body) > most:
                raise ResponseTooLarge(name, most)
            if self._clock() > deadline:
                raise TimedOut(name, self._limits.total)
        return bytes(body)


def parse_retry_after(value: str | None) -> float | None:
    """Return the seconds of a Retry-After header, which holds a number or a date; None if it is not usable."""
    if not value:
        return None
    if value.strip().isdecimal():
        return float(value.strip()[:12])
    try:
        then = parsedate_to_datetime(value[:_LONGEST_DATE])
        then = then if then.tzinfo else then.replace(tzinfo=UTC)
        return max(0.0, (then - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError, OverflowError, IndexError):
        return None


def _join_address(base: str, location: str) -> str:
    """Return the address that a redirect names, or the redirect itself if it cannot be read: it then has no origin."""
    try:
        return urljoin(base, location)
    except ValueError:
        return location


def _origin(url: str) -> tuple[str, str | None, int | None]:
    try:
        parts = urlsplit(url)
        return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    except ValueError:
        return "", None, None


@cache
def load_certificates() -> ssl.SSLContext:
    """Return the system's certificate authorities, if it has any, and certifi's; read once, as that is slow."""
    import certifi

    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    return context


def _check_packages() -> None:
    """Raise MissingExtra where httpx is not installed, and keep it from logging addresses, which may hold keys."""
    try:
        import httpx  # noqa: F401
    except ImportError as error:
        raise MissingExtra("lab", "httpx") from error
    for name in ("httpx", "httpcore"):
        logging.getLogger(name).setLevel(logging.WARNING)
