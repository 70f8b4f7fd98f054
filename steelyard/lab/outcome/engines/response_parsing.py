"""Parse a chat completion from a server that may send anything: an Answer, or EngineFailed with its reason."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from steelyard.lab.outcome.engines.base import MALFORMED, REFUSED, SERVER_ERROR, WRONG_MODEL, Answer, EngineFailed
from steelyard.lab.outcome.engines.prompt import replace_surrogates
from steelyard.support.escape import make_visible
from steelyard.support.http.messages import Response

_MAX_NAME = 100
_MAX_TOKENS = 1_000_000_000  # far over any context; a larger count is no count, and is never added up or shown
OPTIONAL = ("temperature", "seed", "max_tokens")
_COMPLAINTS = re.compile(r"unsupported|not support|unrecogni[sz]ed|unknown|unexpected|not permitted|not allowed")

Clean = Callable[[str], str]  # makes a server's words safe to show


def parse_completion(body: bytes, model: str, clean: Clean) -> Answer:
    """Return the answer of the model that was asked for; an empty `model` is any."""
    parsed = _parse_json(body)
    if not isinstance(parsed, dict):
        raise EngineFailed(MALFORMED, f"not an object of JSON: {extract_message(body, clean)}")
    if "error" in parsed and "choices" not in parsed:  # some proxies send errors with status 200
        raise EngineFailed(SERVER_ERROR, extract_message(body, clean))
    choices = parsed.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise EngineFailed(MALFORMED, f"no choice with a message: {extract_message(body, clean)}")
    reported, finish, usage = parsed.get("model"), choice.get("finish_reason"), parsed.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    return Answer(
        # Local servers may not report a model.
        model=_check_model(reported, model, clean) if isinstance(reported, str) and reported else "",
        text=_read_text(message, finish, clean),
        finish=make_visible(finish[:_MAX_NAME]) if isinstance(finish, str) and finish else "stop",
        tokens_in=token_count(usage.get("prompt_tokens")),
        tokens_out=token_count(usage.get("completion_tokens")),
    )


def extract_message(body: bytes, clean: Clean) -> str:
    """Return the error message of a body, or how the body begins if it has none."""
    message = _error_object(body).get("message")
    text = message if isinstance(message, str) and message else body.decode("utf-8", "replace").replace("\\/", "/")
    return clean(text) or "(nothing)"


def find_refused_parameter(response: Response) -> str | None:
    """Return the first of our optional parameters that the server says it does not accept."""
    complaint = response.body.decode("utf-8", "replace").lower()
    if response.status not in (400, 422) or not _COMPLAINTS.search(complaint):
        return None
    parameter = _error_object(response.body).get("param")
    where = parameter if isinstance(parameter, str) and parameter else complaint
    return next((name for name in OPTIONAL if re.search(rf"\b{name}\b", where)), None)


def token_count(value: object) -> int | None:
    """Return the value if it can be a number of tokens, else None."""
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value <= _MAX_TOKENS else None


def _parse_json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _error_object(body: bytes) -> Mapping[str, Any]:
    """Return the error object of a body, or an empty one."""
    parsed = _parse_json(body)
    error = parsed.get("error", parsed) if isinstance(parsed, dict) else None
    return error if isinstance(error, dict) else {}


def _check_model(reported: str, asked: str, clean: Clean) -> str:
    if asked and reported != asked and not reported.startswith(f"{asked}-"):  # a dated snapshot of it
        raise EngineFailed(WRONG_MODEL, f"asked for {clean(asked)}, answered by {clean(reported)}")
    return make_visible(reported[:_MAX_NAME])


def _read_text(message: Mapping[str, Any], finish: object, clean: Clean) -> str:
    refusal, content = message.get("refusal"), message.get("content")
    if isinstance(refusal, str) and refusal.strip():
        raise EngineFailed(REFUSED, f"the model declined: {clean(refusal)}")
    parts = content if isinstance(content, list) else [content]
    texts = [p.get("text") if isinstance(p, dict) else p for p in parts]
    text = replace_surrogates("".join(t for t in texts if isinstance(t, str)))
    if text.strip():
        return text
    if finish == "content_filter":
        raise EngineFailed(REFUSED, "the server's filter withheld the answer")
    why = "; it was cut before its first word, allow more tokens" if finish == "length" else ""
    raise EngineFailed(MALFORMED, f"an answer without text{why}")
