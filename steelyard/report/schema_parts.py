"""The pieces that the schemas of JSON output are made of."""

from __future__ import annotations

from typing import Any

NUMBER = {"type": "number"}
POSITIVE = {"type": "number", "minimum": 0}
SHARE = {"type": "number", "minimum": 0, "maximum": 1}
POINTS = {"type": "number", "minimum": 0, "maximum": 100}
TEXT = {"type": "string"}
TEXT_OR_NULL = {"type": ["string", "null"]}
COUNT = {"type": "integer", "minimum": 0}
LINE = {"type": "integer", "minimum": 1}
DATE = {"type": "string", "format": "date"}
BOOLEAN = {"type": "boolean"}
ANY_OBJECT = {"type": "object"}
POINTS_OR_NULL = {"type": ["number", "null"], "minimum": 0, "maximum": 100}
NUMBER_OR_NULL = {"type": ["number", "null"]}


def make_object(properties: dict[str, Any], *, optional: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the schema of an object, to which later versions may add properties."""
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": True}


def list_of(items: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a list."""
    return {"type": "array", "items": items}
