"""Errors as answers, with their status and message, and bytes of JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


class HTTPError(Exception):
    """Ends a request with a status and a sentence that says what to do, for programs also with a reason in a word."""

    def __init__(
        self,
        status: int,
        message: str,
        headers: Mapping[str, str] | None = None,
        reason: str | None = None,
        edition: str | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = dict(headers or {})
        self.reason = reason
        self.edition = edition  # with which the request would succeed


def make_busy_error() -> HTTPError:
    """Return the error for a request for which there is no room now."""
    return HTTPError(503, "the server is busy; try again in a moment", {"Retry-After": "1"})


def write_json(value: Any) -> bytes:
    """Return JSON in ASCII: whatever characters a page holds, they arrive escaped."""
    return json.dumps(value, allow_nan=False, separators=(",", ":")).encode("ascii")
