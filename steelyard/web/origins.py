"""Where a request comes from: the name it was sent to, and the page that sent it."""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.datastructures import Headers

from steelyard.support.escape import make_visible
from steelyard.web.refusals import Refused

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
_LONGEST_NAME = 100  # characters shown of a name that is refused


def check_host(headers: Headers, allowed: Collection[str]) -> None:
    """Refuse a request to a name that is not ours: a page of a stranger may have its own name point to this machine.

    Raises:
        Refused: The name is not allowed, or there is none.
    """
    given = headers.getlist("host")
    name = read_name(given[0]) if len(given) == 1 else ""
    if name not in allowed:
        shown = make_visible(name[:_LONGEST_NAME]) or "no name"
        raise Refused(421, f"this server does not answer for {shown}; steelyard serve --public-host NAME allows a name")


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
        Refused: The request comes from another origin.
    """
    if method in SAFE_METHODS:
        return
    origin, site = headers.get("origin"), headers.get("sec-fetch-site")
    if site not in (None, "same-origin", "none") or (origin is not None and not _is_own(origin, headers["host"])):
        raise Refused(403, "this request comes from a page of another site; open Steelyard's own page and repeat it")


def _is_own(origin: str, host: str) -> bool:
    """Return whether an origin is this server's; behind a proxy the scheme may differ, the name and port do not."""
    try:
        parts = urlsplit(origin)
        return parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower()
    except ValueError:
        return False
