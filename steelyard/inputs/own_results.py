"""Recognise what Steelyard wrote itself, and other JSON: neither is a page, however much text it holds."""

from __future__ import annotations

import json
from typing import Any

from steelyard.errors import PageUnreadable
from steelyard.inputs.page_ref import read_bytes
from steelyard.text.decoding import decode

JSON_SUFFIX = ".json"
TABLE_SUFFIX = ".csv"
_TOOL = "steelyard"
_TABLE_HEAD = 4096  # bytes; the head of our own table is a fifth of it
_TABLE_COLUMNS = {"source", "score", "content", "freshness", "shannon_entropy"}


def explain_refusal(path: str, max_bytes: int) -> str | None:
    """Return why a JSON or CSV file is no page; None for other files, and for one that cannot be read or parsed."""
    lowered = path.lower()
    if not lowered.endswith((JSON_SUFFIX, TABLE_SUFFIX)):
        return None
    try:
        text = decode(read_bytes(path, max_bytes), path)
    except PageUnreadable:  # whoever loads the page says so
        return None
    if lowered.endswith(TABLE_SUFFIX):
        columns = text[:_TABLE_HEAD].split("\n", 1)[0].strip().split(",")
        return _explain_scores(path) if set(columns) >= _TABLE_COLUMNS else None
    value = _parse(text)
    if not isinstance(value, dict | list):
        return None
    advice = "write pages as records with a `text` key, one per line, in a .jsonl file"
    return _explain_result(value, path) or f"{path}: this is JSON, not a page; {advice}"


def explain_piped_result(text: str, name: str) -> str | None:
    """Return why a text from standard input is no page, if it is a result of Steelyard."""
    if not text.startswith("{") or f'"{_TOOL}' not in text:
        return None
    return _explain_result(_parse(text), name, is_file=False)


def explain_score_record(record: dict[str, Any], path: str) -> str | None:
    """Return why a line of JSONL is no page, if it is one that `steelyard score` wrote without the text."""
    is_scored = isinstance(record.get("scoring"), dict) and "source" in record
    return _explain_scores(path) if is_scored else _explain_result(record, path)


def _explain_result(value: Any, name: str, *, is_file: bool = True) -> str | None:
    """Return the refusal of a JSON document of our own: the scores of pages, or the result of another command."""
    if not isinstance(value, dict):
        return None
    tool, schema = value.get("tool"), value.get("schema")
    is_ours = isinstance(tool, dict) and tool.get("name") == _TOOL
    if is_ours and isinstance(value.get("pages"), list):
        return _explain_scores(name, is_file=is_file)
    if is_ours or (isinstance(schema, str) and schema.startswith(f"{_TOOL}.")):
        kind = f" ({schema})" if isinstance(schema, str) else ""
        return f"{name}: this is a result of {_TOOL}{kind}, not a page; score the page itself"
    return None


def _explain_scores(name: str, *, is_file: bool = True) -> str:
    rank = f"`{_TOOL} leaderboard {name}`" if is_file else f"`{_TOOL} leaderboard FILE`"
    advice = f"score the page itself, or rank the domains of its pages with {rank}"
    return f"{name}: this is a result of `{_TOOL} score`, not a page; {advice}"


def _parse(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
