"""The only way in and out: checks of every request before the app sees it, and headers of every answer."""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import Awaitable, Callable

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from steelyard.support.server_connection import MAX_CONNECTIONS
from steelyard.web.access import check_host, check_origin
from steelyard.web.options import LOOPBACK
from steelyard.web.request_limits import BoundedBody, RateLimit
from steelyard.web.responses import HTTPError, make_busy_error
from steelyard.web.state import AppState
from steelyard.web.workers import WorkerFault

STATIC = "/static/"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
SECURITY_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    # Not no-referrer: with that, browsers send `Origin: null` with our own forms. Other sites get nothing either way.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}

_SENTENCES = {
    404: "there is nothing at this address",
    405: "this address does not take this method; the header Allow names those that it takes",
}

Explain = Callable[[Request, HTTPError], Awaitable[Response]]
_log = logging.getLogger("steelyard.web")


class Guard:
    """Checks requests before the app, bounds them, and adds the security headers to every answer."""

    def __init__(self, app: ASGIApp, state: AppState, explain: Explain) -> None:
        self._app, self._state, self._explain = app, state, explain
        self._options, self._access = state.options, state.access
        self._hosts = frozenset(name.lower() for name in (*LOOPBACK, *self._options.hosts))
        self._rate = RateLimit(self._options.rate)
        self._requests = 0  # that are worked on; those whose clients have gone hold their bodies as well

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request; nothing that goes wrong with it ends the server."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # there are no web sockets here
            await send({"type": "websocket.close", "code": 1008})
            return
        answer = _SecuredSend(send, is_static=scope["path"].startswith(STATIC))
        self._requests += 1
        try:
            scope["app"] = self  # so that the router raises what it finds wrong
            scope["steelyard"] = self._state
            async with asyncio.timeout(self._options.max_work_seconds + self._options.max_upload_seconds):
                await self._app(scope, self._admit(scope, receive), answer)
        except HTTPError as error:
            await self._send_error(scope, receive, answer, error)
        except HTTPException as error:  # an unknown address or method
            message = _SENTENCES.get(error.status_code, error.detail)
            await self._send_error(scope, receive, answer, HTTPError(error.status_code, message, error.headers))
        except TimeoutError:
            slow = HTTPError(503, "this took too long; send a shorter text, or try again later", {"Retry-After": "30"})
            await self._send_error(scope, receive, answer, slow)
        except ClientDisconnect:
            return  # nobody waits for an answer
        except Exception as error:  # noqa: BLE001 - a bug in one request must not end the server
            _log_fault(error)
            fault = HTTPError(500, f"unexpected {type(error).__name__}; this is a bug, please report what you did")
            await self._send_error(scope, receive, answer, fault)
        finally:
            self._requests -= 1

    def _admit(self, scope: Scope, receive: Receive) -> BoundedBody:
        if self._requests > MAX_CONNECTIONS:
            raise make_busy_error()
        headers = Headers(scope=scope)
        self._rate.take(scope["client"][0] if scope.get("client") else "")  # first: a refusal is an answer as well
        check_host(headers, self._hosts)
        check_origin(scope["method"], headers)
        self._access.check(scope["path"], headers)
        declared = headers.get("content-length")
        return BoundedBody(receive, declared, self._options.max_body, self._options.max_upload_seconds)

    async def _send_error(self, scope: Scope, receive: Receive, answer: _SecuredSend, error: HTTPError) -> None:
        if answer.is_started:  # too late to say anything; the connection is closed
            return
        try:
            response = await self._explain(Request(scope), error)
        except Exception as fault:  # noqa: BLE001 - a page about an error must not need another one
            _log_fault(fault)
            response = PlainTextResponse(error.message.encode("utf-8", "replace"), error.status)
        response.headers.update(error.headers)
        await response(scope, receive, answer)


class _SecuredSend:
    """Sends an answer with the security headers."""

    def __init__(self, send: Send, *, is_static: bool) -> None:
        self._send, self._is_static = send, is_static
        self.is_started = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.is_started = True
            headers = MutableHeaders(scope=message)
            for name, value in SECURITY_HEADERS.items():
                headers[name] = value
            if not self._is_static or message["status"] != 200:
                headers["Cache-Control"] = "no-store"
        await self._send(message)


def _log_fault(error: Exception) -> None:
    """Log where an unexpected error was raised, but not its message, which may quote a page."""
    if isinstance(error, WorkerFault):
        _log.error("unexpected %s; this is a bug", error)
        return
    frames = traceback.extract_tb(error.__traceback__)
    place = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else "?"
    _log.error("unexpected %s at %s; this is a bug", type(error).__name__, place)
