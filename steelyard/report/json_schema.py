"""The JSON Schema of `steelyard score --format json`; docs/schema/score.schema.json is written from it."""

from __future__ import annotations

from typing import Any

from steelyard.components import COMPONENTS
from steelyard.languages import CODES

_NUMBER = {"type": "number"}
_POINTS = {"type": "number", "minimum": 0, "maximum": 100}
_TEXT = {"type": "string"}
_TEXT_OR_NULL = {"type": ["string", "null"]}
_COUNT = {"type": "integer", "minimum": 0}


def _object(properties: dict[str, Any], *, optional: tuple[str, ...] = ()) -> dict[str, Any]:
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": True}


_EVIDENCE = _object({"start": _COUNT, "end": _COUNT, "line": {"type": "integer", "minimum": 1}, "pattern": _TEXT})


def _component(symbols: tuple[str, ...]) -> dict[str, Any]:
    return _object(
        {
            "value": _POINTS,
            "transformed": _POINTS,
            "weight": {"type": "number", "minimum": 0, "maximum": 1},
            "points": _POINTS,
            "degenerate": _TEXT_OR_NULL,
            "parts": {"type": "object", "required": list(symbols)},
            "evidence": {"type": "array", "items": _EVIDENCE},
        }
    )


_SHARE = {"type": "number", "minimum": 0, "maximum": 1}
_MANIPULATION = _object(
    {
        "suspicion": _SHARE,
        "threshold": _SHARE,
        "flagged": {"type": "boolean"},
        "false_positive_rate": _SHARE,
        "signals": {
            "type": "object",
            "additionalProperties": _object(
                {
                    "suspicion": _SHARE,
                    "statistic": {"type": "number", "minimum": 0},
                    "threshold": {"type": "number", "minimum": 0},
                    "flagged": {"type": "boolean"},
                    "parts": {"type": "object"},
                }
            ),
        },
        "evidence": {
            "type": "array",
            "items": _object(
                {"detector": _TEXT, "start": _COUNT, "end": _COUNT, "line": {"type": "integer", "minimum": 1}}
            ),
        },
    }
)

_PAGE = _object(
    {
        "source": _TEXT,
        "hash": _TEXT,
        "language": {"enum": list(CODES)},
        "detected_language": _TEXT,
        "title": _TEXT_OR_NULL,
        "words": _COUNT,
        "score": _POINTS,
        "content": _POINTS,
        "freshness": _POINTS,
        "freshness_terms": _object({"date": _POINTS, "temporal": _POINTS, "refs": _POINTS, "updates": _POINTS}),
        "freshness_evidence": {"type": "array", "items": _EVIDENCE},
        "cap": {"enum": [35.0, 50.0, 65.0, None]},
        "guard": {"enum": ["near-empty", "gibberish", "word-salad", None]},
        "guard_reason": _TEXT_OR_NULL,
        "unvalidated": _object(
            {"naturalness": {"type": ["number", "null"]}, "brand_trust": {"type": ["number", "null"]}}
        ),
        "offsets": {"enum": ["source", "extracted"]},
        "components": _object({c.name: _component(c.symbols) for c in COMPONENTS}),
        "moves": {
            "type": "array",
            "items": _object({"component": _TEXT, "action": _TEXT, "gain": _NUMBER, "line": _COUNT}),
        },
        "url": _TEXT,
        "text": _TEXT_OR_NULL,
        "manipulation": _MANIPULATION,
    },
    optional=("url", "text", "manipulation"),
)

SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "steelyard score --format json",
    **_object(
        {
            "schema_version": {"const": 1},
            "tool": _object({"name": {"const": "steelyard"}, "version": _TEXT}),
            "scoring": _object({"weights": _TEXT, "as_of": {"type": "string", "format": "date"}}),
            "pages": {"type": "array", "items": _PAGE},
            "errors": {"type": "array", "items": _object({"source": _TEXT, "error": _TEXT})},
        }
    ),
}
