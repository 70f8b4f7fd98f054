"""The JSON of `steelyard score --format json`: the document, and its schema (docs/schema/score.schema.json)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from steelyard import __version__
from steelyard.components import COMPONENTS
from steelyard.languages import CODES
from steelyard.pipeline import PageError, PageResult, Settings, scoring_record
from steelyard.scoring.editions import NAMES as EDITIONS

SCHEMA_VERSION = 1


def build_document(
    pages: Sequence[PageResult],
    errors: Sequence[PageError],
    settings: Settings,
    *,
    with_text: bool = False,
    with_evidence: bool = True,
) -> dict[str, Any]:
    """Return the whole document."""
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "steelyard", "version": __version__},
        "scoring": scoring_record(settings),
        "pages": [r.to_dict(with_text=with_text, with_evidence=with_evidence) for r in pages],
        "errors": [e.to_dict() for e in errors],
    }


_NUMBER = {"type": "number"}
_POSITIVE = {"type": "number", "minimum": 0}
_SHARE = {"type": "number", "minimum": 0, "maximum": 1}
_POINTS = {"type": "number", "minimum": 0, "maximum": 100}
_TEXT = {"type": "string"}
_TEXT_OR_NULL = {"type": ["string", "null"]}
_COUNT = {"type": "integer", "minimum": 0}
_LINE = {"type": "integer", "minimum": 1}
_DATE = {"type": "string", "format": "date"}
_BOOLEAN = {"type": "boolean"}
_ANY_OBJECT = {"type": "object"}
_POINTS_OR_NULL = {"type": ["number", "null"], "minimum": 0, "maximum": 100}
_NUMBER_OR_NULL = {"type": ["number", "null"]}


def _object(properties: dict[str, Any], *, optional: tuple[str, ...] = ()) -> dict[str, Any]:
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": True}


def _list_of(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


_PLACEMENT = {
    **_object({"share": _SHARE, "pages": _COUNT, "set": _TEXT, "hash": _TEXT}),
    "type": ["object", "null"],
}
_EVIDENCE = _list_of(_object({"start": _COUNT, "end": _COUNT, "line": _LINE, "pattern": _TEXT, "family": _TEXT}))


def _component(symbols: tuple[str, ...]) -> dict[str, Any]:
    numbers = {"value": _POINTS, "transformed": _POINTS, "weight": _SHARE, "points": _POINTS}
    parts = {"type": "object", "required": list(symbols)}
    fields = {**numbers, "degenerate": _TEXT_OR_NULL, "parts": parts, "evidence": _EVIDENCE}
    return _object(fields, optional=("evidence",))


_SIGNAL = _object(
    {"suspicion": _SHARE, "statistic": _POSITIVE, "threshold": _POSITIVE, "flagged": _BOOLEAN, "parts": _ANY_OBJECT}
)
_VERDICT = {"suspicion": _SHARE, "threshold": _SHARE, "flagged": _BOOLEAN, "false_positive_rate": _SHARE}
_MANIPULATION = _object(
    {
        **_VERDICT,
        "false_positive_interval": _list_of(_SHARE),
        "honest_kinds": _list_of(_TEXT),
        "signals": {"type": "object", "additionalProperties": _SIGNAL},
        "evidence": _list_of(_object({"detector": _TEXT, "start": _COUNT, "end": _COUNT, "line": _LINE})),
    },
    optional=("evidence",),
)

_PAGE = _object(
    {
        "source": _TEXT,
        "hash": _TEXT,
        "edition": {"enum": list(EDITIONS)},
        "language": {"enum": list(CODES)},
        "detected_language": _TEXT,
        "title": _TEXT_OR_NULL,
        "words": _COUNT,
        "score": _POINTS,
        "content": _POINTS,
        "freshness": _POINTS,
        "reference": _PLACEMENT,
        "freshness_terms": _object({"date": _POINTS, "temporal": _POINTS, "refs": _POINTS, "updates": _POINTS}),
        "freshness_evidence": _EVIDENCE,
        "cap": _POINTS_OR_NULL,
        "guard": {"enum": ["near-empty", "gibberish", "word-salad", None]},
        "guard_reason": _TEXT_OR_NULL,
        "unvalidated": _object({"naturalness": _NUMBER_OR_NULL, "brand_trust": _NUMBER_OR_NULL}),
        "offsets": {"enum": ["source", "extracted"]},
        "components": _object({c.name: _component(c.symbols) for c in COMPONENTS}),
        "moves": _list_of(
            _object(
                {
                    "component": _TEXT,
                    "action": _TEXT,
                    "gain": _NUMBER,
                    "line": _COUNT,
                    "engine_effect": _TEXT_OR_NULL,
                    "quote": _TEXT,
                    "why": _TEXT,
                    "counted": _TEXT,
                    "more": _list_of(_COUNT),
                }
            )
        ),
        "url": _TEXT,
        "text": _TEXT_OR_NULL,
        "manipulation": _MANIPULATION,
    },
    optional=("freshness_evidence", "url", "text", "manipulation"),
)

SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "steelyard score --format json",
    **_object(
        {
            "schema_version": {"const": SCHEMA_VERSION},
            "tool": _object({"name": {"const": "steelyard"}, "version": _TEXT}),
            "scoring": _object(
                {"edition": {"enum": list(EDITIONS)}, "weights": _TEXT, "as_of": {"type": "string", "format": "date"}}
            ),
            "pages": _list_of(_PAGE),
            "errors": _list_of(_object({"source": _TEXT, "error": _TEXT})),
        }
    ),
}
