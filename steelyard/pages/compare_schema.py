"""The JSON schema of `steelyard compare --format json` for directories (docs/schema/compare.schema.json)."""

from __future__ import annotations

from typing import Any

from steelyard.components import NAMES
from steelyard.pages.compare import SCHEMA_VERSION, STATUSES
from steelyard.scoring.editions import NAMES as EDITIONS
from steelyard.support.schema import (
    COUNT,
    DATE,
    NUMBER_OR_NULL,
    POINTS,
    POINTS_OR_NULL,
    TEXT,
    TEXT_OR_NULL,
    list_of,
    make_object,
)

_CHANGE = {"type": "number", "minimum": -100, "maximum": 100}
_CHANGE_OR_NULL = {"type": ["number", "null"], "minimum": -100, "maximum": 100}
_PLACE = {"type": ["integer", "null"], "minimum": 1}
_COMPONENT = make_object({"old_points": POINTS, "new_points": POINTS, "change": _CHANGE})
_PAGE = make_object(
    {
        "path": TEXT,
        "old_path": TEXT_OR_NULL,
        "status": {"enum": list(STATUSES)},
        "old_score": POINTS_OR_NULL,
        "new_score": POINTS_OR_NULL,
        "change": _CHANGE_OR_NULL,
        "most_moved": {"enum": [*NAMES, None]},
        "components": {**make_object(dict.fromkeys(NAMES, _COMPONENT)), "type": ["object", "null"]},
    }
)
_PLACES = make_object(
    {
        "path": TEXT,
        "old_place": _PLACE,
        "new_place": _PLACE,
        "old_score": NUMBER_OR_NULL,
        "new_score": NUMBER_OR_NULL,
    }
)
SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "steelyard compare --format json, for two directories",
    **make_object(
        {
            "schema_version": {"const": SCHEMA_VERSION},
            "tool": make_object({"name": {"const": "steelyard"}, "version": TEXT}),
            "scoring": make_object({"edition": {"enum": list(EDITIONS)}, "weights": TEXT, "as_of": DATE}),
            "old": TEXT,
            "new": TEXT,
            "counts": make_object(dict.fromkeys((*STATUSES, "unchanged"), COUNT)),
            "mean_change": make_object({"points": _CHANGE_OR_NULL, "pages": COUNT}),
            "pages": list_of(_PAGE),
            "errors": list_of(make_object({"source": TEXT, "error": TEXT})),
            "query": make_object({"query": TEXT, "scope": TEXT, "pages": list_of(_PLACES)}),
        },
        optional=("query",),
    ),
}
