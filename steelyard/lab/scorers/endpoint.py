"""An address that scores: POST {"text", "language", "title"}, answered by a number or an object with "score"."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from steelyard.lab.scorers.base import CRASHED, NOT_A_NUMBER, POINTS, TIMED_OUT, Passage, Range, ScorerFailed
from steelyard.lab.scorers.process import MOST_OUTPUT
from steelyard.support.escape import visible
from steelyard.support.net import AnswerTooLarge, Client, Limits, NetError, TookTooLong, address_secrets, shown

_SHOWN = 80
_RETRIES = 2


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An HTTP endpoint; `timeout` covers all tries for one text. Its name leaves out password and query."""

    url: str = field(repr=False)
    range: Range = field(default_factory=Range)
    timeout: float = 10.0

    @property
    def name(self) -> str:
        return visible(shown(self.url))

    @property
    def parallel(self) -> bool:
        return True

    @contextmanager
    def open(self) -> Iterator[EndpointSession]:
        limits = Limits(
            connect=min(5.0, self.timeout),
            read=self.timeout,
            total=self.timeout,
            most_bytes=MOST_OUTPUT,
            retries=_RETRIES,
            first_wait=0.2,
        )
        # The waits between tries change no score, so the generator needs no seed.
        with Client(rng=random.Random(), secrets=address_secrets(self.url), limits=limits) as client:
            yield EndpointSession(self, client)


@dataclass(frozen=True, slots=True)
class EndpointSession:
    """One client, and so one connection where the server keeps it."""

    endpoint: Endpoint
    client: Client

    def score(self, passage: Passage) -> Mapping[str, float]:
        payload = {"text": passage.text, "language": passage.language, "title": passage.title}
        try:
            answer = self.client.post_json(self.endpoint.url, payload)
        except TookTooLong as error:
            raise ScorerFailed(TIMED_OUT, str(error)) from None
        except AnswerTooLarge as error:
            raise ScorerFailed(NOT_A_NUMBER, str(error)) from None
        except NetError as error:
            raise ScorerFailed(CRASHED, str(error)) from None
        if not answer.ok:
            raise ScorerFailed(CRASHED, f"status {answer.status}: {self._seen(answer.body)}")
        return {POINTS: self.endpoint.range.points(self._number(answer.body))}

    def _number(self, body: bytes) -> float:
        try:
            value = json.loads(body)
            value = value.get("score") if isinstance(value, dict) else value
            if isinstance(value, int | float) and not isinstance(value, bool):
                return float(value)
        except (ValueError, RecursionError, OverflowError):
            pass
        raise ScorerFailed(NOT_A_NUMBER, f'neither a number nor an object with a "score": {self._seen(body)}')

    def _seen(self, body: bytes) -> str:
        text = self.client.redact(body.decode("utf-8", "replace").strip())  # before it is cut: half a key is a key
        return visible(text[:_SHOWN]) or "(an empty answer)"
