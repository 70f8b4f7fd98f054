"""The JSON client against a real server on loopback: limits, retries, redirects, secrets."""

from __future__ import annotations

import asyncio
import random
import socket
import ssl
import sys
import threading
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from steelyard.errors import MissingExtra, SteelyardError
from steelyard.support.http.client import load_certificates
from steelyard.support.http.json_client import JsonClient, Limits
from steelyard.support.http.messages import (
    NOT_SENT,
    REDIRECTED,
    TIMED_OUT,
    UNREACHABLE,
    FetchError,
    Response,
)
from steelyard.support.http.retrying import read_retry_after
from steelyard.support.redaction import find_url_secrets, redact, strip_credentials
from tests.lab.scorers.server import Answer, Handler, serving

KEY = "sk-very/secret+key=="


@pytest.fixture(autouse=True)
def waits(retry_waits: list[float]) -> list[float]:
    """No waiting between the tries."""
    return retry_waits


def client(limits: Limits | None = None, *, seed: int = 7, headers: dict[str, str] | None = None) -> JsonClient:
    return JsonClient(rng=random.Random(seed), limits=limits or Limits(connect=2, total=20), headers=headers)


def failure(url: str, limits: Limits | None = None, *, match: str, headers: dict[str, str] | None = None) -> str:
    """Return the kind of a failure whose message matches."""
    with pytest.raises(FetchError, match=match) as caught:
        client(limits, headers=headers).post(url, {})
    return caught.value.kind


def statuses(*codes: int, **headers: str) -> Answer:
    """The statuses one after the other, the last for ever."""
    return lambda handler, n: handler.reply(codes[min(n, len(codes)) - 1], b"{}", **headers)


def test_an_answer_carries_status_body_and_headers_and_a_refusal_is_not_tried_again():
    def answer(handler: Handler, _: int) -> None:
        handler.reply(200, "é".encode(), X_Trial="yes")

    with serving(answer) as server:
        response = client().post(server.url, {"a": ["é", 1]})
        assert server.seen[0][2] == {"a": ["é", 1]}
    assert (response.status, response.body, response.headers["x-trial"]) == (200, "é".encode(), "yes")
    assert response.ok
    assert response.attempts == 1
    with serving(statuses(404)) as server:
        response = client().post(server.url, {})
        assert (response.status, response.ok, response.attempts, len(server.seen)) == (404, False, 1, 1)


def test_a_thread_that_runs_an_event_loop_can_post_too():
    async def post() -> Response:
        return client().post(server.url, {})

    with serving(statuses(200)) as server:
        assert asyncio.run(post()).ok


def test_a_busy_or_broken_server_is_asked_again_and_its_last_answer_returned_as_it_is(waits: list[float]):
    for status in (429, 500, 502, 503, 504):
        with serving(statuses(status, status, 200)) as server:
            response = client().post(server.url, {})
            assert (response.status, response.attempts, len(server.seen)) == (200, 3, 3), status
    assert len(waits) == 10
    with serving(statuses(503)) as server:
        response = client(Limits(retries=2)).post(server.url, {})
        assert (response.status, response.body, response.attempts) == (503, b"{}", 3)
        assert (len(server.seen), len(waits)) == (3, 12)


def test_the_waits_double_up_to_a_bound_with_a_jitter_that_the_seed_decides(waits: list[float]):
    limits = Limits(retries=6, first_wait=1.0, max_wait=8.0, total=1000)
    with serving(statuses(500)) as server:
        for seed in (1, 1, 2):
            client(limits, seed=seed).post(server.url, {})
    first, again, other = waits[:6], waits[6:12], waits[12:]
    for wait, most in zip(first, [1, 2, 4, 8, 8, 8], strict=True):
        assert most / 2 <= wait <= most
    assert first == again
    assert first != other


def test_retry_after_is_honoured_within_bounds(waits: list[float]):
    for asked, expected in (("3", 3.0), ("86400", 30.0), ("9" * 400, 30.0)):
        with serving(statuses(429, 200, Retry_After=asked)) as server:
            assert client(Limits(total=100)).post(server.url, {}).attempts == 2
        assert waits.pop() == expected, asked[:9]
    with serving(statuses(429, 200, Retry_After="0")) as server:
        client(Limits(first_wait=4.0)).post(server.url, {})
    assert 2.0 <= waits.pop() <= 4.0, "it makes no wait shorter"
    with serving(statuses(429, Retry_After="20")) as server:
        assert client(Limits(total=5)).post(server.url, {}).status == 429
    assert waits == [], "no wait goes beyond the deadline"


def test_retry_after_may_be_a_date_and_nonsense_is_ignored():
    soon = datetime.now(UTC) + timedelta(seconds=20)
    for text in (format_datetime(soon, usegmt=True), format_datetime(soon.replace(tzinfo=None))):
        assert read_retry_after(text) == pytest.approx(20, abs=3)
    assert read_retry_after("Wed, 21 Oct 2015 07:28:00 GMT") == 0.0
    assert [read_retry_after(v) for v in ("", "soon", "-5", "1.5", "Wed, 99 Oct 2015")] == [0.0] * 5


def free_address() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}/"


def test_a_server_that_is_not_there_is_tried_again_and_then_reported(waits: list[float]):
    assert failure(free_address(), Limits(retries=2), match=r"cannot be reached \(connection refused\)") == UNREACHABLE
    assert len(waits) == 2


def test_a_connection_that_is_cut_before_an_answer_is_tried_again():
    def answer(handler: Handler, number: int) -> None:
        if number == 1:
            handler.connection.shutdown(socket.SHUT_RDWR)
            handler.close_connection = True
        else:
            handler.reply(200, b"1")

    with serving(answer) as server:
        assert client().post(server.url, {}).attempts == 2


def test_a_server_that_says_nothing_is_dropped_at_the_limit_and_not_asked_twice():
    over = threading.Event()

    def answer(handler: Handler, _: int) -> None:
        over.wait(60)

    started = time.monotonic()
    with serving(answer) as server:
        assert failure(server.url, Limits(total=0.3), match=r"0\.3 s") == TIMED_OUT
        assert len(server.seen) == 1
        over.set()
    assert time.monotonic() - started < 30


def test_a_redirect_to_another_host_is_reported_and_not_followed():
    with serving(statuses(200)) as other, serving(statuses(307, Location=other.url + "/steal?x=1")) as server:
        key = {"Authorization": f"Bearer {KEY}"}
        assert failure(server.url, match=f"points to {other.url}/steal;", headers=key) == REDIRECTED
        assert other.seen == []


def test_a_redirect_on_the_same_origin_is_followed_when_it_keeps_the_method_and_up_to_a_limit():
    for status in (307, 308, 301, 302, 303):

        def answer(handler: Handler, _: int, status: int = status) -> None:
            if handler.path == "/new":
                handler.reply(200, b"1")
            else:
                handler.reply(status, Location="/new")

        with serving(answer) as server:
            if status in (307, 308):
                assert client().post(server.url + "/old", {"a": 1}).ok
                assert [(path, sent) for path, _, sent in server.seen] == [("/old", {"a": 1}), ("/new", {"a": 1})]
            else:
                assert failure(server.url + "/old", match="points to") == REDIRECTED
    with serving(statuses(307, Location="/again")) as server:
        assert failure(server.url, match="points to") == REDIRECTED
        assert len(server.seen) == 4


def test_a_bad_address_is_reported_without_a_try(waits: list[float]):
    for url in (
        "",
        "host",
        "ftp://host.example/",
        "http://",
        "http://[::1",
        "http://h:x/",
        "http://a b/",
        "http://a\0b/",
    ):
        assert failure(url, match="not an address") == NOT_SENT
    assert waits == []


def test_an_address_is_sent_in_ascii_and_its_password_as_a_header():
    with serving(statuses(200)) as server:
        url = server.url.replace("http://", "http://m%65:p%40ss@") + "/é%20 ü?q=ö&r=%C3%B6#part"
        assert client(headers={"Authorization": f"Bearer {KEY}"}).post(url, {}).ok
        path, headers, _ = server.seen[0]
    assert path == "/%C3%A9%20%20%C3%BC?q=%C3%B6&r=%C3%B6"
    assert {name.lower(): value for name, value in headers.items()}["authorization"] == "Basic bWU6cEBzcw=="


def test_the_environment_sets_no_proxy(monkeypatch: pytest.MonkeyPatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with serving(statuses(200)) as server:
        assert client().post(server.url, {}).ok


def test_certificates_are_verified_against_the_name(encrypted_site: tuple[str, object], waits: list[float]):
    context = load_certificates()
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.check_hostname
    assert failure(encrypted_site[0], match="certificate is not valid .*self-signed") == UNREACHABLE
    assert waits == []


def test_a_secret_is_sent_as_a_header_and_never_shown():
    for status in (200, 401, 500):

        def echo(handler: Handler, _: int, status: int = status) -> None:
            handler.reply(status, f"your key {handler.headers['authorization']}".encode())

        with serving(echo) as server:
            http = client(headers={"Authorization": f"Bearer {KEY}"})
            response = http.post(server.url, {})
            assert KEY.encode() in response.body
            assert KEY not in http.redact(response.body.decode())
            assert KEY not in repr(http)


def test_no_error_text_holds_a_secret_however_it_came_there():
    secret = "abcdef123456/+"
    location = f"https://other.example/{secret}"
    with serving(statuses(302, Location=location)) as server:
        places = [server.url, free_address() + secret, f"ftp://host.example/{secret}", f"http://[{secret}"]
        for url in [*places, f"http://{secret[:12]}.invalid/"]:
            with pytest.raises(SteelyardError) as caught:
                JsonClient(rng=random.Random(1), secrets=(secret, secret[:12])).post(url, {})
            assert "abcdef123456" not in str(caught.value)
            assert caught.value.__cause__ is caught.value.__context__ is None


def test_redaction_finds_a_secret_in_an_address_and_the_longer_of_two_first():
    assert redact("a b/c?k=x%2Fy", ("x/y",)) == "a b/c?k=[secret]"
    assert redact("keykey2 key", ("key", "keykey2", "")) == "[secret] [secret]"


def test_an_address_is_shown_without_user_password_query_and_fragment():
    url = "https://me:hunter2@host.example:8443/path?key=abcdefgh1234&n=5#part"
    assert strip_credentials(url) == "https://host.example:8443/path"
    assert strip_credentials("http://[::1]:80/a") == "http://[::1]:80/a"
    assert find_url_secrets(url) == ("hunter2", "bWU6aHVudGVyMg==", "abcdefgh1234")
    assert find_url_secrets("http://me:p%40ss@host/") == ("p%40ss", "p@ss", "bWU6cEBzcw==")


def test_without_httpcore_the_extra_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delitem(sys.modules, "steelyard.support.http.client")
    monkeypatch.delattr("steelyard.support.http.client")
    monkeypatch.setitem(sys.modules, "httpcore", None)
    with pytest.raises(MissingExtra, match=r"steelyard\[lab\]"):
        client()
