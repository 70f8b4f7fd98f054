"""The one HTTP client: bounded in time, size and retries, and silent about secrets."""

from __future__ import annotations

import base64
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
from urllib.parse import parse_qsl, quote, unquote, urljoin, urlsplit

from steelyard.errors import MissingExtra, SteelyardError

if TYPE_CHECKING:
    import httpx

HIDDEN = "[secret]"
TOO_MANY_REQUESTS = 429
MOST_REDIRECTS = 3
_SECRET_HEADERS = ("authorization", "proxy-authorization", "x-api-key", "api-key", "cookie")
_SHORTEST_QUERY_SECRET = 8  # a key in a query is longer; `?format=json` is no secret


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
    """Limits in seconds, bytes and retries. `total` covers all tries and the waits between them."""

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


def strip_credentials(url: str) -> str:
    """Return the address without user, password, query and fragment, which often hold keys."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return "(an address that cannot be read)"
    host = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{host}{f':{port}' if port else ''}{parts.path}"


def find_url_secrets(url: str) -> tuple[str, ...]:
    """Return the parts of an address that must not be shown: its password, also as sent, and long query values."""
    try:
        parts = urlsplit(url)
        password = parts.password
    except ValueError:
        return (url,)
    secrets = [value for _, value in parse_qsl(parts.query) if len(value) >= _SHORTEST_QUERY_SECRET]
    if password:
        plain = unquote(password)
        basic = f"{unquote(parts.username or '')}:{plain}".encode("utf-8", "surrogatepass")
        secrets = [password, plain, base64.b64encode(basic).decode("ascii"), *secrets]
    return tuple(dict.fromkeys(secrets))


def redact(text: str, secrets: Iterable[str]) -> str:
    """Replace every secret in the text, as it is and as it is written in an address."""
    forms = {form for s in secrets if s for form in (s, quote(s), quote(s, safe=""))}
    for form in sorted(forms, key=len, reverse=True):  # a secret may be part of a longer one
        text = text.replace(form, HIDDEN)
    return text


class Client:
    """A client that posts JSON, within limits.

    Redirects are followed only on the same origin, so no header reaches another host. Proxies and passwords of the
    environment are not used. Certificates are verified.
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
        self._secrets = (*secrets, *_find_header_secrets(headers or {}))
        self._rng, self._sleep, self._clock = rng, sleep, clock
        self._http = _open_client(headers or {})

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def redact(self, text: str, *, least: int = 0) -> str:
        """Replace this client's secrets in the text, or only those of `least` characters or more."""
        return redact(text, [s for s in self._secrets if len(s) >= least])

    def post_json(self, url: str, payload: Any) -> Response:
        """Return the response to the last try, of any status.

        Raises:
            NetError: There was no response.
        """
        body = json.dumps(payload, allow_nan=False).encode("ascii")
        deadline = self._clock() + self._limits.total
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
            target = urljoin(current, response.headers.get("location", ""))
            keeps_method = response.status in (307, 308)
            if not keeps_method or _origin(target) != _origin(current) or followed == MOST_REDIRECTS:
                break
            current = target
        raise NetError(
            f"{self._name(url)}: answers {response.status} and points to {self._name(target)}; "
            "if you trust that address, use it instead"
        )

    def _name(self, url: str) -> str:
        return self.redact(strip_credentials(url))

    def _post(self, url: str, body: bytes, deadline: float) -> Response:
        import httpx

        name, limits = self._name(url), self._limits
        left = deadline - self._clock()
        if left <= 0:
            raise TimedOut(name, limits.total)
        timeout = httpx.Timeout(min(limits.read, left), connect=min(limits.connect, left))
        advice = "check the address and that the server runs"
        try:
            headers = {"content-type": "application/json"}
            with self._http.stream("POST", url, content=body, headers=headers, timeout=timeout) as response:
                return self._read(response, name, deadline)
        except (httpx.InvalidURL, httpx.UnsupportedProtocol, UnicodeError) as error:
            reason = self.redact(str(error))
            raise NetError(f"{name}: not an address ({reason}); write it as https://host/path") from None
        except httpx.ConnectTimeout:
            reason = f"no connection within {timeout.connect:g} s"
            raise Unreachable(f"{name}: cannot be reached ({reason}); {advice}", is_temporary=True) from None
        except httpx.TimeoutException:
            raise TimedOut(name, min(limits.read, limits.total)) from None
        except httpx.HTTPError as error:
            reason = self.redact(str(error)) or type(error).__name__
            is_temporary = "CERTIFICATE_VERIFY_FAILED" not in str(error)
            raise Unreachable(f"{name}: cannot be reached ({reason}); {advice}", is_temporary=is_temporary) from None

    def _read(self, response: httpx.Response, name: str, deadline: float) -> Response:
        most, body = self._limits.most_bytes, bytearray()
        declared = response.headers.get("content-length", "")
        if declared.isdecimal() and int(declared[:20]) > most:
            raise ResponseTooLarge(name, most)
        for piece in response.iter_bytes():
            body += piece
            if len(body) > most:
                raise ResponseTooLarge(name, most)
            if self._clock() > deadline:
                raise TimedOut(name, self._limits.total)
        headers = {key.lower(): value for key, value in response.headers.items()}
        return Response(response.status_code, bytes(body), headers)


def parse_retry_after(value: str | None) -> float | None:
    """Return the seconds of a Retry-After header, which holds a number or a date; None if it is not usable."""
    if not value:
        return None
    if value.strip().isdecimal():
        return float(value.strip()[:12])
    try:
        then = parsedate_to_datetime(value)
    except (TypeError, ValueError, OverflowError):
        return None
    then = then if then.tzinfo else then.replace(tzinfo=UTC)
    return max(0.0, (then - datetime.now(UTC)).total_seconds())


def _origin(url: str) -> tuple[str, str | None, int | None]:
    try:
        parts = urlsplit(url)
        return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    except ValueError:
        return "", None, None


def _find_header_secrets(headers: Mapping[str, str]) -> list[str]:
    """Return the values of headers that hold keys, and the key alone where a word such as Bearer precedes it."""
    values = [value for name, value in headers.items() if name.lower() in _SECRET_HEADERS]
    return [secret for value in values for secret in (value, value.split(" ")[-1])]


@cache
def load_certificates() -> ssl.SSLContext:
    """Return the system's certificate authorities, if it has any, and certifi's; read once, as that is slow."""
    import certifi

    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    return context


def _open_client(headers: Mapping[str, str]) -> httpx.Client:
    try:
        import httpx
    except ImportError as error:
        raise MissingExtra("lab", "httpx") from error
    for name in ("httpx", "httpcore"):  # a program that logs everything would log whole addresses, keys included
        logging.getLogger(name).setLevel(logging.WARNING)
    # By default httpx accepts compressed responses, and a small one can unpack to gigabytes.
    plain = {"accept-encoding": "identity", **headers}
    return httpx.Client(headers=plain, verify=load_certificates(), trust_env=False, follow_redirects=False)
