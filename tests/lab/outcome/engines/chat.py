"""Completions as a server sends them, and an engine that asks for them."""

from __future__ import annotations

import json
from typing import Any

from steelyard.lab.outcome.engines.base import Question
from steelyard.lab.outcome.engines.openai import OpenAI
from tests.lab.scorers.server import Answer, Handler, Server

MODEL = "trial-1"
QUESTION = Question("How long does sourdough rise?", ("It rises for twelve hours.", "Ovens differ."))
TEXT = "It rises for twelve hours [1]."


class Waits(list[float]):
    """A sleep that only notes."""

    def __call__(self, seconds: float) -> None:
        self.append(seconds)


def completion(
    content: Any = TEXT, *, finish: Any = "stop", message: dict[str, Any] | None = None, **top: Any
) -> bytes:
    choice = {
        "index": 0,
        "finish_reason": finish,
        "message": {"role": "assistant", "content": content, **(message or {})},
    }
    usage = {"prompt_tokens": 50, "completion_tokens": 9}
    return json.dumps({"model": MODEL, "choices": [choice], "usage": usage, **top}).encode()


def replies(body: bytes, status: int = 200, **headers: str) -> Answer:
    return lambda handler, _: handler.reply(status, body, **headers)


def in_turn(*steps: tuple[int, bytes], **headers: str) -> Answer:
    """One reply after the other, the last for ever."""

    def answer(handler: Handler, number: int) -> None:
        status, body = steps[min(number, len(steps)) - 1]
        handler.reply(status, body, **headers)

    return answer


def engine(server: Server | str, **settings: Any) -> OpenAI:
    base = server if isinstance(server, str) else server.url + "/v1"
    return OpenAI(MODEL, base, **{"timeout": 5.0, **settings})
