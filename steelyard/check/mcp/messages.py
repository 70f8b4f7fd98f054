"""Messages as they come in. The SDK drops some that it cannot read without a word; here each of them gets an answer."""

from __future__ import annotations

import json
import re

import mcp_types as types
from pydantic import ValidationError

# A pair of escaped surrogates, half of one (the group), or any other escape, so that `\\ud800` is not mistaken for one.
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_FORM = "send one JSON-RPC message: an object with jsonrpc, method, perhaps params, and as id a string or whole number"


def read_message(data: bytes) -> str | types.JSONRPCError:
    """Return a message as valid JSON, or the error that answers it.

    Half of a surrogate pair, which JSON can escape and no text can hold, becomes U+FFFD; so do bytes that are no UTF-8.
    """
    text = data.decode("utf-8", "replace")
    if _SURROGATE.search(text):
        text = _ESCAPE.sub(lambda match: r"\ufffd" if match[1] else match[0], text)
    try:
        message = types.jsonrpc_message_adapter.validate_json(text, by_name=False)
    except ValidationError:
        return _refuse(text)
    # A request whose id is of a wrong type passes for a notification, which nobody answers.
    if isinstance(message, types.JSONRPCNotification) and "id" in json.loads(text):
        return _refuse(text)
    return text


def _refuse(text: str) -> types.JSONRPCError:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        error = types.ErrorData(code=types.PARSE_ERROR, message="not JSON, nested too deeply, or a number too long")
        return types.JSONRPCError(jsonrpc="2.0", id=None, error=error)
    number = value.get("id") if isinstance(value, dict) else None
    if isinstance(number, bool) or not isinstance(number, int | str):
        number = None
    error = types.ErrorData(code=types.INVALID_REQUEST, message=f"not a message; {_FORM}")
    return types.JSONRPCError(jsonrpc="2.0", id=number, error=error)
