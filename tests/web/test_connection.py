"""Connections whose clients send nothing, half a request, or never read: they end, and others are served meanwhile."""

from __future__ import annotations

import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
import uvicorn

from steelyard.support.server_connection import BoundedProtocol

LARGE = 400_000  # bytes, more than both ends keep for a client that does not read
PATIENCE = 200  # seconds: a thousand times what is configured here
GET = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
GET_LARGE = b"GET /large HTTP/1.1\r\nHost: a\r\n\r\n"
HOSTILE = {
    "silent": b"",
    "half a head": b"GET / HTTP/1.1\r\nHost: a\r\nX-Slow",
    "half a body": b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\na",
    "idle": GET,
    "never reads": GET_LARGE,
    "never reads and asks on": GET_LARGE * 50,
    "never reads and leaves": GET_LARGE.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"),
}


class Served(BoundedProtocol):
    """With deadlines that are short enough for a test."""

    head_seconds = 0.4
    read_seconds = 0.4


@pytest.fixture
def server() -> Iterator[uvicorn.Server]:
    """A server whose answer at /large does not fit where unread bytes are kept; /wait answers when it stops."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        while (message := await receive()).get("more_body"):
            pass
        while scope["path"] == "/wait" and message["type"] != "http.disconnect" and not found.should_exit:
            message = await receive()
        body = b"x" * LARGE if scope["path"] == "/large" else b"ok"
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(body))]})
        await send({"type": "http.response.body", "body": body})

    listening = socket.create_server(("127.0.0.1", 0), backlog=512)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 16_384)
    config = uvicorn.Config(app, http=Served, lifespan="off", log_level="error", timeout_keep_alive=60)
    config.port = listening.getsockname()[1]
    config.timeout_graceful_shutdown = 1
    found = uvicorn.Server(config)
    thread = threading.Thread(target=found.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    yield found
    found.should_exit = True
    thread.join(PATIENCE)


def connect(server: uvicorn.Server, sent: bytes = b"", address: str = "127.0.0.1") -> socket.socket:
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    connection.settimeout(PATIENCE)
    connection.bind((address, 0))
    connection.connect(("127.0.0.1", server.config.port))
    connection.sendall(sent)
    return connection


def ask(server: uvicorn.Server, request: bytes = GET, address: str = "127.0.0.1") -> bytes:
    """Return the whole answer to a request."""
    with connect(server, request.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"), address) as connection:
        answer = b""
        while received := connection.recv(100_000):
            answer += received
        return answer


def count(server: uvicorn.Server) -> int:
    return len(server.server_state.connections)


def wait(is_done: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not is_done():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.parametrize("kind", ["silent", "half a head"])
def test_a_connection_without_a_whole_request_is_closed(server: uvicorn.Server, kind: str) -> None:
    with connect(server, HOSTILE[kind]) as connection:
        assert connection.recv(100) == b""


def test_a_kept_connection_may_be_idle_and_not_slow(server: uvicorn.Server) -> None:
    with connect(server) as connection:
        for _ in range(2):
            connection.sendall(GET)
            answer = b""
            while not answer.endswith(b"\r\n\r\nok"):
                answer += connection.recv(1000)
            time.sleep(0.8)  # idle, which has its own limit
        connection.sendall(GET[:20])
        assert connection.recv(100) == b""


@pytest.mark.parametrize("kind", [kind for kind in HOSTILE if "reads" in kind])
def test_a_client_that_does_not_read_is_cut_off(server: uvicorn.Server, kind: str) -> None:
    with connect(server, HOSTILE[kind]):
        wait(lambda: count(server) == 1)
        wait(lambda: count(server) == 0)


def test_a_client_that_reads_one_byte_at_a_time_is_cut_off(server: uvicorn.Server) -> None:
    with connect(server, GET_LARGE) as connection:
        wait(lambda: count(server) == 1)
        connection.recv(1)
        time.sleep(0.2)
        connection.recv(1)
        wait(lambda: count(server) == 0)


def test_a_slow_client_that_goes_on_reading_gets_its_whole_answer(
    server: uvicorn.Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Served, "read_seconds", 2.0)
    with connect(server, GET_LARGE) as connection:
        started, received = time.monotonic(), 0
        while received < LARGE:
            received += len(connection.recv(4_000))
            time.sleep(0.025)
        assert time.monotonic() - started > 2.0


@pytest.mark.parametrize("kind", HOSTILE)
def test_three_hundred_hostile_connections_lock_nobody_out(server: uvicorn.Server, kind: str) -> None:
    with ExitStack() as stack:
        for _ in range(Served.max_connections):
            stack.enter_context(connect(server, HOSTILE[kind]))
            assert count(server) <= Served.max_connections
        assert ask(server).endswith(b"ok")
        assert len(ask(server, GET_LARGE)) > LARGE
        assert count(server) <= Served.max_connections
        time.sleep(2 * Served.read_seconds)
        assert ask(server).endswith(b"ok")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have one loopback address")
def test_one_client_leaves_room_for_others(server: uvicorn.Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Served, "max_per_client", 3)
    monkeypatch.setattr(Served, "max_connections", 5)
    work = b"GET /wait HTTP/1.1\r\nHost: a\r\n\r\n"
    with ExitStack() as stack:
        for number in range(1, 4):
            stack.enter_context(connect(server, work, "127.0.0.2"))
            wait(lambda number=number: count(server) == number)  # type: ignore[misc]
        time.sleep(0.2)  # all are at work, and none of them gives way
        assert b" 503 " in ask(server, address="127.0.0.2")
        assert ask(server, address="127.0.0.3").endswith(b"ok")
        for _ in range(4):  # these give way to each other
            stack.enter_context(connect(server, GET_LARGE, "127.0.0.4"))
        assert ask(server, address="127.0.0.3").endswith(b"ok")
        left = [c for c in server.server_state.connections if isinstance(c, Served) and c._name == "127.0.0.2"]
        assert len(left) == 3
