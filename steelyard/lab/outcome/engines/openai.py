"""Any server that speaks OpenAI's chat completions: POST {base}/chat/completions, hosted or on this machine.

Asked with temperature 0 and a seed. Some servers refuse one of the parameters: it is then left out (max_tokens goes by
its newer name) and, once an answer came without it, for the rest of the session. `identity` holds what was asked for,
`session.dropped` what the server would not take.
"""

from __future__ import annotations

import os
import random
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from steelyard.lab.outcome.engines import completion, prompt
from steelyard.lab.outcome.engines.base import (
    DROPPED,
    RATE_LIMITED,
    REFUSED,
    SERVER_ERROR,
    TIMED_OUT,
    TOO_LARGE,
    Answer,
    EngineFailed,
    Question,
)
from steelyard.lab.outcome.engines.errors import EngineUnusable
from steelyard.support.escape import visible
from steelyard.support.net import (
    TOO_MANY_REQUESTS,
    AnswerTooLarge,
    Client,
    Limits,
    NetError,
    Response,
    TookTooLong,
    Unreachable,
    address_secrets,
    shown,
)

KEY_VARIABLE = "OPENAI_API_KEY"
MOST_BYTES = 2_000_000
RETRIES = 4
_SHOWN = 160
_LIKELY_KEY = 16  # characters; a shorter one is a placeholder such as EMPTY, and a word of many an answer
_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*")
_ADDRESS = re.compile(r"https?://[^/:]", re.IGNORECASE)
_HERE = ("localhost", "127.0.0.1", "::1")


def check_variable(name: str) -> None:
    """Refuse a key given in place of a variable's name, without showing it."""
    if not _VARIABLE.fullmatch(name):
        raise EngineUnusable(
            f"give the name of the environment variable that holds the key, such as {KEY_VARIABLE}, not the key"
        )


@dataclass(frozen=True, slots=True)
class OpenAI:
    """A model behind an address. `timeout` covers all tries of a call; `rate` is calls a minute, without retries."""

    model: str
    base: str = field(repr=False)  # may hold a password
    key_variable: str = KEY_VARIABLE
    timeout: float = 120.0
    rate: float | None = None
    parallel: int = 4
    seed: int | None = 1  # None: not sent
    max_tokens: int = 500
    sleep: Callable[[float], None] = field(default=time.sleep, repr=False, compare=False)
    clock: Callable[[], float] = field(default=time.monotonic, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_variable(self.key_variable)
        if not _ADDRESS.match(shown(self.base)):
            raise EngineUnusable("the address of the model names no server; write it as https://host/v1")

    @property
    def name(self) -> str:
        return visible(self.model)

    @property
    def kind(self) -> str:
        return "served model"

    @property
    def paid(self) -> bool:
        return urlsplit(self.base).hostname not in _HERE

    @property
    def identity(self) -> Mapping[str, Any]:
        return {
            "engine": "openai",
            "model": self.model,
            "base": shown(self.base),
            "prompt": prompt.VERSION,
            "temperature": 0,
            "seed": self.seed,
            "max_tokens": self.max_tokens,
        }

    @contextmanager
    def open(self) -> Iterator[OpenAISession]:
        key = os.environ.get(self.key_variable, "").strip()
        if not (key.isascii() and key.isprintable()):
            raise EngineUnusable(f"the key in {self.key_variable} holds characters that no key has; set it again")
        limits = Limits(
            connect=min(10.0, self.timeout),
            read=self.timeout,
            total=self.timeout,
            most_bytes=MOST_BYTES,
            retries=RETRIES,
            first_wait=1.0,
            longest_wait=60.0,
        )
        with Client(
            rng=random.Random(),  # the waits between tries change no answer
            headers={"authorization": f"Bearer {key}"} if key else {},
            secrets=address_secrets(self.base),
            limits=limits,
            sleep=self.sleep,
            clock=self.clock,
        ) as client:
            yield OpenAISession(self, client, key)


class Pace:
    """Calls a minute, shared between threads: each takes the next free moment and waits for it."""

    def __init__(self, rate: float | None, sleep: Callable[[float], None], clock: Callable[[], float]) -> None:
        self._gap = 60.0 / rate if rate else 0.0
        self._sleep, self._clock = sleep, clock
        self._lock = threading.Lock()
        self._free = clock()

    def wait(self) -> None:
        with self._lock:
            now = self._clock()
            mine = max(now, self._free)
            self._free = mine + self._gap
        if mine > now:
            self._sleep(mine - now)


class OpenAISession:
    """One client for all threads."""

    def __init__(self, engine: OpenAI, client: Client, key: str) -> None:
        self._engine, self._client = engine, client
        self._has_key = bool(key)
        self._pace = Pace(engine.rate, engine.sleep, engine.clock)
        parts = urlsplit(engine.base)
        self._url = parts._replace(path=parts.path.rstrip("/") + "/chat/completions").geturl()
        self.dropped: frozenset[str] = frozenset()

    def ask(self, question: Question) -> Answer:
        engine, without, attempts, seconds = self._engine, self.dropped, 0, 0.0
        while True:
            self._pace.wait()
            response = self._post(self._payload(question, without))
            attempts, seconds = attempts + response.attempts, seconds + response.seconds
            refused = completion.refused_parameter(response)
            if refused is None or refused in without:
                break
            without |= {refused}
        if not response.ok:
            raise self._failure(response)
        self.dropped |= without  # two threads may lose one of two: it is then found again
        answer = completion.read(response.body, engine.model, self._safe)
        clean = partial(self._client.redact, least=_LIKELY_KEY)  # a server may send back what it was sent
        return replace(
            answer,
            text=clean(answer.text),
            model=clean(answer.model),
            finish=clean(answer.finish),
            attempts=attempts,
            seconds=seconds,
        )

    def _payload(self, question: Question, without: frozenset[str]) -> dict[str, Any]:
        engine = self._engine
        payload: dict[str, Any] = {"model": engine.model, "messages": prompt.messages(question)}
        limit = "max_completion_tokens" if "max_tokens" in without else "max_tokens"
        payload[limit] = engine.max_tokens
        if "temperature" not in without:
            payload["temperature"] = 0
        if engine.seed is not None and "seed" not in without:
            payload["seed"] = engine.seed
        return payload

    def _post(self, payload: dict[str, Any]) -> Response:
        try:
            return self._client.post_json(self._url, payload)
        except TookTooLong as error:
            raise EngineFailed(TIMED_OUT, str(error)) from None
        except AnswerTooLarge as error:
            raise EngineFailed(TOO_LARGE, str(error)) from None
        except Unreachable as error:
            raise EngineFailed(DROPPED, str(error)) from None
        except NetError as error:  # no address, or a redirect to another host
            raise EngineFailed(REFUSED, str(error)) from None

    def _failure(self, response: Response) -> EngineFailed:
        status, said = response.status, completion.said(response.body, self._safe)
        variable = self._engine.key_variable
        if status in (401, 403) and not self._has_key:
            return EngineFailed(
                REFUSED, f"the server wants a key, and {variable} is not set; set it, or name another variable"
            )
        if status == 401:  # what it says often holds part of the key
            return EngineFailed(REFUSED, f"status 401: the server does not take the key in {variable}")
        if status == 404:
            return EngineFailed(REFUSED, f"status 404: {said}; check the model, and that the address ends in /v1")
        if status == TOO_MANY_REQUESTS:
            return EngineFailed(RATE_LIMITED, f"status {status} after {response.attempts} tries: {said}")
        if status >= 500:
            return EngineFailed(SERVER_ERROR, f"status {status} after {response.attempts} tries: {said}")
        return EngineFailed(REFUSED, f"status {status}: {said}")

    def _safe(self, text: str) -> str:
        text = self._client.redact(text.strip())  # before it is cut: half a key is a key
        return visible(text[:_SHOWN])
