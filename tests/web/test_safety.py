"""What keeps strangers out: names, origins, tokens, limits, headers, and logs without secrets."""

from __future__ import annotations

import logging
import time

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from steelyard.errors import SteelyardError
from steelyard.web import scoring
from steelyard.web.app import HANDLERS
from steelyard.web.guard import SECURITY_HEADERS
from steelyard.web.options import ServeOptions
from steelyard.web.responses import HTTPError
from steelyard.web.server import check_exposure
from steelyard.web.workers import Processes
from tests.web.addresses import fill_address
from tests.web.conftest import BASE, PAGE, TOKEN

FORMS = sorted({path for method, path, _ in HANDLERS if method == "POST" and not path.startswith("/api/")})
PATHS = sorted({path for _, path, _ in HANDLERS} | {"/nothing", "/static/style.css"})


@pytest.mark.parametrize("path", PATHS)
def test_every_answer_has_the_security_headers(client, path: str) -> None:
    for method in ("GET", "POST", "OPTIONS", "TRACE"):
        found = client.request(method, fill_address(path))
        assert {name: found.headers[name] for name in SECURITY_HEADERS} == SECURITY_HEADERS, method
        assert "unsafe" not in found.headers["content-security-policy"]
        assert found.headers["cache-control"] == "no-store" or path.startswith("/static/")
        assert not {"access-control-allow-origin", "server"} & set(found.headers)
        assert "style=" not in found.text
        assert "onclick" not in found.text


def test_only_our_own_names_are_answered(client) -> None:
    for host in ("evil.example", "127.0.0.1.evil.example", "localhost@evil.example", "", "[::1", "10.0.0.1"):
        for path in ("/", "/api/sites", "/static/style.css"):
            assert client.get(path, headers={"Host": host}).status_code == 421, (host, path)
    for host in ("127.0.0.1", "localhost:8377", "LOCALHOST:1", "[::1]:8377"):
        assert client.get("/healthz", headers={"Host": host}).status_code == 200, host


def test_a_public_name_is_allowed_when_it_was_given(serve) -> None:
    client = serve(hosts=("Score.example",), token=TOKEN)
    assert client.get("/healthz", headers={"Host": "score.example"}).status_code == 200
    assert client.get("/healthz", headers={"Host": "other.example"}).status_code == 421


FOREIGN = [
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://127.0.0.1:9999"},
    {"Origin": "http://["},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
]


def test_other_origins_reach_neither_forms_nor_api(client, send) -> None:
    for headers in FOREIGN:
        assert send(client, "/", {"text": PAGE}, headers=headers).status_code == 403, headers
        assert client.post("/api/score", json={"text": PAGE}, headers=headers).status_code == 403, headers
        assert client.delete("/api/audits/1", headers=headers).status_code == 403, headers
    own = {"Origin": BASE, "Sec-Fetch-Site": "same-origin"}
    assert send(client, "/", {"text": PAGE}, headers=own).status_code == 200


@pytest.mark.parametrize("path", FORMS)
def test_every_form_needs_its_token(serve, path: str) -> None:
    client = serve()
    client.get("/")
    for token in ("", "0" * 64, "é"):
        assert client.post(fill_address(path), data={"csrf": token, "text": PAGE}).status_code == 403
    assert client.post(fill_address(path), content=b"{}", headers={"Content-Type": "text/plain"}).status_code == 415


def test_the_token_of_a_form_belongs_to_one_browser(serve, send) -> None:
    first = serve()
    text = first.get("/").text
    token = text.split('name="csrf" value="')[1].split('"')[0]
    first.cookies.clear()
    first.get("/")  # another browser, with a cookie of its own
    assert first.post("/", data={"csrf": token, "text": PAGE}).status_code == 403


def test_a_broken_form_is_refused(client, send) -> None:
    nameless = b"--x\r\nContent-Disposition: form-data\r\n\r\na\r\n--x--"
    for body in (b"", b"--x\r\n", nameless, b"\0" * 100, b"--x\r\n\r\n" * 50):
        for kind in ("multipart/form-data; boundary=x", "multipart/form-data"):
            found = client.post("/", content=body, headers={"Content-Type": kind})
            assert found.status_code in (400, 403), (body, kind)
    assert send(client, "/", {f"f{n}": "a" for n in range(50)}).status_code == 400


@pytest.mark.parametrize("path", ["/healthz", "/static/style.css"])
def test_a_client_that_asks_too_often_waits(serve, path: str) -> None:
    unchanged = {"If-None-Match": "*", "If-Modified-Since": "Wed, 01 Jan 2031 00:00:00 GMT"}
    for method, headers in (
        ("GET", {}), ("HEAD", {}), ("OPTIONS", {}), ("GET", {"Range": "bytes=0-0"}), ("GET", unchanged),
        ("GET", {"Host": "evil.example"}),
    ):  # fmt: skip
        client = serve(rate=1)
        answers = [client.request(method, path, headers=headers) for _ in range(6)]
        assert 429 not in [answer.status_code for answer in answers[:3]], (method, headers)
        late = answers[-1]
        assert late.status_code == 429, (method, headers)
        assert int(late.headers["retry-after"]) >= 1
        assert late.headers["connection"] == "close"  # requests sent ahead of their answers would all be worked on


def test_requests_of_clients_that_have_gone_are_bounded(serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("steelyard.web.guard.MAX_CONNECTIONS", 0)
    answer = serve().get("/healthz")
    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "1"


def test_a_server_with_a_token_lets_nobody_in_without_it(serve) -> None:
    client = serve(token=TOKEN)
    for path in PATHS:
        if path in ("/login", "/healthz") or path.startswith("/static/"):
            continue
        found = client.get(fill_address(path), follow_redirects=False)
        assert found.status_code == (401 if path.startswith("/api/") else 303), path
        assert client.post(fill_address(path), data={"a": "b"}, follow_redirects=False).status_code == 401
    wrong = [
        {"Authorization": f"Bearer {TOKEN}x"},
        {"Authorization": f"Basic {TOKEN}"},
        {"Cookie": f"steelyard_session={TOKEN}"},
    ]
    for headers in (*wrong, {"Authorization": "Bearer é".encode()}):
        assert client.get("/api/audits", headers=headers).status_code == 401
    right = {"Authorization": f"Bearer {TOKEN}"}
    assert client.get("/api/audits", headers=right).status_code == 200
    assert client.get("/api/openapi.json", headers=right).json()["security"] == [{"token": []}]


def test_logging_in_sets_a_cookie_that_no_script_and_no_other_site_gets(serve, send) -> None:
    client = serve(token=TOKEN)
    assert send(client, "/login", {"token": "wrong"}, page="/login").status_code == 401
    found = send(client, "/login", {"token": TOKEN}, page="/login", follow_redirects=False)
    assert found.status_code == 303
    cookie = found.headers["set-cookie"]
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(cookie.split("; "))
    assert TOKEN not in cookie
    assert client.get("/").status_code == 200
    out = send(client, "/logout", {}, follow_redirects=False)
    assert out.status_code == 303
    assert client.get("/api/audits").status_code == 401


def test_the_token_and_cookie_of_one_server_are_nothing_to_another(serve, send) -> None:
    first, second = serve(token=TOKEN), serve(token=TOKEN)
    send(first, "/login", {"token": TOKEN}, page="/login")
    second.cookies.update(dict(first.cookies))
    assert second.get("/api/audits").status_code == 401


def test_a_server_that_others_reach_needs_a_token() -> None:
    everywhere, without, long = "0.0.0.0", ServeOptions(), ServeOptions(token=TOKEN)  # noqa: S104
    behind_proxy = ServeOptions(hosts=("score.example",), behind_proxy=True)
    for host, options in (
        (everywhere, without), ("192.168.1.5", without), ("example.org", without),
        (everywhere, ServeOptions(token="x" * 5)), ("127.0.0.1", behind_proxy),
    ):  # fmt: skip
        with pytest.raises(SteelyardError, match="token"):
            check_exposure(options, host)
    for host, options in (("127.0.0.1", without), ("::1", without), ("localhost", without), (everywhere, long)):
        check_exposure(options, host)


def sleep_long(*_: object) -> None:
    time.sleep(600)


def end_process(*_: object) -> None:
    import os

    os._exit(3)


def test_work_that_takes_too_long_is_killed_and_others_go_on() -> None:
    processes = Processes(1.0)
    try:
        with pytest.raises(HTTPError, match="took over 1 s"):
            processes.call(sleep_long)
        processes._children._seconds = 60  # on a busy machine a second is not enough for anything
        with pytest.raises(HTTPError, match="died"):
            processes.call(end_process)
        assert processes.call(len, "abc") == 3
    finally:
        processes.close()


def test_an_unexpected_error_is_logged_without_the_text_of_the_page(serve, monkeypatch, caplog) -> None:
    client = serve()

    async def fail(*_: object) -> bytes:
        raise ValueError("a secret sentence of the page")

    monkeypatch.setattr(scoring.Scorer, "write_document", fail)
    with caplog.at_level(logging.DEBUG):
        found = client.post("/api/score", json={"text": "a secret sentence of the page"})
    assert found.status_code == 500
    assert "unexpected ValueError" in found.json()["error"]
    assert "secret" not in found.text + caplog.text
    assert "unexpected ValueError at" in caplog.text


def test_requests_beyond_the_queue_are_told_to_come_back(serve) -> None:
    client = serve(processes=1, waiting=-1)
    found = client.post("/api/score", json={"text": PAGE})
    assert found.status_code == 503
    assert found.headers["retry-after"] == "1"


def test_websockets_are_closed(client: TestClient) -> None:
    with pytest.raises(WebSocketDisconnect) as closed, client.websocket_connect("/"):
        pass
    assert closed.value.code == 1008
