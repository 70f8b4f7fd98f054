"""Read the answers of a batch: two providers' formats, line by line; what is wrong with a line is said with its number.

OpenAI's output and error files have `response` and `error`, Anthropic's results have `result`. Either may carry what a
server knows of its citations: `probabilities`, a list of numbers for every forced citation, or `citations`, an object
with them as `forced`, and with `own`, `own_probabilities` and `willing`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from steelyard.errors import InvalidFile
from steelyard.lab.corpus import require_object
from steelyard.lab.outcome.engines import base, response_parsing
from steelyard.lab.outcome.engines.base import Answer, EngineFailed
from steelyard.lab.outcome.records.rows import Row, parse_json
from steelyard.support.escape import make_visible
from steelyard.support.lines import explain_long_line, read_lines
from steelyard.support.regular_file import MAX_UNPACKED_BYTES, open_unpacked

MAX_ANSWER_LINE = 4_000_000  # bytes
MAX_LISTED = 12  # places that are named, of each kind of trouble
MAX_ID = 256  # characters of a custom id; ours have 32
_MAX_MESSAGE = 160
_TOO_MANY_REQUESTS = 429
# Anthropic's ends of a request that did not succeed, and of a message.
_NOT_SUCCEEDED = {"errored": base.SERVER_ERROR, "expired": base.TIMED_OUT, "canceled": base.DROPPED}
_FINISHES = {"end_turn": "stop", "stop_sequence": "stop", "max_tokens": "length"}


@dataclass(frozen=True, slots=True)
class Found:
    """What the files hold for a prompt, and where."""

    where: str
    result: Answer | EngineFailed


@dataclass(slots=True)
class Places:
    """Places of one kind of trouble: all are counted, the first are named."""

    count: int = 0
    named: list[str] = field(default_factory=list)

    def add(self, name: str) -> None:
        self.count += 1
        if len(self.named) < MAX_LISTED:
            self.named.append(make_visible(name))

    def __str__(self) -> str:
        more = self.count - len(self.named)
        return "; ".join(self.named) + (f"; and {more:,} more" if more else "")


@dataclass(slots=True)
class BatchAnswers:
    """Answers by custom id; lines that cannot be read, and second answers that differ from the first."""

    by_id: dict[str, Found] = field(default_factory=dict)
    damaged: Places = field(default_factory=Places)
    second: Places = field(default_factory=Places)

    def add(self, custom_id: str, found: Found) -> None:
        """Keep an answer: the first one, but any rather than a failure."""
        before = self.by_id.get(custom_id)
        if before is None or (isinstance(before.result, EngineFailed) and isinstance(found.result, Answer)):
            self.by_id[custom_id] = found
        elif isinstance(found.result, Answer) and found.result != before.result:
            self.second.add(f"{found.where} (first: {before.where})")


def read_answers(paths: Iterable[Path], model: str) -> BatchAnswers:
    """Read all answers of some files; a damaged line is noted, and what is on it counts as not answered."""
    answers = BatchAnswers()
    for path in paths:
        try:
            with open_unpacked(path) as file:
                _read_file(path.name, file, model, answers)
        except OSError as error:
            raise InvalidFile(path, f"cannot be read ({error.strerror or error}); check the file") from error
    return answers


def _read_file(name: str, file: Any, model: str, answers: BatchAnswers) -> None:
    size = 0
    for line in read_lines(file, MAX_ANSWER_LINE):
        size += line.size
        if size > MAX_UNPACKED_BYTES:
            raise InvalidFile(
                f"{name}:{line.number}", f"more than {MAX_UNPACKED_BYTES:,} bytes after unpacking; split it"
            )
        if line.is_blank:
            continue
        where = f"{name}:{line.number}"
        try:
            if line.data is None:
                raise InvalidFile(where, explain_long_line(MAX_ANSWER_LINE, "no answer is that long"))
            row = Row(where, require_object(where, parse_json(where, line.data.strip())))
            answers.add(_read_id(row), Found(where, _read_result(row, model)))
        except RecursionError:
            answers.damaged.add(f"{where}: nested too deep to be an answer")
        except InvalidFile as error:
            answers.damaged.add(str(error))


def _read_id(row: Row) -> str:
    custom_id = row.text("custom_id")
    if len(custom_id) > MAX_ID:
        raise row.error(f"`custom_id` has {len(custom_id):,} characters; ours are shorter")
    return custom_id


def _read_result(row: Row, model: str) -> Answer | EngineFailed:
    """Return the answer of a line, or why the request failed.

    Raises:
        InvalidFile: The line is in neither format, or what it says of its citations cannot be.
    """
    try:
        answer = _read_message(row.row("result"), model) if row.has("result") else _read_response(row, model)
    except EngineFailed as error:
        return error
    return replace(answer, citations=_read_citations(row))


def _read_response(row: Row, model: str) -> Answer:
    """Read a line of OpenAI's output or error file."""
    if row.has("error"):
        error = row.row("error")
        kind = base.TIMED_OUT if error.value.get("code") == "batch_expired" else base.SERVER_ERROR
        raise EngineFailed(kind, _shorten(error.value.get("message") or error.value.get("code")))
    if not row.has("response"):
        raise row.error(f"neither `response` nor `error` nor `result` (keys seen: {row.keys})")
    response = row.row("response")
    status = response.whole("status_code") if response.has("status_code") else 200
    body = json.dumps(response.value.get("body")).encode()
    if not 200 <= status < 300:
        kind = base.SERVER_ERROR if status >= 500 else base.REFUSED
        kind = base.RATE_LIMITED if status == _TOO_MANY_REQUESTS else kind
        raise EngineFailed(kind, f"status {status}: {response_parsing.extract_message(body, _shorten)}")
    return response_parsing.parse_completion(body, model, _shorten)


def _read_message(result: Row, model: str) -> Answer:
    """Read a line of Anthropic's results."""
    kind = result.text("type")
    if kind in _NOT_SUCCEEDED:
        error = result.value.get("error")
        while isinstance(error, dict) and "message" not in error and "error" in error:
            error = error["error"]
        message = error.get("message") if isinstance(error, dict) else None
        raise EngineFailed(_NOT_SUCCEEDED[kind], _shorten(message or kind))
    if kind != "succeeded":
        raise result.error(f"`type` is {kind[:40]!r}, and must be succeeded or one of {', '.join(_NOT_SUCCEEDED)}")
    message = result.row("message")
    usage = message.value.get("usage")
    reason = message.value.get("stop_reason")
    # The same checks as for any other completion.
    completion = {
        "model": message.value.get("model"),
        "choices": [
            {
                "message": {"content": _list_texts(message.value.get("content"))},
                "finish_reason": "content_filter" if reason == "refusal" else _FINISHES.get(str(reason), reason),
            }
        ],
        "usage": {
            ours: usage.get(theirs)
            for ours, theirs in (("prompt_tokens", "input_tokens"), ("completion_tokens", "output_tokens"))
        }
        if isinstance(usage, dict)
        else None,
    }
    return response_parsing.parse_completion(json.dumps(completion).encode(), model, _shorten)


def _list_texts(content: object) -> object:
    """Return the blocks of text alone: thinking and the use of tools are no part of the answer."""
    if not isinstance(content, list):
        return content
    return [part for part in content if not isinstance(part, dict) or part.get("type", "text") == "text"]


def _read_citations(row: Row) -> Mapping[str, Any] | None:
    if row.has("citations"):
        known = row.row("citations")
    elif row.has("probabilities"):
        known = Row(row.where, {"forced": row.value["probabilities"]})
    else:
        return None
    return dict(_read_known(known))


def _read_known(row: Row) -> Iterator[tuple[str, Any]]:
    for key in ("forced", "own_probabilities"):
        if row.has(key):
            yield key, row.probabilities(key)
    for key in ("own", "willing"):
        if row.has(key):
            yield key, _count(row, key)


def _count(row: Row, key: str) -> int:
    number = row.whole(key)
    if number < 0:
        raise row.error(f"`{key}` is {number}, and must not be negative")
    return number


def _shorten(text: object) -> str:
    return make_visible(str(text or "").strip()[:_MAX_MESSAGE])
