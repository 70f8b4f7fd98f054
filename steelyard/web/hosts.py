"""Refuse early what an audit would refuse later: addresses of this machine and its networks."""

from __future__ import annotations

import asyncio
import socket
from urllib.parse import urlsplit

from steelyard.web.refusals import Refused

PATIENCE = 5.0  # seconds to find the address of a name


async def check_public(url: str) -> None:
    """Check that a host has public addresses only. The crawl checks again what it really connects to.

    Raises:
        Refused: An address is private, or the name has none.
    """
    from steelyard.support.http.guard import is_public

    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port or 80
    try:
        async with asyncio.timeout(PATIENCE):
            found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError, TimeoutError):
        raise Refused(422, "no address was found for this host; check the name") from None
    if not all(is_public(str(entry[4][0]).partition("%")[0]) for entry in found):
        raise Refused(422, "this is a private address; steelyard serve --allow-private allows those")
