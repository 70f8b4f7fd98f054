"""Who may use the server: the names it answers for, the pages that may send requests, its token, tokens in forms."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Collection
from http.cookies import CookieError, SimpleCookie
from urllib.parse import urlsplit

from starlette.datastructures import Headers

from steelyard.support.escape import make_visible
from steelyard.web.responses import HTTPError

SESSION_COOKIE, FORM_COOKIE = "steelyard_session", "steelyard_form"
OPEN_PATHS = ("/login", "/healthz")  # and static files
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
_MAX_COOKIE = 4_000
_MAX_NAME = 100  # characters shown of a name that is refused


class Access:
    """Checks tokens, always in constant time. The keys are those of this process: after a restart all log in again."""

    def __init__(self, token: str | None) -> None:
        self._token = None if token is None else token.encode()
        self._key = secrets.token_bytes(32)

    @property
    def needs_token(self) -> bool:
        """Whether a token is asked for at all."""
        return self._token is not None

    def check(self, path: str, headers: Headers) -> None:
        """Let a request in.

        Raises:
            HTTPError: It brings neither the token nor the cookie.
        """
        if self._token is None or path in OPEN_PATHS or path.startswith("/static/"):
            return
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and self.is_token(token.strip()):
            return
        if hmac.compare_digest(_encode(read_cookie(headers, SESSION_COOKIE)), _encode(self.session())):
            return
        raise HTTPError(401, "this server needs its token: Authorization: Bearer …", {"WWW-Authenticate": "Bearer"})

    def is_token(self, given: str) -> bool:
        """Return whether this is the token."""
        return self._token is not None and hmac.compare_digest(_encode(given), self._token)

    def session(self) -> str:
        """Return the value of the cookie for a browser that gave the token."""
        return self._sign(b"session")

    def sign_form(self, cookie: str) -> str:
        """Return the token of a form for the browser that has this cookie."""
        return self._sign(b"form " + _encode(cookie))

    def check_form(self, headers: Headers, given: str) -> None:
        """Check that a form was made for the browser that sends it.

        Raises:
            HTTPError: It was not, or this server was started again since.
        """
        cookie = read_cookie(headers, FORM_COOKIE)
        if not cookie or not hmac.compare_digest(_encode(given), _encode(self.sign_form(cookie))):
            raise HTTPError(
                403, "this form is out of date; reload the page (cookies must be allowed) and send it again"
            )

    def _sign(self, message: bytes) -> str:
        return hmac.new(self._key, message, hashlib.sha256).hexdigest()


def read_cookie(headers: Headers, name: str) -> str:
    """Return a cookie's value, or an empty string."""
    try:
        cookie = SimpleCookie(headers.get("cookie", "")[:_MAX_COOKIE]).get(name)
    except CookieError:
        return ""
    return cookie.value if cookie else ""


def make_form_cookie() -> str:
    """Return the value of a new cookie for forms."""
    return secrets.token_hex(16)


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def check_host(headers: Headers, allowed: Collection[str]) -> None:
    """Refuse a request to a name that is not ours: a page of a stranger may have its own name point to this machine.

    Raises:
        HTTPError: The name is not allowed, or there is none.
    """
    hosts = headers.getlist("host")
    name = read_name(hosts[0]) if len(hosts) == 1 else ""
    if name not in allowed:
        shown = make_visible(name[:_MAX_NAME]) or "no name"
        raise HTTPError(
            421, f"this server does not answer for {shown}; steelyard serve --public-host NAME allows a name"
        )


def read_name(host: str) -> str:
    """Return the name in a Host header, without its port; an empty string if it cannot be read."""
    try:
        return (urlsplit(f"//{host}").hostname or "").rstrip(".") if "@" not in host else ""
    except ValueError:
        return ""


def check_origin(method: str, headers: Headers) -> None:
    """Refuse a request that changes something, or takes time, when another site's page sent it.

    Browsers always say so by one of these headers; programs such as curl send neither.

    Raises:
        HTTPError: The request comes from another origin.
    """
    if method in SAFE_METHODS:
        return
    origin, site = headers.get("origin"), headers.get("sec-fetch-site")
    if site not in (None, "same-origin", "none") or (origin is not None and not _is_own(origin, headers["host"])):
        raise HTTPError(403, "this request comes from a page of another site; open Steelyard's own page and repeat it")


def _is_own(origin: str, host: str) -> bool:
    """Return whether an origin is this server's; behind a proxy the scheme may differ, the name and port do not."""
    try:
        parts = urlsplit(origin)
        return parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower()
    except ValueError:
        return False
