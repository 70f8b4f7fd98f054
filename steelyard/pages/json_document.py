"""The JSON of `steelyard score --format json`: the document, its schema (docs/schema/score.schema.json), its writer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from steelyard import __version__
from steelyard.advice.kinds import KINDS
from steelyard.components import COMPONENTS
from steelyard.languages import CODES
from steelyard.pipeline import PageError, PageResult
from steelyard.scoring.editions import NAMES as EDITIONS
from steelyard.scoring.reference import FAIR, GOOD, POOR
from steelyard.scoring.sections import EVIDENCE
from steelyard.settings import Settings
from steelyard.support.artifacts import to_json
from steelyard.support.schema import (
    ANY_OBJECT,
    BOOLEAN,
    COUNT,
    LINE,
    NUMBER_OR_NULL,
    POINTS,
    POINTS_OR_NULL,
    POSITIVE,
    SHARE,
    SHARE_OR_NULL,
    TEXT,
    TEXT_OR_NULL,
    describe,
    list_of,
    make_object,
)
from steelyard.text.dates import SOURCES

SCHEMA_VERSION = 1
# What the pages and the errors of a document follow.
_PAGES_START, _ERRORS_START = '"pages": [', '],\n  "errors": '


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
        "scoring": settings.to_dict(),
        "pages": [r.to_dict(with_text=with_text, with_evidence=with_evidence) for r in pages],
        "errors": [e.to_dict() for e in errors],
    }


_PLACEMENT = {
    **make_object(
        {"share": SHARE, "pages": COUNT, "set": TEXT, "hash": TEXT, "fair_from": POINTS, "good_from": POINTS}
    ),
    "type": ["object", "null"],
}
_EVIDENCE = list_of(make_object({"start": COUNT, "end": COUNT, "line": LINE, "pattern": TEXT, "family": TEXT}))


def _component(symbols: tuple[str, ...]) -> dict[str, Any]:
    numbers = {"value": POINTS, "transformed": POINTS, "weight": SHARE, "points": POINTS}
    parts = {"type": "object", "required": list(symbols)}
    fields = {**numbers, "degenerate": TEXT_OR_NULL, "parts": parts, "evidence": _EVIDENCE}
    return make_object(fields, optional=("evidence",))


_SIGNAL = make_object(
    {"suspicion": SHARE, "statistic": POSITIVE, "threshold": POSITIVE, "flagged": BOOLEAN, "parts": ANY_OBJECT}
)
_VERDICT = {"suspicion": SHARE, "threshold": SHARE, "flagged": BOOLEAN, "false_positive_rate": SHARE_OR_NULL}
_MANIPULATION = make_object(
    {
        **_VERDICT,
        "false_positive_interval": list_of(SHARE),
        "false_positive_pages": COUNT,
        "length": TEXT,
        "honest_kinds": list_of(TEXT),
        "signals": {"type": "object", "additionalProperties": _SIGNAL},
        "evidence": list_of(make_object({"detector": TEXT, "start": COUNT, "end": COUNT, "line": LINE})),
    },
    optional=("evidence",),
)

_DATE_OR_NULL = {"type": ["string", "null"], "format": "date"}
SECTIONS = list_of(
    make_object(
        {
            "heading": TEXT_OR_NULL,
            "line": LINE,
            "words": COUNT,
            "content": POINTS_OR_NULL,
            "evidence": make_object(dict.fromkeys(EVIDENCE, COUNT)),
            "reason": TEXT_OR_NULL,
        }
    )
)
READING = make_object(
    {"confidence": {"enum": ["good", "doubtful", "failed"]}, "read_share": SHARE, "reason": TEXT_OR_NULL}
) | {"type": ["object", "null"]}
ERROR = make_object({"source": TEXT, "error": TEXT, "reason": TEXT}, optional=("reason",))

_PAGE = make_object(
    {
        "source": TEXT,
        "hash": TEXT,
        "edition": {"enum": list(EDITIONS)},
        "language": {"enum": list(CODES)},
        "detected_language": TEXT,
        "title": TEXT_OR_NULL,
        "words": COUNT,
        "score": POINTS,
        "content": POINTS,
        "freshness": POINTS,
        "dates": make_object(
            {"published": _DATE_OR_NULL, "updated": _DATE_OR_NULL, "from": {"enum": [*SOURCES, None]}}
        ),
        "reference": _PLACEMENT,
        "rating": {"enum": [GOOD, FAIR, POOR, None]},
        "meaning": TEXT,
        "freshness_terms": make_object({"date": POINTS, "temporal": POINTS, "refs": POINTS, "updates": POINTS}),
        "freshness_evidence": _EVIDENCE,
        "cap": POINTS_OR_NULL,
        "held": TEXT_OR_NULL,
        "guard": {"enum": ["near-empty", "gibberish", "word-salad", None]},
        "guard_reason": TEXT_OR_NULL,
        "prose": make_object({"words": COUNT, "share": SHARE, "content_words": COUNT}),
        "kind": make_object(
            {"name": {"enum": list(KINDS)}, "certain": BOOLEAN, "because": list_of(TEXT)}, optional=("because",)
        ),
        "unvalidated": make_object({"naturalness": NUMBER_OR_NULL, "brand_trust": NUMBER_OR_NULL}),
        "reading": READING,
        "offsets": {"enum": ["source", "extracted"]},
        "components": make_object({c.name: _component(c.symbols) for c in COMPONENTS}),
        "moves": list_of(
            make_object(
                {
                    "rule": TEXT,
                    "component": TEXT,
                    "action": TEXT,
                    "gain": NUMBER_OR_NULL,
                    "line": COUNT,
                    "column": COUNT,
                    "span": list_of(COUNT),
                    "engine_effect": TEXT_OR_NULL,
                    "quote": TEXT,
                    "message": TEXT,
                    "why": TEXT,
                    "counted": TEXT,
                    "certain": BOOLEAN,
                    "help": TEXT,
                    "more": list_of(COUNT),
                }
            )
        ),
        "sections": SECTIONS,
        "url": TEXT,
        "text": TEXT_OR_NULL,
        "manipulation": describe(_MANIPULATION, "Of `score` and the app by default; absent where nobody looked."),
    },
    optional=("dates", "freshness_evidence", "sections", "prose", "url", "text", "manipulation", "reading"),
)

SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "steelyard score --format json",
    **make_object(
        {
            "schema_version": {"const": SCHEMA_VERSION},
            "tool": make_object({"name": {"const": "steelyard"}, "version": TEXT}),
            "scoring": make_object(
                {"edition": {"enum": list(EDITIONS)}, "weights": TEXT, "as_of": {"type": "string", "format": "date"}}
            ),
            "pages": list_of(_PAGE),
            "errors": list_of(ERROR),
        }
    ),
}


class DocumentStream:
    """A document whose pages are written as they come, so that only the errors are kept until the end."""

    def __init__(self, write: Callable[[str], None], settings: Settings) -> None:
        head, _, _ = to_json(build_document([], [], settings)).partition(_PAGES_START)
        self._write = write
        self._before = head + _PAGES_START  # what the next piece starts with
        self._is_empty = True

    def add(self, page: Mapping[str, Any]) -> None:
        """Write one entry of `pages`."""
        before, self._before, self._is_empty = self._before, ",", False  # first: writing may be interrupted
        self._write(before + "\n    " + _indent(to_json(page), 4))

    def finish(self, errors: Sequence[PageError], more: Mapping[str, Any] | None = None) -> None:
        """Write the errors, further entries of the document, and its end."""
        before = self._before if self._is_empty else "\n  "
        entries = [_ERRORS_START + _indent(to_json([e.to_dict() for e in errors]), 2)]
        entries += [f"\n  {to_json(name)}: {_indent(to_json(value), 2)}" for name, value in (more or {}).items()]
        self._write(before + ",".join(entries) + "\n}\n")


def _indent(text: str, columns: int) -> str:
    """Indent all lines but the first; line breaks inside strings are escaped."""
    return text.replace("\n", "\n" + " " * columns)
