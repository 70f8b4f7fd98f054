"""A URL that scores: POST {"text", "language", "title"}, answered with a number or an object with "score"."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field

from steelyard.lab.scorers.base import CRASHED, NOT_A_NUMBER, POINTS, TIMED_OUT, Passage, Range, ScorerFailed
from steelyard.lab.scorers.process import MOST_OUTPUT
from steelyard.support import net
from steelyard.support.escape import make_visible
from steelyard.support.redaction import find_url_secrets, strip_credentials

_MOST_SHOWN = 80


@dataclass(frozen=True, slots=True)
class EndpointScorer:
    """An HTTP endpoint; `timeout` covers all attempts for one text. Its name leaves out password and query."""

    url: str = field(repr=False)
    range: Range = field(default_factory=Range)
    timeout: float = 10.0
    parallel = True

    @property
    def name(self) -> str:
        return make_visible(strip_credentials(self.url))

    @contextmanager
    def open(self) -> Iterator[EndpointSession]:
        limits = net.Limits(
            connect=min(5.0, self.timeout),
            read=self.timeout,
            total=self.timeout,
            most_bytes=MOST_OUTPUT,
            retries=2,
            first_wait=0.2,
        )
        # The waits between attempts change no score, so the generator needs no seed.
        with net.Client(rng=random.Random(), secrets=find_url_secrets(self.url), limits=limits) as client:
            yield EndpointSession(self, client)


@dataclass(frozen=True, slots=True)
class EndpointSession:
    """One client, and so one connection if the server keeps it open."""

    scorer: EndpointScorer
    client: net.Client

    def score(self, passage: Passage) -> Mapping[str, float]:
        try:
            answer = self.client.post_json(self.scorer.url, asdict(passage))
        except net.NetError as error:
            kinds = {net.TimedOut: TIMED_OUT, net.ResponseTooLarge: NOT_A_NUMBER}
            raise ScorerFailed(kinds.get(type(error), CRASHED), str(error)) from None
        # Redacted before it is cut: half a key is a key.
        body = self.client.redact(answer.body.decode("utf-8", "replace").strip())
        seen = make_visible(body[:_MOST_SHOWN]) or "(an empty answer)"
        if not answer.ok:
            raise ScorerFailed(CRASHED, f"status {answer.status}: {seen}")
        value = _parse_score(answer.body)
        if value is None:
            raise ScorerFailed(NOT_A_NUMBER, f'neither a number nor an object with a "score": {seen}')
        return {POINTS: self.scorer.range.to_points(value)}


def _parse_score(body: bytes) -> float | None:
    try:
        value = json.loads(body)
        value = value.get("score") if isinstance(value, dict) else value
        return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
    except (ValueError, RecursionError, OverflowError):
        return None
