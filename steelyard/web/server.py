"""Run the app until it is told to stop; then its audits are stopped as well, and nothing is left running."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from contextlib import suppress
from ipaddress import ip_address

import uvicorn

from steelyard.errors import SteelyardError
from steelyard.support.server_connection import KEPT_OPEN, BoundedProtocol
from steelyard.web.app import build_app
from steelyard.web.options import MIN_TOKEN, ServeOptions

GRACE = 10  # seconds in which requests may end after the signal to stop
BACKLOG = 512


def serve(options: ServeOptions, host: str, port: int, announce: Callable[[str], None]) -> None:
    """Serve until the process is interrupted; port 0 takes a free one.

    Raises:
        SteelyardError: The address cannot be used, or needs a token.
    """
    check_exposure(options, host)
    with bind(host, port) as listening:
        number = listening.getsockname()[1]
        shown = f"[{host}]" if ":" in host else host
        announce(f"http://{shown}:{number}/")
        config = uvicorn.Config(
            build_app(options),
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=options.behind_proxy,
            timeout_keep_alive=KEPT_OPEN,
            timeout_graceful_shutdown=GRACE,
            ws="none",
            http=BoundedProtocol,
        )
        with suppress(KeyboardInterrupt):  # raised again once everything has ended, by the signal that stopped it
            uvicorn.Server(config).run(sockets=[listening])


def check_exposure(options: ServeOptions, host: str) -> None:
    """Check that a server which others can reach asks for a token.

    Raises:
        SteelyardError: It has none, or one that could be guessed.
    """
    if options.token is not None and len(options.token) < MIN_TOKEN:
        raise SteelyardError(f"the token is shorter than {MIN_TOKEN} characters; make a longer one")
    if options.token is None and not is_loopback(host):
        raise SteelyardError(
            f"{host}: others can reach this address, so the server needs a token; put one into STEELYARD_TOKEN or a "
            f"file for --token-file, for example: export STEELYARD_TOKEN=$(openssl rand -hex 24)"
        )
    if options.token is None and options.behind_proxy:
        raise SteelyardError("a server behind a proxy needs a token; put one into STEELYARD_TOKEN or --token-file")


def is_loopback(host: str) -> bool:
    """Return whether only programs on this machine reach an address."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def bind(host: str, port: int) -> socket.socket:
    """Open the socket before anything else, so that its port is known.

    Raises:
        SteelyardError: It cannot be used.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        reason = os.strerror(error.errno).lower() if error.errno and error.errno > 0 else "no such address"
        raise SteelyardError(f"{host}:{port} cannot be used ({reason}); choose another --port or --host") from error
