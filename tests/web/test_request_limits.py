"""How often one client may ask, and how large a request may be."""

from __future__ import annotations

import pytest

from steelyard.web.request_limits import MAX_CLIENTS, RateLimit
from steelyard.web.responses import HTTPError


def test_a_large_body_is_refused_before_and_while_it_is_read(serve) -> None:
    client = serve(max_body=10_000)
    body = b'{"text": "' + b"a" * 20_000 + b'"}'
    headers = {"Content-Type": "application/json"}
    assert client.post("/api/score", content=body, headers=headers).status_code == 413
    assert client.post("/api/score", content=iter([body[:9_000], body[9_000:]]), headers=headers).status_code == 413
    found = client.post("/", content=iter([body]), headers={"Content-Type": "multipart/form-data; boundary=x"})
    assert found.status_code == 413
    assert "over the limit of 10,000 bytes" in found.text
    assert client.post("/api/score", content=b"", headers={"Content-Length": "9" * 30, **headers}).status_code == 413


def test_the_bucket_fills_again_and_clients_are_told_apart() -> None:
    now = [0.0]
    limit = RateLimit(2, lambda: now[0])
    for _ in range(6):
        limit.take("10.0.0.1")
    with pytest.raises(HTTPError):
        limit.take("10.0.0.1")
    limit.take("10.0.0.2")
    now[0] = 0.5
    limit.take("10.0.0.1")
    with pytest.raises(HTTPError):
        limit.take("10.0.0.1")
    for n in range(6):
        limit.take(f"2001:db8::{n}")
    with pytest.raises(HTTPError):
        limit.take("2001:db8::99")  # the same network
    for n in range(MAX_CLIENTS + 5):
        limit.take(f"client {n}")
    assert len(limit._buckets) == MAX_CLIENTS
