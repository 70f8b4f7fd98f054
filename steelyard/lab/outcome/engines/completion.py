"""A chat completion as servers send it, read with suspicion: an Answer, or EngineFailed with its reason."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from steelyard.lab.outcome.engines.base import MALFORMED, REFUSED, SERVER_ERROR, WRONG_MODEL, Answer, EngineFailed
from steelyard.lab.outcome.engines.prompt import encodable
from steelyard.support.escape import visible
from steelyard.support.net import Response

_SHOWN = 100
OPTIONAL = ("temperature", "seed", "max_tokens")
_COMPLAINTS = re.compile(r"unsupported|not support|unrecogni[sz]ed|unknown|unexpected|not permitted|not allowed")

Safe = Callable[[str], str]  # makes a server's words fit to be shown


def read(body: bytes, asked: str, safe: Safe) -> Answer:
    """The answer of the model that was asked for."""
    parsed = _loaded(body)
    if not isinstance(parsed, dict):
        raise EngineFailed(MALFORMED, f"not an object of JSON: {said(body, safe)}")
    if "error" in parsed and "choices" not in parsed:  # some proxies send errors with status 200
        raise EngineFailed(SERVER_ERROR, said(body, safe))
    choices = parsed.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise EngineFailed(MALFORMED, f"no choice with a message: {said(body, safe)}")
    model, finish, usage = parsed.get("model"), choice.get("finish_reason"), parsed.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    return Answer(
        model=_checked(model, asked, safe) if isinstance(model, str) and model else "",  # local servers may say nothing
        text=_text(message, finish, safe),
        finish=visible(finish[:_SHOWN]) if isinstance(finish, str) and finish else "stop",
        tokens_in=count(usage.get("prompt_tokens")),
        tokens_out=count(usage.get("completion_tokens")),
    )


def said(body: bytes, safe: Safe) -> str:
    """What a body says: its error message where it has one, else how it begins."""
    message = _error(body).get("message")
    text = message if isinstance(message, str) and message else body.decode("utf-8", "replace").replace("\\/", "/")
    return safe(text) or "(nothing)"


def refused_parameter(response: Response) -> str | None:
    """The first of our optional parameters that the server says it does not take."""
    complaint = response.body.decode("utf-8", "replace").lower()
    if response.status not in (400, 422) or not _COMPLAINTS.search(complaint):
        return None
    parameter = _error(response.body).get("param")
    where = parameter if isinstance(parameter, str) and parameter else complaint
    return next((name for name in OPTIONAL if re.search(rf"\b{name}\b", where)), None)


def count(value: object) -> int | None:
    """A number of tokens, unless it is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _loaded(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _error(body: bytes) -> Mapping[str, Any]:
    """The error object of a body; empty when there is none."""
    parsed = _loaded(body)
    error = parsed.get("error", parsed) if isinstance(parsed, dict) else None
    return error if isinstance(error, dict) else {}


def _checked(reported: str, asked: str, safe: Safe) -> str:
    if reported != asked and not reported.startswith(f"{asked}-"):  # a dated snapshot of it
        raise EngineFailed(WRONG_MODEL, f"asked for {safe(asked)}, answered by {safe(reported)}")
    return visible(reported[:_SHOWN])


def _text(message: Mapping[str, Any], finish: object, safe: Safe) -> str:
    refusal, content = message.get("refusal"), message.get("content")
    if isinstance(refusal, str) and refusal.strip():
        raise EngineFailed(REFUSED, f"the model declined: {safe(refusal)}")
    parts = content if isinstance(content, list) else [content]
    texts = [p.get("text") if isinstance(p, dict) else p for p in parts]
    text = encodable("".join(t for t in texts if isinstance(t, str)))
    if text.strip():
        return text
    if finish == "content_filter":
        raise EngineFailed(REFUSED, "the server's filter withheld the answer")
    why = "; it was cut before its first word, allow more tokens" if finish == "length" else ""
    raise EngineFailed(MALFORMED, f"an answer without text{why}")
