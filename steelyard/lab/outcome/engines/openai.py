"""Any server that speaks OpenAI's chat completions: POST {base}/chat/completions, hosted or on this machine.

Every call has a temperature, 0 unless another is asked for, and a seed. If a server refuses one of the parameters, it
is left out (max_tokens is sent under its newer name) and, once an answer came without it, for the rest of the session.
`identity` holds what was asked for, `session.dropped` what the server did not accept.
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
from typing import Any
from urllib.parse import urlsplit

from steelyard.errors import SteelyardError
from steelyard.lab.outcome.engines import base, prompt, response_parsing
from steelyard.lab.outcome.engines.base import SERVED, Answer, EngineFailed, Question
from steelyard.support.escape import make_visible
from steelyard.support.http import messages
from steelyard.support.http.json_client import NO_ANSWER, JsonClient, Limits
from steelyard.support.redaction import find_url_secrets, strip_credentials

MAX_RETRIES = 4  # further tries of a call after a rate limit, a server error or a lost connection
KEY_VARIABLE = "OPENAI_API_KEY"
MAX_ANSWER_BYTES = 2_000_000
_MAX_MESSAGE = 160
_LIKELY_KEY = 16  # characters; a shorter one is a placeholder such as EMPTY, which answers may contain as a word
_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*")
_ADDRESS = re.compile(r"https?://[^/:]", re.IGNORECASE)
_THIS_MACHINE = ("localhost", "127.0.0.1", "::1")


def check_variable(name: str) -> None:
    """Refuse a key given in place of a variable's name, without showing it."""
    if not _VARIABLE.fullmatch(name):
        raise SteelyardError(
            f"give the name of the environment variable that holds the key, such as {KEY_VARIABLE}, not the key"
        )


@dataclass(frozen=True, slots=True)
class OpenAI:
    """A model at an address. `timeout` covers all tries of a call; `rate` is calls a minute, without retries."""

    model: str
    base: str = field(repr=False)  # may hold a password
    key_variable: str = KEY_VARIABLE
    timeout: float = 120.0
    rate: float | None = None
    parallel: int = 4
    seed: int | None = 1  # None: not sent
    max_tokens: int = 500
    style: str = prompt.PLAIN
    temperature: float = 0
    kind = SERVED
    sleep: Callable[[float], None] = field(default=time.sleep, repr=False, compare=False)
    clock: Callable[[], float] = field(default=time.monotonic, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_variable(self.key_variable)
        if not _ADDRESS.match(strip_credentials(self.base)):
            raise SteelyardError("the address of the model names no server; write it as https://host/v1")

    @property
    def name(self) -> str:
        return make_visible(self.model)

    @property
    def paid(self) -> bool:
        return urlsplit(self.base).hostname not in _THIS_MACHINE

    @property
    def identity(self) -> Mapping[str, Any]:
        return {
            "engine": "openai",
            "model": self.model,
            "base": strip_credentials(self.base),
            "prompt": prompt.VERSIONS[self.style],
            "temperature": self.temperature,
            "seed": self.seed,
            "max_tokens": self.max_tokens,
        }

    @contextmanager
    def open(self) -> Iterator[OpenAISession]:
        key = os.environ.get(self.key_variable, "").strip()
        if not (key.isascii() and key.isprintable()):
            raise SteelyardError(f"the key in {self.key_variable} holds characters that no key has; set it again")
        limits = Limits(
            connect=min(10.0, self.timeout),
            total=self.timeout,
            max_bytes=MAX_ANSWER_BYTES,
            retries=MAX_RETRIES,
            first_wait=1.0,
            max_wait=60.0,
        )
        headers = {"authorization": f"Bearer {key}"} if key else {}
        secrets = find_url_secrets(self.base)
        rng = random.Random()  # the waits between tries do not change answers
        yield OpenAISession(self, JsonClient(rng=rng, headers=headers, secrets=secrets, limits=limits), key)


class RateLimit:
    """Limits the calls a minute of all threads: each waits for the next free moment."""

    def __init__(self, rate: float | None, sleep: Callable[[float], None], clock: Callable[[], float]) -> None:
        self._gap = 60.0 / rate if rate else 0.0
        self._sleep, self._clock = sleep, clock
        self._lock = threading.Lock()
        self._next_free = clock()

    def wait(self) -> None:
        with self._lock:
            now = self._clock()
            mine = max(now, self._next_free)
            self._next_free = mine + self._gap
        if mine > now:
            self._sleep(mine - now)


class OpenAISession:
    """One client for all threads."""

    def __init__(self, engine: OpenAI, client: JsonClient, key: str) -> None:
        self._engine, self._client = engine, client
        self._has_key = bool(key)
        self._rate_limit = RateLimit(engine.rate, engine.sleep, engine.clock)
        parts = urlsplit(engine.base)
        self._url = parts._replace(path=parts.path.rstrip("/") + "/chat/completions").geturl()
        self.dropped: frozenset[str] = frozenset()

    def ask(self, question: Question) -> Answer:
        without, attempts, seconds = self.dropped, 0, self._engine.timeout
        while True:
            self._rate_limit.wait()  # does not count: the user asked for it
            started = self._engine.clock()
            response = self._post(self._payload(question, without), seconds)
            seconds -= self._engine.clock() - started
            attempts += response.attempts
            refused = response_parsing.find_refused_parameter(response)
            if refused is None or refused in without:
                break
            without |= {refused}
        if not response.ok:
            raise self._failure(response)
        self.dropped |= without  # two threads may lose one of two parameters: it is then found again
        answer = response_parsing.parse_completion(response.body, self._engine.model, self._clean)
        # A server may send back the key it was sent.
        text, model, finish = (
            self._client.redact(part, least=_LIKELY_KEY) for part in (answer.text, answer.model, answer.finish)
        )
        return replace(answer, text=text, model=model, finish=finish, attempts=attempts)

    def _payload(self, question: Question, without: frozenset[str]) -> dict[str, Any]:
        engine = self._engine
        payload: dict[str, Any] = {"model": engine.model, "messages": prompt.build_messages(question, engine.style)}
        limit = "max_completion_tokens" if "max_tokens" in without else "max_tokens"
        payload[limit] = engine.max_tokens
        if "temperature" not in without:
            payload["temperature"] = engine.temperature
        if engine.seed is not None and "seed" not in without:
            payload["seed"] = engine.seed
        return payload

    def _post(self, payload: dict[str, Any], seconds: float) -> messages.Response:
        try:
            return self._client.post(self._url, payload, seconds=seconds)
        except messages.FetchError as error:  # others: not an address, or a redirect to another host
            kinds = {messages.TIMED_OUT: base.TIMED_OUT, messages.TOO_LARGE: base.TOO_LARGE}
            kinds |= dict.fromkeys(NO_ANSWER, base.DROPPED)
            raise EngineFailed(kinds.get(error.kind, base.REFUSED), str(error)) from None

    def _failure(self, response: messages.Response) -> EngineFailed:
        status, message = response.status, response_parsing.extract_message(response.body, self._clean)
        variable = self._engine.key_variable
        kind, reason = base.REFUSED, f"status {status}: {message}"
        if status in (401, 403) and not self._has_key:
            reason = f"the server wants a key, and {variable} is not set; set it, or name another variable"
        elif status == 401:  # its message often holds part of the key
            reason = f"status 401: the server does not accept the key in {variable}"
        elif status == 404:
            reason += "; check the model, and that the address ends in /v1"
        elif status == messages.TOO_MANY_REQUESTS or status >= 500:
            kind = base.RATE_LIMITED if status == messages.TOO_MANY_REQUESTS else base.SERVER_ERROR
            reason = f"status {status} after {response.attempts} tries: {message}"
        return EngineFailed(kind, reason)

    def _clean(self, text: str) -> str:
        text = self._client.redact(text.strip())  # before it is cut: half a key is still a secret
        return make_visible(text[:_MAX_MESSAGE])
