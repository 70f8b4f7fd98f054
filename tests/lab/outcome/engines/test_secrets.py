"""A planted key: it goes to the server that was named, and appears nowhere else."""

from __future__ import annotations

import json
import logging
import warnings
from collections.abc import Iterator

import pytest

from steelyard.errors import SteelyardError
from steelyard.lab.outcome.engines.base import REFUSED, EngineFailed
from steelyard.lab.outcome.engines.openai import OpenAI
from steelyard.lab.outcome.engines.resolve import resolve_engine
from tests.lab.outcome.engines.chat import MODEL, QUESTION, completion, engine, in_turn, replies
from tests.lab.outcome.engines.test_openai import half_an_answer, hang_up
from tests.lab.scorers.server import Answer, Handler, serving

KEY = "sk-planted/secret+key-0123456789"
VARIABLE = "PLANTED_KEY"
PARTS = (KEY, "planted/secret", "planted%2Fsecret", "planted\\/secret", "secret%2Bkey", "key-0123456789")


@pytest.fixture(autouse=True)
def planted(monkeypatch: pytest.MonkeyPatch, retry_waits: list[float]) -> None:
    monkeypatch.setenv(VARIABLE, KEY)


def chain(error: BaseException | None) -> Iterator[str]:
    while error is not None:
        yield from (str(error), repr(error), repr(vars(error)))
        error = error.__cause__ or error.__context__


def echo(status: int, form: str) -> Answer:
    def answer(handler: Handler, _: int) -> None:
        key = handler.headers["authorization"].removeprefix("Bearer ")
        handler.reply(status, form.replace("KEY", key).encode(), X_Echo=key, Retry_After="0")

    return answer


SCENES: dict[str, Answer] = {
    "well": replies(completion()),
    "answer with the key": echo(200, completion("your key is KEY [1].").decode()),
    "model with the key": echo(200, completion(model=f"{MODEL}-KEY").decode()),
    "wrong model with the key": echo(200, completion(model="KEY").decode()),
    "finish with the key": echo(200, completion(finish="KEY").decode()),
    "refusal with the key": echo(200, completion(None, message={"refusal": "no, KEY"}).decode()),
    "not JSON": echo(200, "<html>KEY</html>"),
    "a key at the cut": echo(200, "x" * 150 + "KEY"),
    "escaped": echo(400, json.dumps({"error": {"message": "bad KEY"}}).replace("/", "\\/")),
    "error": echo(400, '{"error": {"message": "bad key KEY"}}'),
    "unauthorised": echo(401, '{"error": {"message": "Incorrect API key provided: sk-planted/*****6789"}}'),
    "forbidden": echo(403, "KEY is not allowed"),
    "busy": echo(429, "KEY is busy"),
    "broken": echo(500, "KEY"),
    "unsupported": echo(400, "unsupported seed for KEY"),
    "cut": half_an_answer,
    "gone": hang_up,
    "redirect": replies(b"", 307, Location=f"http://127.0.0.1:9/{KEY}?k={KEY}"),
    "mended": in_turn((503, b""), (200, completion())),
}


@pytest.mark.parametrize("scene", SCENES)
def test_the_key_is_in_no_output(scene: str, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]):
    caplog.set_level(logging.DEBUG)
    seen: list[str] = []
    with warnings.catch_warnings(record=True) as warned, serving(SCENES[scene]) as server:
        warnings.simplefilter("always")
        one = engine(
            server.url.replace("://", f"://me:{KEY[:8]}pass@") + f"/v1?key={KEY}", key_variable=VARIABLE, timeout=60.0
        )
        with one.open() as session:
            try:
                answer = session.ask(QUESTION)
                seen += [repr(answer), str(answer), answer.text]
            except EngineFailed as error:
                seen += chain(error)
            seen += [repr(session), str(session), repr(session.dropped)]
        seen += [repr(one), str(one), one.name, one.kind, json.dumps(dict(one.identity))]
        assert server.seen  # it was asked
    seen += [caplog.text, *(str(w.message) for w in warned), *capfd.readouterr()]
    seen += [str(record.args) for record in caplog.records]
    for text in seen:
        for part in (*PARTS, KEY[:8] + "pass"):
            assert part not in text


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_to_another_port_gets_neither_the_key_nor_the_question(status: int):
    with serving(replies(completion())) as other:
        with serving(replies(b"", status, Location=other.url + "/v1/chat/completions")) as server:
            with engine(server, key_variable=VARIABLE).open() as session, pytest.raises(EngineFailed) as caught:
                session.ask(QUESTION)
            assert len(server.seen) == 1
        assert other.seen == []
    assert caught.value.kind == REFUSED
    assert "points to" in caught.value.reason


@pytest.mark.parametrize("name", [KEY, "gsk_AbCdEf0123456789", "", "my key"])
def test_a_key_in_place_of_its_variables_name_is_refused_unseen(name: str):
    for make in (
        lambda: resolve_engine("extractive", key_variable=name),
        lambda: OpenAI(MODEL, "https://host.example/v1", key_variable=name),
    ):
        with pytest.raises(SteelyardError, match=r"the name of the environment variable") as caught:
            make()
        assert not name or name not in str(caught.value)


@pytest.mark.parametrize("value", ["sk-line\nbreak-0123", "sk-ключ-0123456789", "sk-\x1b[31m-0123456789"])
def test_a_key_that_no_header_can_carry_is_refused_unseen(value: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(VARIABLE, value)
    with (
        pytest.raises(SteelyardError, match=VARIABLE) as caught,
        engine("https://host.example/v1", key_variable=VARIABLE).open(),
    ):
        pass
    assert "0123" not in "".join(chain(caught.value))


def test_a_placeholder_for_a_key_does_not_change_answers(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(VARIABLE, "EMPTY")
    answer = replies(completion("The shelf was EMPTY [1]."))
    with serving(answer) as server, engine(server, key_variable=VARIABLE).open() as session:
        assert session.ask(QUESTION).text == "The shelf was EMPTY [1]."


def test_a_password_in_a_wrong_spec_is_not_shown():
    for spec in (f"opnai:m@https://me:{KEY}@host.example", f"openai:m@https:///{KEY}@"):
        with pytest.raises(SteelyardError) as caught:
            resolve_engine(spec)
        assert KEY not in "".join(chain(caught.value))
