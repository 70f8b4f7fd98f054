"""What is wrong with a line of a JSONL file, in the same words wherever one is read."""

from __future__ import annotations

import json
from typing import Any

ADVICE = "write one object per line"


def not_json(error: Exception, advice: str = ADVICE) -> str:
    """The reason for what json or the codec could not read; file and line are named beside it."""
    if isinstance(error, RecursionError):
        return f"nested too deep to be a record; {advice}"
    return f"not JSON ({_found(error)}); {advice}"


def not_object(value: Any, advice: str = ADVICE) -> str:
    """The reason for a value that is no record."""
    return f"a JSON {type(value).__name__}, not an object; {advice}"


def _found(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        line = f"line {error.lineno}, " if error.lineno > 1 else ""  # of a file that is one JSON value
        return f"{line}{error.msg} at column {error.colno}"
    if isinstance(error, UnicodeDecodeError):
        return f"not UTF-8 at byte {error.start}"
    return str(error)
