"""`steelyard serve` as a process: it starts, answers, and leaves nothing behind."""

from __future__ import annotations

import json
import signal
import socket
import time
import urllib.request
from pathlib import Path

import pytest

from tests.conftest import run_here
from tests.web.conftest import PAGE, TOKEN
from tests.web.running import start_server


def ask(url: str, body: object = None, **headers: str) -> tuple[int, bytes]:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json", **headers})  # noqa: S310
    with urllib.request.urlopen(request, timeout=600) as answer:  # noqa: S310
        return answer.status, answer.read()


def list_session(session: int) -> list[int]:
    """The processes of a session, zombies left out."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session and fields[0] != "Z":
            found.append(int(path.parent.name))
    return found


def wait_for_end(session: int) -> None:
    for _ in range(500):
        if not (left := list_session(session)):
            return
        time.sleep(0.1)
    raise AssertionError(f"still running: {left}")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_starts_answers_and_leaves_no_process(number: signal.Signals) -> None:
    with start_server() as (server, url):
        assert b"Score a page" in ask(url + "/")[1]
        assert b'"score":' in ask(url + "/api/score", {"text": PAGE})[1]
        assert ask(url + "/api/score", {"html": f"<h1>Tides</h1><p>{PAGE}</p>"})[0] == 200
        assert len(list_session(server.pid)) > 1  # the processes that score
        server.send_signal(number)
        assert server.wait(300) == 0
        wait_for_end(server.pid)
        assert server.stderr is not None
        assert server.stderr.read() == ""


def test_a_killed_server_leaves_no_process_that_scores() -> None:
    with start_server() as (server, url):
        ask(url + "/api/score", {"text": PAGE})
        server.kill()
        server.wait(300)
        wait_for_end(server.pid)


def test_logs_hold_no_text_no_token_and_no_address() -> None:
    with start_server(STEELYARD_TOKEN=TOKEN) as (server, url):
        secret = "a very secret sentence"
        allowed = {"Authorization": f"Bearer {TOKEN}"}
        assert ask(f"{url}/api/score", {"text": secret}, **allowed)[0] == 200
        with pytest.raises(urllib.error.HTTPError):
            ask(f"{url}/api/score?secret-query=1", {"text": secret})
        with socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2]))) as raw:
            raw.sendall(b"NOT HTTP secret\r\n\r\n")
            raw.recv(1000)
        server.send_signal(signal.SIGTERM)
        server.wait(300)
        assert server.stderr is not None
        log = server.stderr.read()
        assert "secret" not in log
        assert TOKEN not in log


def test_requests_sent_ahead_of_their_answers_are_not_all_answered() -> None:
    with start_server("--rate", "5") as (_, url):
        with socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2])), timeout=600) as raw:
            raw.sendall(b"GET /static/style.css HTTP/1.1\r\nHost: localhost\r\n\r\n" * 200)
            answer = b""
            try:
                while received := raw.recv(100_000):
                    answer += received
            except ConnectionResetError:  # what was sent and not read is lost, perhaps with the last answer
                pass
        assert answer.count(b" 200 OK\r\n") <= 20
        assert answer.count(b" 429 ") <= 1


def test_a_port_in_use_and_a_missing_token_are_explained(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("short\n")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        for arguments, message in (
            (("--port", str(taken.getsockname()[1])), "cannot be used"),
            (("--port", "0", "--host", "0.0.0.0"), "needs a token"),  # noqa: S104
            (("--port", "0", "--token-file", str(token)), "short"),
            (("--port", "0", "--token-file", str(tmp_path / "none")), "no such file"),
        ):
            done = run_here("serve", *arguments, STEELYARD_TOKEN="")
            assert (done.returncode, message in done.stderr) == (2, True), (arguments, done.stderr)
