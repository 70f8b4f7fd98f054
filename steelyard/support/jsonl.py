"""Say what is wrong with a line of a JSONL file, in the same words wherever one is read."""

from __future__ import annotations

import json
from typing import Any

ADVICE = "write one object per line"


def explain_bad_json(error: Exception, advice: str = ADVICE) -> str:
    """Return the reason why json or the codec could not read a line; the caller adds the file and the line."""
    if isinstance(error, RecursionError):
        return f"nested too deep to be a record; {advice}"
    if isinstance(error, json.JSONDecodeError):
        line = f"line {error.lineno}, " if error.lineno > 1 else ""  # of a file that is one JSON value
        problem = f"{line}{error.msg} at column {error.colno}"
    elif isinstance(error, UnicodeDecodeError):
        problem = f"not UTF-8 at byte {error.start}"
    else:
        problem = str(error)
    return f"not JSON ({problem}); {advice}"


def explain_not_object(value: Any, advice: str = ADVICE) -> str:
    """Return the reason why a JSON value is no record."""
    return f"a JSON {type(value).__name__}, not an object; {advice}"
