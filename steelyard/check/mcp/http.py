"""The server over HTTP on this machine. Every request stands alone: there are no sessions, and no open streams."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from typing import ClassVar

import anyio
import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types import JSONRPCError
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from steelyard.check.mcp.messages import read_message
from steelyard.check.mcp.roots import Roots
from steelyard.check.mcp.server import build_server
from steelyard.errors import SteelyardError
from steelyard.support.server_connection import BoundedProtocol

HOST = "127.0.0.1"
ENDPOINT = "/mcp"
MAX_BODY = 16 * 1024 * 1024  # bytes of a request
MAX_UPLOAD_SECONDS = 30  # seconds to receive one
MAX_CONNECTIONS = 32  # each may hold the largest body; all clients are on this machine
GRACE = 5  # seconds in which calls may end after the signal to stop


class _Protocol(BoundedProtocol):
    max_connections: ClassVar[int] = MAX_CONNECTIONS
    max_per_client: ClassVar[int] = MAX_CONNECTIONS


class _RequestFilter:
    """Filters requests before the SDK sees them: only readable messages that arrive in time pass."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        response: Response | None = None
        if scope["method"] == "GET":  # would open a stream on which nothing is ever sent
            response = PlainTextResponse("there is nothing to get; send messages with POST", 405, {"Allow": "POST"})
        elif scope["method"] == "POST":
            try:
                with anyio.fail_after(MAX_UPLOAD_SECONDS):
                    body = await _read_body(scope, receive)
            except TimeoutError:
                response = PlainTextResponse("the request did not arrive in time; send it again", 408)
            else:
                if len(body) > MAX_BODY:
                    response = PlainTextResponse(f"the request is over {MAX_BODY:,} bytes; send less", 413)
                elif isinstance(message := read_message(body), JSONRPCError):
                    answer = message.model_dump_json(by_alias=True, exclude_unset=True)
                    response = Response(answer, 400, media_type="application/json")
                else:
                    receive = _replay(message.encode(), receive)
        await (response or self._app)(scope, receive, send)


async def _read_body(scope: Scope, receive: Receive) -> bytes:
    """Return the body, or as much of it as is over the limit already."""
    declared = dict(scope["headers"]).get(b"content-length", b"0")
    if declared.isdigit() and int(declared[:20]) > MAX_BODY:
        return bytes(MAX_BODY + 1)
    body = bytearray()
    while len(body) <= MAX_BODY:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body", False):
            break
    return bytes(body)


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return what receives a body that was received already, and then whatever comes."""
    left: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_again() -> Message:
        return left.pop() if left else await receive()

    return receive_again


def serve_http(roots: Roots, port: int, announce: Callable[[str], None]) -> None:
    """Serve programs on this machine over HTTP until the process is interrupted; port 0 takes a free one.

    Raises:
        SteelyardError: The port cannot be used.
    """
    with bind(port) as listening:
        port = listening.getsockname()[1]
        names = [f"{host}:{port}" for host in (HOST, "localhost")]
        # Without this a web page could have its own name point here, and read the answers.
        security = TransportSecuritySettings(allowed_hosts=names, allowed_origins=[f"http://{name}" for name in names])
        app = build_server(roots).streamable_http_app(
            streamable_http_path=ENDPOINT,
            transport_security=security,
            max_request_body_size=MAX_BODY,
            stateless_http=True,
        )
        announce(f"http://{HOST}:{port}{ENDPOINT}")
        config = uvicorn.Config(
            _RequestFilter(app),
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=GRACE,
            ws="none",
            http=_Protocol,
        )
        uvicorn.Server(config).run(sockets=[listening])


def bind(port: int) -> socket.socket:
    """Open the socket before anything else, so that its port is known.

    Raises:
        SteelyardError: It cannot be used.
    """
    try:
        return socket.create_server((HOST, port))
    except OSError as error:
        reason = os.strerror(error.errno or 0).lower()
        raise SteelyardError(f"port {port} cannot be used ({reason}); choose another with --port") from error
