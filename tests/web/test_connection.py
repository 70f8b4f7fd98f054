"""Connections that send nothing, or half a request."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator

import pytest
import uvicorn

from steelyard.web.connection import PunctualProtocol


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    async def app(scope, receive, send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})

    monkeypatch.setattr(PunctualProtocol, "seconds", 0.4)
    listening = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(app, http=PunctualProtocol, lifespan="off", log_level="error", timeout_keep_alive=60)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    yield listening.getsockname()[1]
    server.should_exit = True
    thread.join(20)


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nHost: a\r\nX-Slow"])
def test_a_connection_without_a_whole_request_is_closed(port: int, sent: bytes) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(sent)
        assert connection.recv(100) == b""


def test_a_kept_connection_may_be_idle_and_not_slow(port: int) -> None:
    request = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        for _ in range(2):
            connection.sendall(request)
            answer = b""
            while not answer.endswith(b"\r\n\r\nok"):
                answer += connection.recv(1000)
            time.sleep(0.8)  # idle, which has its own limit
        connection.sendall(request[:20])
        assert connection.recv(100) == b""
