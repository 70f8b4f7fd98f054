"""A URL that scores: POST {"text", "language", "title"}, answered with a number or an object with "score"."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field

from steelyard.lab.scorers.base import CRASHED, NOT_A_NUMBER, POINTS, TIMED_OUT, Passage, Range, ScorerFailed
from steelyard.lab.scorers.process import MAX_OUTPUT
from steelyard.support.escape import make_visible
from steelyard.support.http.json_client import JsonClient, Limits
from steelyard.support.http.messages import TIMED_OUT as NO_TIME
from steelyard.support.http.messages import TOO_LARGE, FetchError
from steelyard.support.redaction import find_url_secrets, strip_credentials

_MAX_SHOWN = 80


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
        limits = Limits(
            connect=min(5.0, self.timeout), total=self.timeout, max_bytes=MAX_OUTPUT, retries=2, first_wait=0.2
        )
        # The waits between attempts change no score, so the generator needs no seed.
        client = JsonClient(rng=random.Random(), secrets=find_url_secrets(self.url), limits=limits)
        yield EndpointSession(self, client)


@dataclass(frozen=True, slots=True)
class EndpointSession:
    """One client for all texts."""

    scorer: EndpointScorer
    client: JsonClient

    def score(self, passage: Passage) -> Mapping[str, float]:
        try:
            answer = self.client.post(self.scorer.url, asdict(passage))
        except FetchError as error:
            kinds = {NO_TIME: TIMED_OUT, TOO_LARGE: NOT_A_NUMBER}
            raise ScorerFailed(kinds.get(error.kind, CRASHED), str(error)) from None
        # Redacted before it is cut: half a key is a key.
        body = self.client.redact(answer.body.decode("utf-8", "replace").strip())
        seen = make_visible(body[:_MAX_SHOWN]) or "(an empty answer)"
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
