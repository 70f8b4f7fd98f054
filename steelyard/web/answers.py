"""Answers in JSON."""

from __future__ import annotations

import json
from typing import Any

from starlette.responses import Response


class JsonAnswer(Response):
    """JSON, from a value or from bytes that are JSON already."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """Return the bytes."""
        return content if isinstance(content, bytes) else write_json(content)


def write_json(value: Any) -> bytes:
    """Return JSON in ASCII: whatever characters a page holds, they arrive escaped."""
    return json.dumps(value, allow_nan=False, separators=(",", ":")).encode("ascii")


def is_for_programs(path: str) -> bool:
    """Tell whether an address belongs to the API, whose answers are all JSON."""
    return path.startswith("/api/")
