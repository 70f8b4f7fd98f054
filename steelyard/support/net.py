"""The one HTTP client: bounded in time, size and patience, and silent about secrets."""

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
    """A request had no answer that can be used; `again` says whether a second try may help."""

    again = False


class BadAddress(NetError):
    def __init__(self, url: str, reason: str) -> None:
        super().__init__(f"{url}: not an address ({reason}); write it as https://host/path")


class Unreachable(NetError):
    def __init__(self, url: str, reason: str, *, again: bool = True) -> None:
        super().__init__(f"{url}: cannot be reached ({reason}); check the address and that the server runs")
        self.again = again


class TookTooLong(NetError):
    def __init__(self, url: str, seconds: float) -> None:
        super().__init__(f"{url}: no whole answer within {seconds:g} s; allow more time")


class AnswerTooLarge(NetError):
    def __init__(self, url: str, limit: int) -> None:
        super().__init__(f"{url}: the answer is over {limit:,} bytes; it was not read to its end")


class Redirected(NetError):
    def __init__(self, url: str, status: int, to: str) -> None:
        super().__init__(f"{url}: answers {status} and points to {to}; if you trust that address, use it instead")


@dataclass(frozen=True, slots=True)
class Limits:
    """How long, how much, how often; times in seconds. `total` covers all tries and the waits between them."""

    connect: float = 10.0
    read: float = 60.0
    total: float = 120.0
    most_bytes: int = 10_000_000
    retries: int = 3
    first_wait: float = 0.5
    longest_wait: float = 30.0


@dataclass(frozen=True, slots=True)
class Response:
    """A complete answer, whatever its status; header names in lower case."""

    status: int
    body: bytes
    headers: Mapping[str, str]
    seconds: float
    attempts: int = 1

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300


def shown(url: str) -> str:
    """The address without user, password, query and fragment, where keys are often put."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return "(an address that cannot be read)"
    host = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{host}{f':{port}' if port else ''}{parts.path}"


def address_secrets(url: str) -> tuple[str, ...]:
    """What of an address must not be shown: its password, also as it is sent, and the longer values of its query."""
    try:
        parts = urlsplit(url)
        password = parts.password
    except ValueError:
        return (url,)
    values = [v for _, v in parse_qsl(parts.query) if len(v) >= _SHORTEST_QUERY_SECRET]
    sent: list[str] = []
    if password:
        plain = unquote(password)
        basic = f"{unquote(parts.username or '')}:{plain}".encode("utf-8", "surrogatepass")
        sent = [plain, base64.b64encode(basic).decode("ascii")]
    return tuple(dict.fromkeys(s for s in (password, *sent, *values) if s))


def redact(text: str, secrets: Iterable[str]) -> str:
    """The text with every secret replaced, as it is and as it stands in an address."""
    forms = {form for s in secrets if s for form in (s, quote(s), quote(s, safe=""))}
    for form in sorted(forms, key=len, reverse=True):  # a secret may be part of a longer one
        text = text.replace(form, HIDDEN)
    return text


class Client:
    """POST JSON, with limits.

    Redirects are followed on the same origin alone, so no header reaches another host. Proxies and
    passwords of the environment are not used; a proxy is named or there is none. Certificates are verified.
    """

    def __init__(
        self,
        *,
        rng: random.Random,
        headers: Mapping[str, str] | None = None,
        secrets: Iterable[str] = (),
        limits: Limits | None = None,
        proxy: str | None = None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._limits = limits or Limits()
        self._secrets = (*secrets, *_header_secrets(headers or {}))
        self._rng, self._sleep, self._clock = rng, sleep, clock
        self._http = _http(headers or {}, proxy)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def redact(self, text: str, *, least: int = 0) -> str:
        """The text without this client's secrets, or without those of `least` characters or more."""
        return redact(text, [s for s in self._secrets if len(s) >= least])

    def post_json(self, url: str, payload: Any) -> Response:
        """The answer, of whatever status after the last try; NetError when there was none."""
        body = json.dumps(payload, allow_nan=False).encode("ascii")
        started = self._clock()
        deadline = started + self._limits.total
        attempt = 0
        while True:
            attempt += 1
            outcome = self._follow(url, body, deadline)
            wait = self._wait(outcome, attempt)
            if wait is None or self._clock() + wait >= deadline:
                break
            self._sleep(wait)
        if isinstance(outcome, NetError):
            raise outcome
        return replace(outcome, seconds=self._clock() - started, attempts=attempt)

    def _wait(self, outcome: Response | NetError, attempt: int) -> float | None:
        """Seconds until the next try, or None when this outcome is the last."""
        limits = self._limits
        if isinstance(outcome, NetError):
            again = outcome.again
        else:
            again = outcome.status == TOO_MANY_REQUESTS or outcome.status >= 500
        if not again or attempt > limits.retries:
            return None
        backoff = min(limits.longest_wait, limits.first_wait * 2 ** (attempt - 1))
        wait = backoff * self._rng.uniform(0.5, 1.0)  # drawn always: the n-th wait depends on the seed alone
        asked = None if isinstance(outcome, NetError) else retry_after(outcome.headers.get("retry-after"))
        return wait if asked is None else min(asked, limits.longest_wait)

    def _follow(self, url: str, body: bytes, deadline: float) -> Response | NetError:
        """One try, with the redirects that stay on the same origin and keep the method."""
        here = url
        for followed in range(MOST_REDIRECTS + 1):
            outcome = self._try(here, body, deadline)
            if isinstance(outcome, NetError) or not 300 <= outcome.status < 400:
                return outcome
            there = urljoin(here, outcome.headers.get("location", ""))
            keeps_method = outcome.status in (307, 308)
            if not keeps_method or _origin(there) != _origin(here) or followed == MOST_REDIRECTS:
                return Redirected(self.redact(shown(url)), outcome.status, self.redact(shown(there)))
            here = there
        raise AssertionError("the loop returns")

    def _try(self, url: str, body: bytes, deadline: float) -> Response | NetError:
        import httpx

        named, limits = self.redact(shown(url)), self._limits
        left = deadline - self._clock()
        if left <= 0:
            return TookTooLong(named, limits.total)
        patience = httpx.Timeout(min(limits.read, left), connect=min(limits.connect, left))
        try:
            headers = {"content-type": "application/json"}
            with self._http.stream("POST", url, content=body, headers=headers, timeout=patience) as answer:
                return self._read(answer, named, deadline)
        except (httpx.InvalidURL, httpx.UnsupportedProtocol, UnicodeError) as error:
            return BadAddress(named, self.redact(str(error)))
        except httpx.ConnectTimeout:
            return Unreachable(named, f"no connection within {patience.connect:g} s")
        except httpx.TimeoutException:
            return TookTooLong(named, min(limits.read, limits.total))
        except httpx.HTTPError as error:
            untrusted = "CERTIFICATE_VERIFY_FAILED" in str(error)
            return Unreachable(named, self.redact(str(error)) or type(error).__name__, again=not untrusted)

    def _read(self, answer: httpx.Response, named: str, deadline: float) -> Response | NetError:
        most, body = self._limits.most_bytes, bytearray()
        declared = answer.headers.get("content-length", "")
        if declared.isdecimal() and int(declared[:20]) > most:
            return AnswerTooLarge(named, most)
        for piece in answer.iter_bytes():
            body += piece
            if len(body) > most:
                return AnswerTooLarge(named, most)
            if self._clock() > deadline:
                return TookTooLong(named, self._limits.total)
        headers = {name.lower(): value for name, value in answer.headers.items()}
        return Response(answer.status_code, bytes(body), headers, 0.0)


def retry_after(value: str | None) -> float | None:
    """Seconds asked for by a Retry-After header, which holds a number or a date; None when it says nothing usable."""
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


def _header_secrets(headers: Mapping[str, str]) -> list[str]:
    """The values of headers that carry keys, and the key alone where a word such as Bearer stands before it."""
    values = [v for name, v in headers.items() if name.lower() in _SECRET_HEADERS]
    return [s for v in values for s in (v, v.split(" ")[-1])]


@cache
def trusted() -> ssl.SSLContext:
    """The system's certificate authorities, where it has any, and certifi's; read once, as that is slow."""
    import certifi

    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    return context


def _http(headers: Mapping[str, str], proxy: str | None) -> httpx.Client:
    try:
        import httpx
    except ImportError as error:
        raise MissingExtra("lab", "httpx") from error
    for name in ("httpx", "httpcore"):  # whoever logs everything would log whole addresses, with the keys in them
        logging.getLogger(name).setLevel(logging.WARNING)
    # Unasked, httpx would accept compressed answers, and a small one can unpack to gigabytes.
    plain = {"accept-encoding": "identity", **headers}
    return httpx.Client(headers=plain, verify=trusted(), trust_env=False, follow_redirects=False, proxy=proxy)
