"""Who may use the server: its token, the cookie of a browser that gave it, and the tokens in forms."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import Headers

from steelyard.web.refusals import Refused

SESSION_COOKIE, FORM_COOKIE = "steelyard_session", "steelyard_form"
OPEN_PATHS = ("/login", "/healthz")  # and static files
_LONGEST_COOKIE = 4_000


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
            Refused: It brings neither the token nor the cookie.
        """
        if self._token is None or path in OPEN_PATHS or path.startswith("/static/"):
            return
        scheme, _, given = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and self.is_token(given.strip()):
            return
        if hmac.compare_digest(_encode(read_cookie(headers, SESSION_COOKIE)), _encode(self.session())):
            return
        raise Refused(401, "this server needs its token: Authorization: Bearer …", {"WWW-Authenticate": "Bearer"})

    def is_token(self, given: str) -> bool:
        """Tell whether this is the token."""
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
            Refused: It was not, or this server was started again since.
        """
        cookie = read_cookie(headers, FORM_COOKIE)
        if not cookie or not hmac.compare_digest(_encode(given), _encode(self.sign_form(cookie))):
            raise Refused(403, "this form is out of date; reload the page (cookies must be allowed) and send it again")

    def _sign(self, message: bytes) -> str:
        return hmac.new(self._key, message, hashlib.sha256).hexdigest()


def read_cookie(headers: Headers, name: str) -> str:
    """Return a cookie's value, or an empty string."""
    try:
        found = SimpleCookie(headers.get("cookie", "")[:_LONGEST_COOKIE]).get(name)
    except CookieError:
        return ""
    return found.value if found else ""


def make_form_cookie() -> str:
    """Return the value of a new cookie for forms."""
    return secrets.token_hex(16)


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
