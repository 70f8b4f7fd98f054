"""Web addresses in one spelling, and which of them belong to one site."""

from __future__ import annotations

import ipaddress
import re
import socket
from urllib.parse import SplitResult, urljoin, urlsplit

MAX_ADDRESS = 2_000
_MAX_READ = 4 * MAX_ADDRESS  # what is longer cannot become short enough by normalising
_DEFAULT_PORTS = {"http": 80, "https": 443}
_HOST = re.compile(r"[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*")
_NUMBER = re.compile(r"0x[0-9a-f]*|[0-9]+")
_CONTROLS = re.compile(r"[\t\n\r]")  # browsers drop these inside an address
_EDGES = "".join(map(chr, range(0x21)))  # and these around it
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})?|[^%A-Za-z0-9._~!$&'()*+,;=:@/?-]+")
_MAX_FOREIGN_HOST = 63  # characters of a name that is not ASCII; to encode a long one takes milliseconds
_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

# Parameters that name a visitor or the way here, not a page.
_SESSION = frozenset(
    """
    jsessionid phpsessid sessionid session_id sessid sid aspsessionid cfid cftoken zenid oscsid
    fbclid gclid gclsrc gbraid wbraid dclid msclkid yclid twclid ttclid igshid mc_cid mc_eid _ga _gl _hsenc _hsmi
    """.split()
)
_PATH_SESSION = re.compile(r";(?:jsessionid|phpsessid|sid)=[^/;]*", re.IGNORECASE)


def normalise(url: str, base: str | None = None, *, keep_session: bool = False) -> str | None:
    """Return an address in the one spelling under which it is known, or None where there is nothing to fetch.

    Args:
        url: An address as it is written in a page, perhaps a relative one.
        base: The address of that page.
        keep_session: Keep the parameters that name a visitor, for a redirect that depends on them.

    Returns:
        An absolute http or https address without user, fragment, default port, dot segments and session ids, its
        host in lower case and ASCII; None for other schemes, broken addresses and those over 2,000 characters.
    """
    url = _CONTROLS.sub("", url.strip(_EDGES)) if len(url) <= _MAX_READ else ""
    if not url:
        return None
    before, mark, rest = re.split(r"([?#])", url, maxsplit=1) if re.search(r"[?#]", url) else (url, "", "")
    try:
        # Browsers read a backslash as a slash; what is checked here must be what they would open.
        parts = urlsplit(urljoin(base or "", before.replace("\\", "/") + mark + rest))
        host, port = _read_host(parts), parts.port
        if host is None or port == 0:
            return None
        path, query = escape(parts.path), escape(parts.query)
    except ValueError:  # a bad port, bracket or character
        return None
    path = _resolve_dots(path)
    if not keep_session:
        path = _PATH_SESSION.sub("", path) or "/"
        query = drop_session(query)
    where = host if port in (None, _DEFAULT_PORTS[parts.scheme]) else f"{host}:{port}"
    address = f"{parts.scheme}://{where}{path}" + (f"?{query}" if query else "")
    return address if len(address) <= MAX_ADDRESS else None


def same_site(url: str, site: str) -> bool:
    """Return whether an address belongs to a site, given as an address of it or as its name.

    `www.` and the bare name are one site, and so are http and https; another port is another site.
    """
    name = name_site(url)
    return name != "" and name == name_site(site)


def name_site(url: str) -> str:
    """Return the name under which a site is stored: `example.org`, `127.0.0.1:8000`; empty where there is none."""
    address = normalise(url if "://" in url else f"http://{url}")
    if address is None:
        return ""
    name = urlsplit(address).netloc
    bare = name.removeprefix("www.")
    return bare if "." in bare else name


def _read_host(parts: SplitResult) -> str | None:
    """Return the host as it stands in an address: in ASCII, IP addresses in their usual form."""
    host = parts.hostname
    if parts.scheme not in _DEFAULT_PORTS or not host or len(host) > (253 if host.isascii() else _MAX_FOREIGN_HOST):
        return None
    if ":" in host:
        return f"[{ipaddress.IPv6Address(host.partition('%')[0])}]" if "%" not in host else None
    if not host.isascii():
        host = host.encode("idna").decode("ascii").lower()  # UnicodeError is a ValueError
    host = host.removesuffix(".")
    if not _HOST.fullmatch(host):
        return None
    if _NUMBER.fullmatch(host.rpartition(".")[2]):  # 2130706433, 0x7f.1 and 127.1 all mean 127.0.0.1
        try:
            return str(ipaddress.IPv4Address(socket.inet_aton(host)))
        except OSError:
            return None
    return host


def escape(text: str) -> str:
    """Escape what must be escaped, and only that, in capital letters."""

    def replace(match: re.Match[str]) -> str:
        if match[1]:
            byte = int(match[1], 16)
            return chr(byte) if byte in _UNRESERVED else f"%{byte:02X}"
        return "%" + match[0].encode().hex("%").upper()  # a lone surrogate is a ValueError

    return _ESCAPE.sub(replace, text)


def _resolve_dots(path: str) -> str:
    kept: list[str] = []
    segments = path.removeprefix("/").split("/")
    for segment in segments:
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in (".", ".."):
        kept.append("")
    return "/" + "/".join(kept)


def drop_session(query: str) -> str:
    """Return an escaped query without the parameters that name a visitor or the way here."""
    return "&".join(part for part in query.split("&") if part and not _names_session(part.partition("=")[0].lower()))


def _names_session(name: str) -> bool:
    return name in _SESSION or name.startswith(("utm_", "aspsessionid"))
