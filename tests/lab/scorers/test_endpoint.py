"""An HTTP endpoint as a scorer, against a real server on loopback."""

from __future__ import annotations

import socket
import threading
import time

from steelyard.lab.scorers.base import (
    CRASHED,
    NOT_A_NUMBER,
    OUT_OF_RANGE,
    POINTS,
    TIMED_OUT,
    Passage,
    Range,
    ScorerFailed,
)
from steelyard.lab.scorers.endpoint import EndpointScorer
from tests.lab.scorers.server import Answer, Handler, serving
from tests.lab.scorers.sessions import fail, score


def replies(body: bytes, status: int = 200) -> Answer:
    return lambda handler, _: handler.reply(status, body)


def failure(answer: Answer, timeout: float = 5.0) -> ScorerFailed:
    with serving(answer) as server:
        return fail(EndpointScorer(f"{server.url}/score", timeout=timeout))


def test_a_number_or_an_object_with_a_score_is_the_score():
    for body in (b"12.5", b' {"score": 12.5, "why": "x"} ', b"1.25e1"):
        with serving(replies(body)) as server:
            with EndpointScorer(f"{server.url}/score", range=Range(0, 50)).open() as session:
                assert session.score(Passage("é🙂", language="fr", title="Un titre")) == {POINTS: 25.0}, body
            path, headers, sent = server.seen[0]
        assert path == "/score"
        assert sent == {"text": "é🙂", "language": "fr", "title": "Un titre"}
        assert {k.lower(): v for k, v in headers.items()}["content-type"] == "application/json"


def test_a_megabyte_of_text_is_sent():
    with serving(replies(b"1")) as server:
        assert score(EndpointScorer(server.url), "né " * 350_000) == 1.0
        assert len(server.seen[0][2]["text"]) == 1_050_000


def test_every_other_answer_is_a_failure_that_says_what_was_seen():
    for body, kind, part in [
        (b"", NOT_A_NUMBER, "(an empty answer)"),
        (b"null", NOT_A_NUMBER, "null"),
        (b"true", NOT_A_NUMBER, "true"),
        (b'"12"', NOT_A_NUMBER, '"12"'),
        (b'{"points": 3}', NOT_A_NUMBER, '{"points": 3}'),
        (b'{"score": true}', NOT_A_NUMBER, '{"score": true}'),
        (b"[1]", NOT_A_NUMBER, "[1]"),
        (b"<html>\x1b[31m" + b"x" * 500, NOT_A_NUMBER, "<html>␛[31m"),
        (b"\xff\xfe", NOT_A_NUMBER, "neither"),
        (b"[" * 60_000, NOT_A_NUMBER, "neither"),
        (b"9" * 5_000, NOT_A_NUMBER, "neither"),
        (b"NaN", NOT_A_NUMBER, "nan"),
        (b"1e999", NOT_A_NUMBER, "inf"),
        (b"1" * 70_000, NOT_A_NUMBER, "over 65,536 bytes"),
        (b"100.5", OUT_OF_RANGE, "100.5"),
    ]:
        failed = failure(replies(body))
        assert failed.kind == kind, body[:20]
        assert part in failed.detail, body[:20]
        assert len(failed.detail) < 300, body[:20]


def test_a_refusal_is_a_crash_with_its_status():
    failed = failure(replies(b"not for you", 418))
    assert (failed.kind, failed.detail) == (CRASHED, "status 418: not for you")


def test_a_server_that_fails_twice_is_asked_again():
    def answer(handler: Handler, number: int) -> None:
        handler.reply(503 if number < 3 else 200, b"7")

    with serving(answer) as server:
        assert score(EndpointScorer(server.url)) == 7.0
        assert len(server.seen) == 3


def test_a_server_that_hangs_runs_out_of_time():
    over = threading.Event()

    def answer(handler: Handler, _: int) -> None:
        over.wait(60)

    started = time.monotonic()
    try:
        assert failure(answer, timeout=0.5).kind == TIMED_OUT
    finally:
        over.set()
    assert time.monotonic() - started < 30


def test_a_server_that_is_not_there_has_crashed():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/score"
    failed = fail(EndpointScorer(url, timeout=600))
    assert failed.kind == CRASHED
    assert "cannot be reached" in failed.detail


def test_the_password_and_the_key_in_an_address_are_never_shown():
    def echo(handler: Handler, _: int) -> None:
        handler.reply(403, f"bad key {handler.path} {handler.headers['authorization']}".encode())

    with serving(echo) as server:
        scorer = EndpointScorer(server.url.replace("://", "://me:hunter2secret@") + "/score?key=abcdef123456")
        failed = fail(scorer)
    shown = f"{scorer.name} {scorer!r} {failed} {failed.detail}"
    assert "status 403" in shown
    assert "hunter2secret" not in shown
    assert "abcdef123456" not in shown
