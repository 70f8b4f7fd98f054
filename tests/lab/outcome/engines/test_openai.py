"""A served model against real servers on loopback, most of which misbehave."""

from __future__ import annotations

import json
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from steelyard.errors import SteelyardError
from steelyard.lab.outcome.engines.base import (
    DROPPED,
    MALFORMED,
    RATE_LIMITED,
    REFUSED,
    SERVER_ERROR,
    TIMED_OUT,
    TOO_LARGE,
    WRONG_MODEL,
    EngineFailed,
)
from steelyard.lab.outcome.engines.openai import KEY_VARIABLE, MAX_RETRIES, OpenAI, RateLimit
from steelyard.lab.outcome.engines.prompt import VERSION, build_messages
from tests.lab.outcome.engines.chat import MODEL, QUESTION, TEXT, Waits, completion, engine, in_turn, replies
from tests.lab.scorers.server import Answer, Handler, serving


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch, retry_waits: list[float]) -> None:
    """No key, and no waiting between the tries of a call."""
    monkeypatch.delenv(KEY_VARIABLE, raising=False)


def failure(answer: Answer, **settings: Any) -> EngineFailed:
    with serving(answer) as server, engine(server, **settings).open() as session:
        with pytest.raises(EngineFailed) as caught:
            session.ask(QUESTION)
        assert server.seen
    assert len(str(caught.value).splitlines()) == 1
    assert len(str(caught.value)) < 400
    assert caught.value.__cause__ is None
    return caught.value


# Asking


def test_an_answer_carries_text_model_tokens_and_time():
    with serving(replies(completion())) as server, engine(server).open() as session:
        answer = session.ask(QUESTION)
        path, headers, sent = server.seen[0]
    assert (answer.text, answer.model, answer.finish, answer.attempts) == (TEXT, MODEL, "stop", 1)
    assert (answer.tokens_in, answer.tokens_out) == (50, 9)
    assert path == "/v1/chat/completions"
    assert sent == {
        "model": MODEL,
        "messages": build_messages(QUESTION),
        "max_tokens": 500,
        "temperature": 0,
        "seed": 1,
    }
    assert "authorization" not in {name.lower() for name in headers}


def test_the_key_comes_from_the_variable_that_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MY_KEY", " sk-mine\n")
    with serving(replies(completion())) as server, engine(server, key_variable="MY_KEY").open() as session:
        session.ask(QUESTION)
        headers = {name.lower(): value for name, value in server.seen[0][1].items()}
    assert headers["authorization"] == "Bearer sk-mine"


def test_a_temperature_is_sent():
    with serving(replies(completion())) as server, engine(server, temperature=0.7).open() as session:
        session.ask(QUESTION)
    assert server.seen[0][2]["temperature"] == 0.7


def test_no_seed_is_sent_when_none_is_wanted_and_a_query_in_the_address_stays():
    with serving(replies(completion())) as server:
        with engine(server.url + "/v1/?api-version=2", seed=None).open() as session:
            session.ask(QUESTION)
        path, _, sent = server.seen[0]
    assert path == "/v1/chat/completions?api-version=2"
    assert "seed" not in sent


def test_identity_is_json_and_holds_what_decides_an_answer():
    one = OpenAI(MODEL, "https://me:hunter2secret@host.example/v1?key=abcdefgh1234")
    assert json.loads(json.dumps(one.identity)) == one.identity
    assert one.identity["prompt"] == VERSION
    assert one.identity["base"] == "https://host.example/v1"
    others = [OpenAI("other", one.base), OpenAI(MODEL, one.base, seed=2), OpenAI(MODEL, one.base, max_tokens=9)]
    others.append(OpenAI(MODEL, one.base, temperature=0.7))
    assert all(other.identity != one.identity for other in others)
    assert OpenAI(MODEL, one.base, timeout=9, rate=3, parallel=1).identity == one.identity
    assert (one.name, one.kind, one.paid) == (MODEL, "served model", True)
    assert not OpenAI(MODEL, "http://localhost:8000/v1").paid


@pytest.mark.parametrize("base", ["", "host", "ftp://host.example", "http://", "https:///v1", "http://[::1"])
def test_what_is_no_address_is_told_before_any_call(base: str):
    with pytest.raises(SteelyardError, match=r"names no server"):
        OpenAI(MODEL, base)


# Forms of an answer that are well


@pytest.mark.parametrize(
    "body",
    [
        completion([{"type": "text", "text": "It rises for "}, {"type": "text", "text": "twelve hours [1]."}]),
        completion([{"type": "thinking", "thinking": "hm"}, TEXT, None, {"text": 5}]),
        completion(message={"reasoning_content": "let me see [2]", "reasoning": "x", "refusal": None}),
        completion(usage=None),
        completion(model=None),
        completion(model=""),
        completion(model=f"{MODEL}-2026-07-01"),
        completion(finish=None),
        completion(finish=7, message={"refusal": ""}),
    ],
)
def test_servers_differ_and_the_text_is_the_same(body: bytes):
    with serving(replies(body)) as server, engine(server).open() as session:
        answer = session.ask(QUESTION)
    assert (answer.text, answer.finish) == (TEXT, "stop")
    assert answer.model in ("", MODEL, f"{MODEL}-2026-07-01")


def test_an_answer_may_be_cut_and_can_always_be_written_to_a_file():
    for content, text in (("No citation he", "No citation he"), ("half \ud83d a smile", "half \ufffd a smile")):
        with (
            serving(replies(completion(content, finish="length", usage=[]))) as server,
            engine(server).open() as session,
        ):
            answer = session.ask(QUESTION)
        assert (answer.text, answer.finish, answer.tokens_in, answer.tokens_out) == (text, "length", None, None)


# Forms that are not


@pytest.mark.parametrize(
    ("body", "kind", "part"),
    [
        (b"", MALFORMED, "(nothing)"),
        (b"<html><h1>\x1b[31mBad gateway</h1>" + b"x" * 9999, MALFORMED, "<html><h1>␛[31mBad gateway"),
        (b'{"choices": [{"mess', MALFORMED, '{"choices": [{"mess'),
        (b"[" * 100_000, MALFORMED, "[[["),
        (b"9" * 10_000, MALFORMED, "999"),
        (b"\xff\xfe\x00", MALFORMED, "not an object of JSON"),
        (b"null", MALFORMED, "null"),
        (b"{}", MALFORMED, "no choice with a message: {}"),
        (completion(choices=[]), MALFORMED, "no choice"),
        (completion(choices=None), MALFORMED, "no choice"),
        (completion(choices=[7]), MALFORMED, "no choice"),
        (completion(choices=[{"message": "text"}]), MALFORMED, "no choice"),
        (completion(None), MALFORMED, "without text"),
        (completion(" \n"), MALFORMED, "without text"),
        (completion([]), MALFORMED, "without text"),
        (completion({"text": 5}), MALFORMED, "without text"),
        (completion("", finish="length"), MALFORMED, "cut before its first word"),
        (completion(None, finish="content_filter"), REFUSED, "filter withheld"),
        (completion(None, message={"refusal": "I cannot\nhelp."}), REFUSED, "the model declined: I cannot help."),
        (completion(model="other-model"), WRONG_MODEL, f"asked for {MODEL}, answered by other-model"),
        (completion(model=MODEL + "5"), WRONG_MODEL, f"answered by {MODEL}5"),
        (b'{"error": {"message": "overloaded"}}', SERVER_ERROR, "overloaded"),
    ],
)  # fmt: skip
def test_every_other_form_is_a_failure_that_says_what_was_seen(body: bytes, kind: str, part: str):
    failed = failure(replies(body))
    assert failed.kind == kind
    assert part in failed.reason


# Statuses


@pytest.mark.parametrize(
    ("status", "kind", "part"),
    [
        (400, REFUSED, "status 400: too long"),
        (404, REFUSED, "ends in /v1"),
        (413, REFUSED, "status 413: too long"),
        (429, RATE_LIMITED, f"after {MAX_RETRIES + 1} tries"),
        (500, SERVER_ERROR, f"after {MAX_RETRIES + 1} tries"),
        (503, SERVER_ERROR, "too long"),
    ],
)
def test_a_status_has_its_kind(status: int, kind: str, part: str):
    failed = failure(replies(b'{"error": {"message": "too long"}}', status), timeout=60.0)
    assert failed.kind == kind
    assert part in failed.reason


@pytest.mark.parametrize("status", [401, 403])
def test_a_server_that_wants_a_key_is_explained_kindly(status: int, monkeypatch: pytest.MonkeyPatch):
    failed = failure(replies(b"no", status))
    assert failed.kind == REFUSED
    assert f"{KEY_VARIABLE} is not set" in failed.reason
    monkeypatch.setenv(KEY_VARIABLE, "sk-something-0123456789")
    assert KEY_VARIABLE in failure(replies(b"no", 401)).reason
    assert failure(replies(b"not in your country", 403)).reason == "status 403: not in your country"


def test_a_busy_server_is_asked_again_when_it_says(retry_waits: list[float]):
    answer = in_turn((429, b"{}"), (200, completion()), Retry_After="7")
    with serving(answer) as server, engine(server, timeout=60.0).open() as session:
        assert session.ask(QUESTION).attempts == 2
    assert retry_waits == [7.0]


def test_a_broken_server_is_asked_again_with_growing_waits(retry_waits: list[float]):
    answer = in_turn((500, b""), (502, b""), (503, b""), (200, completion()))
    with serving(answer) as server, engine(server, timeout=60.0).open() as session:
        assert session.ask(QUESTION).attempts == 4
    for wait, most in zip(retry_waits, [1, 2, 4], strict=True):
        assert most / 2 <= wait <= most


# Parameters that a server does not take


def refuses(*names: str, status: int = 400, form: str = "Unsupported parameter: '{}'") -> Answer:
    def answer(handler: Handler, number: int) -> None:
        sent = handler.server.seen[number - 1][2]
        wrong = next((name for name in names if name in sent), None)
        if wrong:
            handler.reply(status, json.dumps({"error": {"message": form.format(wrong)}}).encode())
        else:
            handler.reply(200, completion())

    return answer


@pytest.mark.parametrize("name", ["temperature", "seed", "max_tokens"])
@pytest.mark.parametrize(
    ("status", "form"), [(400, "Unsupported value: '{}' cannot be 0"), (422, "body.{}: Extra inputs are not permitted")]
)
def test_a_parameter_that_is_refused_is_left_out_for_the_session(name: str, status: int, form: str):
    with serving(refuses(name, status=status, form=form)) as server, engine(server).open() as session:
        assert [session.ask(QUESTION).attempts for _ in range(3)] == [2, 1, 1]
        assert session.dropped == {name}
        asked = [sent for _, _, sent in server.seen]
    assert [name in sent for sent in asked] == [True, False, False, False]
    assert asked[-1].get("max_completion_tokens") == (500 if name == "max_tokens" else None)


def test_all_of_them_may_be_refused_one_after_the_other():
    with serving(refuses("temperature", "seed", "max_tokens")) as server, engine(server).open() as session:
        assert session.ask(QUESTION).attempts == 4
        assert session.ask(QUESTION).attempts == 1
        assert set(server.seen[-1][2]) == {"model", "messages", "max_completion_tokens"}


@pytest.mark.parametrize(
    "body",
    [
        b'{"error": {"message": "Unsupported parameter", "param": "messages", "code": "seed temperature"}}',
        b'{"error": {"message": "the maximum context is 8 tokens; max_tokens is too large"}}',
    ],
)
def test_another_complaint_is_not_taken_for_one_about_a_parameter(body: bytes):
    with serving(replies(body, 400)) as server, engine(server).open() as session:
        with pytest.raises(EngineFailed):
            session.ask(QUESTION)
        assert len(server.seen) == 1
        assert session.dropped == frozenset()


def test_what_did_not_help_is_not_remembered():
    with serving(replies(b"unknown field: seed", 400)) as server, engine(server).open() as session:
        with pytest.raises(EngineFailed):
            session.ask(QUESTION)
        assert len(server.seen) == 2
        assert session.dropped == frozenset()


# Connections


def test_a_server_that_hangs_runs_out_of_time_and_is_not_paid_twice():
    over = threading.Event()
    asked: list[int] = []

    def answer(handler: Handler, number: int) -> None:
        asked.append(number)
        over.wait(60)

    started = time.monotonic()
    try:
        assert failure(answer, timeout=0.4).kind == TIMED_OUT
    finally:
        over.set()
    assert time.monotonic() - started < 30
    assert asked == [1]


def half_an_answer(handler: Handler, _: int) -> None:
    body = completion()
    handler.send_response(200)
    handler.send_header("content-length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body[: len(body) // 2])
    handler.wfile.flush()
    handler.connection.shutdown(socket.SHUT_RDWR)
    handler.close_connection = True


def hang_up(handler: Handler, _: int) -> None:
    handler.connection.shutdown(socket.SHUT_RDWR)
    handler.close_connection = True


@pytest.mark.parametrize("answer", [half_an_answer, hang_up])
def test_a_connection_that_is_cut_is_tried_again_and_then_told(answer: Answer, retry_waits: list[float]):
    assert failure(answer, timeout=60.0).kind == DROPPED
    assert len(retry_waits) == MAX_RETRIES

    def mends(handler: Handler, number: int) -> None:
        if number == 1:
            answer(handler, number)
        else:
            handler.reply(200, completion())

    with serving(mends) as server, engine(server).open() as session:
        assert session.ask(QUESTION).attempts == 2


def test_an_answer_of_megabytes_is_not_read_to_its_end():
    assert failure(replies(completion("x" * 3_000_000))).kind == TOO_LARGE


# Several at a time


def test_as_many_calls_run_at_a_time_as_the_engine_says():
    together = threading.Barrier(4)

    def answer(handler: Handler, _: int) -> None:
        together.wait(60)  # breaks unless four calls are under way
        handler.reply(200, completion())

    with serving(answer) as server, engine(server, parallel=4).open() as session, ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(session.ask, [QUESTION] * 8))
    assert [a.text for a in answers] == [TEXT] * 8


def test_threads_share_the_rate():
    waits = Waits()
    pace = RateLimit(30.0, waits, lambda: 100.0)  # a clock that stands still: each call comes later than the one before
    with ThreadPoolExecutor(6) as pool:
        for _ in range(6):
            pool.submit(pace.wait)
    assert sorted(waits) == [2.0, 4.0, 6.0, 8.0, 10.0]


def test_time_that_went_by_is_not_waited_for_again():
    now, waits = [0.0], Waits()
    pace = RateLimit(60.0, waits, lambda: now[0])
    for moment in (0.0, 0.25, 5.0, 5.0):
        now[0] = moment
        pace.wait()
    assert waits == [0.75, 1.0]


def test_a_session_keeps_its_rate_and_without_one_nobody_waits():
    for rate, expected in ((6.0, [10.0, 20.0]), (None, [])):
        waits = Waits()
        with (
            serving(replies(completion())) as server,
            engine(server, rate=rate, sleep=waits, clock=lambda: 50.0).open() as session,
        ):
            for _ in range(3):
                session.ask(QUESTION)
        assert waits == expected
