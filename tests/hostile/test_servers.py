"""Servers that lie, drip, flood and never end: every call is over at its deadline, within its limits, with a reason."""

from __future__ import annotations

import gzip
import json
import random
import socket
import ssl
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from typing import Any

import pytest

from steelyard.lab.outcome.engines import base
from steelyard.lab.outcome.engines.openai import OpenAI
from steelyard.lab.outcome.engines.response_parsing import token_count
from steelyard.lab.scorers.base import CRASHED, NOT_A_NUMBER, POINTS, Passage, ScorerFailed
from steelyard.lab.scorers.endpoint import EndpointScorer
from steelyard.support.http.client import MAX_HEADERS
from steelyard.support.http.json_client import NO_ANSWER, JsonClient, Limits
from steelyard.support.http.messages import TIMED_OUT, TOO_LARGE, UNPACKABLE, FetchError, Response
from tests.hostile.raw_server import Peer, Script, raw_server
from tests.lab.outcome.engines.chat import MODEL, QUESTION, completion

OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"transfer-encoding: chunked\r\n\r\n"
DEADLINE = 0.3
SLACK = 30  # a test that waits this many times the deadline has found a hang
MAX_MESSAGE = 400


def call(url: str, payload: Any = None, **limits: Any) -> Response:
    """Post once, without a second try."""
    settings = {"connect": 60.0, "total": DEADLINE, "retries": 0, "max_bytes": 100_000, **limits}
    return JsonClient(rng=random.Random(1), limits=Limits(**settings)).post(url, payload)


@contextmanager
def fails(kind: type[Exception], seconds: float) -> Iterator[pytest.ExceptionInfo[Any]]:
    """Expect an error in time, whose message is short and harmless."""
    started = time.monotonic()
    with pytest.raises(kind) as caught:
        yield caught
    assert time.monotonic() - started < SLACK * seconds
    message = str(caught.value)
    assert len(message) < MAX_MESSAGE
    assert message.isprintable()


def failure(script: Script, payload: Any = None, *, reads: bool = True, **limits: Any) -> FetchError:
    """Return the error of a call."""
    with raw_server(script, reads=reads) as server, fails(FetchError, limits.get("total", DEADLINE)) as caught:
        call(server.url, payload, **limits)
    error: FetchError = caught.value
    return error


def scorer_failure(script: Script) -> ScorerFailed:
    with raw_server(script) as server, EndpointScorer(server.url).open() as session, fails(ScorerFailed, 5.0) as caught:
        session.score(Passage("a"))
    error: ScorerFailed = caught.value
    assert len(error.detail) < MAX_MESSAGE
    assert error.detail.isprintable()
    return error


def engine_failure(script: Script, timeout: float = 5.0) -> base.EngineFailed:
    with (
        raw_server(script) as server,
        OpenAI(MODEL, f"{server.url}/v1", timeout=timeout).open() as session,
        fails(base.EngineFailed, timeout) as caught,
    ):
        session.ask(QUESTION)
    error: base.EngineFailed = caught.value
    return error


def first(head: bytes, then: Callable[[Peer], None]) -> Script:
    def script(peer: Peer) -> None:
        peer.send(head)
        then(peer)

    return script


def plain(body: bytes, *headers: bytes, status: bytes = b"200 OK") -> Script:
    """Send a well-formed answer and close."""
    lines = [b"HTTP/1.1 " + status, *headers, b"content-length: %d" % len(body), b"", body]
    return lambda peer: peer.send(b"\r\n".join(lines))


SLOW: dict[str, Script] = {
    "silence": lambda peer: peer.drip(b""),
    "status line, a byte at a time": lambda peer: peer.drip(b"H" * 100_000),
    "headers, a byte at a time": first(OK, lambda peer: peer.drip(b"x-a: b\r\n")),
    "one header, a byte at a time": first(OK + b"x-a: ", lambda peer: peer.drip(b"y")),
    "1xx answers, now and then": lambda peer: peer.drip(b"HTTP/1.1 100 Continue\r\n\r\n", gap=0.005),
    "body, a byte at a time": first(OK + b"content-length: 90000\r\n\r\n", lambda peer: peer.drip(b" ")),
    "body without a length": first(OK + b"\r\n", lambda peer: peer.drip(b" ")),
    "chunks of one byte": first(CHUNKED, lambda peer: peer.drip(b"1\r\n1\r\n", gap=0.005)),
    "a chunk extension": first(CHUNKED + b"1;", lambda peer: peer.drip(b"x")),
    "trailers": first(CHUNKED + b"1\r\n1\r\n0\r\n", lambda peer: peer.drip(b"x-a: b\r\n", gap=0.005)),
    "an announced body that never comes": first(OK + b"content-length: 5\r\n\r\n12", lambda peer: peer.drip(b"")),
}


@pytest.mark.parametrize("script", SLOW.values(), ids=list(SLOW))
def test_the_time_limit_is_a_deadline_for_the_whole_call(script: Script):
    assert failure(script).kind == TIMED_OUT


def test_a_server_that_does_not_read_the_request_or_reads_it_slowly_is_left_at_the_deadline():
    def sip(peer: Peer) -> None:
        while not peer.over.wait(0.02):
            peer.connection.recv(1000)

    for script in (SLOW["silence"], sip):
        # More than any socket buffer takes.
        assert failure(script, "x" * 20_000_000, reads=False, total=1.0).kind == TIMED_OUT


# Until there is a connection, either limit may pass first.
CONNECTING = pytest.mark.parametrize(
    ("limits", "reason"),
    [({"total": DEADLINE}, "no whole answer within"), ({"connect": DEADLINE, "total": 60.0}, "no connection within")],
)


@CONNECTING
def test_a_tls_handshake_that_drips_is_left_at_the_deadline(limits: dict[str, float], reason: str):
    # The header of a TLS record of 16,000 bytes, and then its bytes one by one.
    script = first(b"\x16\x03\x03\x3e\x80", lambda peer: peer.drip(b"\x02"))
    with raw_server(script, reads=False) as server, fails(FetchError, DEADLINE) as caught:
        call(server.url.replace("http://", "https://"), **limits)
    assert reason in str(caught.value)


@CONNECTING
def test_a_name_that_is_never_resolved_is_left_at_the_deadline(
    limits: dict[str, float], reason: str, monkeypatch: pytest.MonkeyPatch
):
    over = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: over.wait(30) and [])
    with fails(FetchError, DEADLINE) as caught:
        call("http://host.example/", **limits)
    over.set()
    assert reason in str(caught.value)


def fill_backlog(address: str, port: int, stack: ExitStack) -> None:
    """Let the kernel drop further connections to an address, as a firewall would."""
    full, waiting = (stack.enter_context(socket.socket()) for _ in range(2))
    full.bind((address, port))
    full.listen(0)
    waiting.connect(full.getsockname())


def test_many_addresses_share_the_time_to_connect(monkeypatch: pytest.MonkeyPatch):
    dead = [f"127.0.0.{number}" for number in range(2, 10)]

    def resolve(*addresses: str) -> None:
        infos = [(socket.AF_INET, socket.SOCK_STREAM, 0, "", (address, 0)) for address in addresses]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: infos)

    with raw_server(plain(b"1")) as server, ExitStack() as stack:
        port = int(server.url.rpartition(":")[2])
        try:
            for address in dead:
                fill_backlog(address, port, stack)
        except OSError:
            pytest.skip("this machine has no further addresses of its own")
        resolve(*dead[:2], "127.0.0.1")
        assert call(f"http://host.example:{port}/", total=3.0).body == b"1"
        resolve(*dead)
        for limits in ({"total": DEADLINE}, {"connect": DEADLINE, "total": 60.0}):
            with fails(FetchError, DEADLINE):
                call(f"http://host.example:{port}/", **limits)


FLOODS: dict[str, tuple[Script, str | None]] = {
    "status line": (lambda peer: peer.repeat(b"HTTP/1.1 200 " + b"x" * 10_000), None),
    "no line at all": (lambda peer: peer.repeat(b"\x00" * 10_000), None),
    "1xx answers": (lambda peer: peer.repeat(b"HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n" * 100), None),
    "headers": (first(OK, lambda peer: peer.repeat(b"x-a: b\r\n" * 1000)), None),
    "one header": (first(OK + b"x-a: ", lambda peer: peer.repeat(b"y" * 10_000)), None),
    "folded header": (first(OK + b"x-a: b\r\n", lambda peer: peer.repeat(b" more\r\n" * 1000)), None),
    "body": (first(OK + b"\r\n", lambda peer: peer.repeat(b"x" * 10_000)), TOO_LARGE),
    "chunks": (first(CHUNKED, lambda peer: peer.repeat(b"400\r\n" + b"x" * 1024 + b"\r\n")), TOO_LARGE),
    "a chunk extension": (first(CHUNKED + b"1;", lambda peer: peer.repeat(b"x" * 10_000)), None),
    "chunk extensions": (first(CHUNKED, lambda p: p.repeat(b"1;" + b"x" * 9000 + b"\r\n1\r\n")), TOO_LARGE),
    "trailers": (first(CHUNKED + b"0\r\n", lambda peer: peer.repeat(b"x-a: b\r\n" * 1000)), None),
}


@pytest.mark.parametrize(("script", "kind"), FLOODS.values(), ids=list(FLOODS))
def test_a_flood_ends_at_the_byte_limits_long_before_the_deadline(script: Script, kind: str | None):
    started = time.monotonic()
    error = failure(script, total=60.0)
    assert error.kind == kind if kind else error.kind in NO_ANSWER
    assert time.monotonic() - started < 20


def test_every_byte_that_arrives_counts_against_the_limit():
    sent = []

    def script(peer: Peer) -> None:
        peer.send(CHUNKED)
        for _ in range(100_000):  # ten megabytes of extensions around two hundred kilobytes
            peer.send(b"2;" + b"x" * 100 + b"\r\n11\r\n")
            sent.append(1)

    assert failure(script, total=60.0, max_bytes=150_000).kind == TOO_LARGE
    assert sum(sent) < 50_000  # what the two sockets hold is sent, but not read


def test_an_answer_of_two_hundred_headers_is_read_and_one_more_is_refused():
    headers = [b"x-%d: y" % n for n in range(MAX_HEADERS - 1)]
    with raw_server(plain(b"1", *headers)) as server:
        assert call(server.url, total=5).body == b"1"
    assert "over 200 headers" in str(failure(plain(b"1", *headers, b"x: y")))


BROKEN: dict[str, bytes] = {
    "a chunk size of no digits": CHUNKED + b"zz\r\n1\r\n0\r\n\r\n",
    "a negative chunk size": CHUNKED + b"-1\r\n1\r\n0\r\n\r\n",
    "a chunk size of 30 digits": CHUNKED + b"f" * 30 + b"\r\n1\r\n0\r\n\r\n",
    "a chunk that is longer than it says": CHUNKED + b"1\r\n12345\r\n0\r\n\r\n",
    "a length of no digits": OK + b"content-length: many\r\n\r\n1",
    "a negative length": OK + b"content-length: -1\r\n\r\n1",
    "a length of 5,000 digits": OK + b"content-length: " + b"9" * 5000 + b"\r\n\r\n1",
    "two lengths": OK + b"content-length: 1\r\ncontent-length: 2\r\n\r\n12",
    "a body shorter than its length": OK + b"content-length: 9\r\n\r\n1",
    "a coding of the transfer": OK + b"transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    "a line of 9,000 characters that is no header": OK + b"\x1b[31m no header " * 600 + b"\r\n\r\n1",
    "a status of four digits": b"HTTP/1.1 2000 OK\r\n\r\n1",
    "another protocol": b"SSH-2.0-OpenSSH_9.2\r\n",
    "nothing": b"",
}


@pytest.mark.parametrize("answer", BROKEN.values(), ids=list(BROKEN))
def test_an_answer_that_is_no_http_is_an_error_with_a_short_reason(answer: bytes):
    assert failure(lambda peer: peer.send(answer), total=5).kind in NO_ANSWER


def test_a_length_over_the_limit_is_refused_before_the_body():
    assert failure(plain(b"1", b"content-length: 999999999999"), total=5).kind in NO_ANSWER  # two lengths
    script = first(OK + b"content-length: 999999999999\r\n\r\n", lambda peer: peer.drip(b" "))
    assert failure(script, total=5).kind == TOO_LARGE


# Encodings


@cache
def nested_gzip() -> bytes:
    """Return less than a kilobyte that unpacks, twice, to 20 megabytes."""
    return gzip.compress(gzip.compress(bytes(20_000_000)))


def test_an_encoded_answer_is_refused_and_not_unpacked():
    body = nested_gzip()
    assert len(body) < 1000
    for encoding in (b"gzip", b"gzip, gzip", b"deflate", b"br", b"zstd", b"x" * 5000, b"identity, br"):
        tracemalloc.start()
        try:
            error = failure(plain(body, b"content-encoding: " + encoding), total=5)
            assert tracemalloc.get_traced_memory()[1] < 5_000_000, encoding[:20]
        finally:
            tracemalloc.stop()
        assert "encoded" in str(error)
        assert error.kind == UNPACKABLE
    assert scorer_failure(plain(body)).kind == NOT_A_NUMBER, "without a word it is a body like any other"


def test_nothing_but_identity_is_asked_for_and_it_is_no_encoding():
    seen: list[bytes] = []
    headers = [b"content-encoding: identity", b"content-encoding:", b"Content-Encoding: IDENTITY"]

    def script(peer: Peer) -> None:
        seen.append(peer.connection.recv(65536))
        plain(b"12", headers.pop())(peer)

    while headers:
        with raw_server(script, reads=False) as server:
            assert call(server.url, total=5).body == b"12"
        head = seen.pop().lower()
        assert b"accept-encoding: identity\r\n" in head
        assert head.count(b"accept-encoding") == 1


# Redirects, connections, cookies


def test_a_redirect_to_anywhere_else_is_refused_with_a_short_reason():
    for location in (
        b"file:///etc/passwd", b"//other.example/", b"http://[::1/", b"http://h:99999999/", b"gopher://h/", b"\xff\xfe",
        b"https://127.0.0.1/", b"http://\xe2\x80\xae.example/" + b"x" * 9000, b"data:,1", b"javascript:1",
        "http://a\u2100b@127.0.0.1/".encode(),
    ):  # fmt: skip
        error = failure(plain(b"", b"location: " + location, status=b"307 Moved"), total=5)
        assert "points to" in str(error), location[:40]


def test_redirects_and_tries_share_one_deadline():
    def script(peer: Peer) -> None:
        peer.over.wait(0.2)
        plain(b"", b"location: /again", b"retry-after: 0", status=b"307 Moved")(peer)

    assert failure(script, total=0.5, retries=50).kind == TIMED_OUT


def test_bytes_after_an_answer_never_become_the_next_answer():
    def script(peer: Peer) -> None:
        plain(b"1")(peer)
        plain(b"99")(peer)
        peer.over.wait(1)

    with raw_server(script) as server, EndpointScorer(server.url).open() as session:
        assert [session.score(Passage("a"))[POINTS] for _ in range(3)] == [1.0] * 3
        assert server.connections == 3


def test_cookies_are_neither_kept_nor_sent():
    seen: list[bytes] = []

    def script(peer: Peer) -> None:
        seen.append(peer.connection.recv(65536))
        plain(b"1", *(b"set-cookie: c%d=%s" % (n, b"x" * 500) for n in range(90)))(peer)

    with raw_server(script, reads=False) as server, EndpointScorer(server.url).open() as session:
        assert [session.score(Passage("a"))[POINTS] for _ in range(2)] == [1.0] * 2
    assert len(seen) == 2
    assert b"cookie" not in seen[1].lower()


def test_a_server_on_ipv6_is_reached():
    try:
        with raw_server(plain(b"1"), host="::1") as server:
            assert call(server.url, total=5).body == b"1"
    except OSError:
        pytest.skip("no IPv6 on this machine")


def test_what_is_no_encrypted_server_is_reported():
    with raw_server(plain(b"1"), reads=False) as server, fails(FetchError, 5) as caught:
        call(server.url.replace("http://", "https://"), total=5)  # plain HTTP on the port of HTTPS
    assert "TLS" in str(caught.value)
    assert caught.value.kind in NO_ANSWER
    assert ssl.HAS_SNI  # without it these names, which TLS cannot check, would not be looked at
    for url in ("https://.example/", f"https://{'x' * 300}/"):
        with pytest.raises(FetchError):
            call(url, total=5)


def test_a_date_of_nonsense_asks_for_no_wait():
    for value in (b"Mon, " * 5000, b"1" * 5000, b"0 ", b",", b"Fri, 31 Dec 9999 23:59:59 -9999", b"\xff" * 100):
        with raw_server(plain(b"{}", b"retry-after: " + value, status=b"503 Busy")) as server:
            assert call(server.url, total=5, retries=1).status == 503


# What the scorers and engines make of it


@pytest.mark.parametrize("name", ["headers, a byte at a time", "1xx answers, now and then", "trailers"])
def test_an_engine_is_left_at_the_time_limit(name: str):
    assert engine_failure(SLOW[name], DEADLINE).kind == base.TIMED_OUT


def test_parameters_that_are_refused_slowly_share_the_time_limit():
    names = iter(["temperature", "seed", "max_tokens"])

    def refuse(peer: Peer) -> None:
        peer.over.wait(0.4)
        plain(f"unsupported parameter: {next(names)}".encode(), status=b"400 Bad")(peer)

    assert engine_failure(refuse, 0.6).kind == base.TIMED_OUT


def test_an_engine_that_encodes_is_refused_by_name():
    failed = engine_failure(plain(nested_gzip(), b"content-encoding: gzip, gzip"))
    assert failed.kind == base.REFUSED
    assert "gzip" in failed.reason


JSON_BOMBS = {
    "deep arrays": b"[" * 50_000 + b"]" * 50_000,
    "deep objects": b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
    "a number of 50,000 digits": b'{"score": ' + b"9" * 50_000 + b"}",
    "a number of 4,000 digits": b'{"score": ' + b"9" * 4_000 + b"}",
    "an exponent of 4,000 digits": b'{"score": 1e' + b"9" * 4_000 + b"}",
    "not a number": b'{"score": NaN}',
    "infinity": b'{"score": -Infinity}',
    "a text of 50,000 characters": b'{"score": "' + b"9" * 50_000 + b'"}',
    "a surrogate": b'"\\ud800"',
    "zeros": b"\x00" * 60_000,
    "an error of 60,000 characters": b'{"error": {"message": "' + b"\\u001b" * 10_000 + b'"}}',
}


@pytest.mark.parametrize("body", JSON_BOMBS.values(), ids=list(JSON_BOMBS))
def test_a_body_that_is_no_answer_is_reported_in_a_few_words(body: bytes):
    for status in (b"200 OK", b"400 Bad"):
        assert engine_failure(plain(body, status=status)).kind in (base.MALFORMED, base.REFUSED, base.SERVER_ERROR)
        assert scorer_failure(plain(body, status=status)).kind in (NOT_A_NUMBER, CRASHED)


def ask(body: bytes) -> base.Answer:
    with raw_server(plain(body)) as server, OpenAI(MODEL, f"{server.url}/v1").open() as session:
        return session.ask(QUESTION)


def test_a_count_of_tokens_that_nobody_can_have_counted_is_none():
    for count in (int("9" * 4000), 10**10, -1, 1.5, float("nan"), "7" * 4000, [7], True):
        assert token_count(count) is None, str(count)[:20] if not isinstance(count, int) else "an integer"
    usage = json.dumps({"prompt_tokens": 7, "completion_tokens": 0}).replace("0", "9" * 4000)
    answer = ask(completion(usage=None).replace(b"null", usage.encode()))
    assert (answer.tokens_in, answer.tokens_out) == (7, None)


def test_names_from_the_server_are_cut():
    answer = ask(completion(model=MODEL + "-" + "y" * 100_000, finish="z" * 100_000))
    assert max(len(answer.model), len(answer.finish)) <= 100
