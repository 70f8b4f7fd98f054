"""A request that is refused: the status, and what to say about it."""

from __future__ import annotations

from collections.abc import Mapping


class Refused(Exception):
    """Ends a request with a status and a sentence that says what to do."""

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = dict(headers or {})


def refuse_busy() -> Refused:
    """Return the refusal of a request for which there is no room now."""
    return Refused(503, "the server is busy; try again in a moment", {"Retry-After": "1"})
