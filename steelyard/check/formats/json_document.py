"""The JSON of `steelyard check --format json`: the document, and its schema (docs/schema/check.schema.json)."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import Any

from steelyard import __version__
from steelyard.advice.kinds import KINDS
from steelyard.advice.rule import LEVELS
from steelyard.check.result import CheckedPage, CheckRun
from steelyard.components import NAMES
from steelyard.pages.descriptions import SCOPE
from steelyard.pages.json_document import ERROR, READING
from steelyard.scoring.editions import NAMES as EDITIONS
from steelyard.support.schema import (
    BOOLEAN,
    COUNT,
    DATE,
    LINE,
    NUMBER_OR_NULL,
    POINTS,
    POINTS_OR_NULL,
    TEXT,
    TEXT_OR_NULL,
    list_of,
    make_object,
)

SCHEMA_VERSION = 1


def build_document(run: CheckRun) -> dict[str, Any]:
    """Return the whole document."""
    levels = Counter(f.level for page in run.pages for f in page.reported)
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "steelyard", "version": __version__},
        "scope": SCOPE,
        "as_of": run.as_of.isoformat(),
        "compared_with": run.compared_with,
        "summary": {
            "pages": len(run.pages),
            "failed": len(run.failed),
            "errors": len(run.errors),
            "findings": {level: levels[level] for level in LEVELS},
        },
        "pages": [describe_page(page) for page in run.pages],
        "errors": [e.to_dict() for e in run.errors],
        "notes": list(run.notes),
    }


def describe_page(page: CheckedPage) -> dict[str, Any]:
    """Return a page as one entry of `pages`."""
    return {
        "source": page.path,
        "score": page.score,
        "content": page.content,
        "words": page.words,
        "language": page.language,
        "kind": {"name": page.kind.name, "certain": page.kind.certain},
        "edition": page.edition,
        "hash": page.hash,
        "reading": asdict(page.reading) if page.reading else None,
        "min_score": page.min_score,
        "margin": page.margin,
        "failed": bool(page.failures),
        "failures": list(page.failures),
        "causes": [{"subject": failure.subject, "margin": failure.margin} for failure in page.causes],
        "held": page.held or None,
        "before": {"source": page.before.path, "score": page.before.score} if page.before else None,
        "components": {name: dict(values) for name, values in page.components.items()},
        "findings": [finding.to_dict() for finding in page.findings],
    }


_BOOLEAN_OR_NULL = {"type": ["boolean", "null"]}
_FINDING = make_object(
    {
        **dict.fromkeys(("rule", "component"), TEXT),
        "level": {"enum": list(LEVELS)},
        **dict.fromkeys(("message", "why", "action", "counted"), TEXT),
        **dict.fromkeys(("cost", "gain"), NUMBER_OR_NULL),
        "quote": TEXT,
        "span": list_of(COUNT),
        **dict.fromkeys(("start", "end"), COUNT),
        **dict.fromkeys(("line", "column", "end_line", "end_column"), LINE),
        **dict.fromkeys(("fingerprint", "help"), TEXT),
        **dict.fromkeys(("certain", "is_capped", "is_silenced"), BOOLEAN),
        **dict.fromkeys(("is_new", "is_changed"), _BOOLEAN_OR_NULL),
        "failure": {"type": ["integer", "null"], "minimum": 0},
    }
)
_PAGE = make_object(
    {
        "source": TEXT,
        **dict.fromkeys(("score", "content"), POINTS),
        "words": COUNT,
        "language": TEXT,
        "kind": make_object({"name": {"enum": list(KINDS)}, "certain": BOOLEAN}),
        "edition": {"enum": list(EDITIONS)},
        "hash": TEXT,
        "reading": READING,
        "min_score": POINTS_OR_NULL,
        "margin": NUMBER_OR_NULL,
        "failed": BOOLEAN,
        "failures": list_of(TEXT),
        "causes": list_of(make_object({"subject": TEXT, "margin": NUMBER_OR_NULL})),
        "held": TEXT_OR_NULL,
        "before": {"anyOf": [{"type": "null"}, make_object({"source": TEXT, "score": POINTS})]},
        "components": make_object(
            dict.fromkeys(NAMES, make_object({"value": POINTS, "points": {"type": "number", "minimum": 0}}))
        ),
        "findings": list_of(_FINDING),
    },
    optional=("reading",),
)
SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "steelyard check --format json",
    **make_object(
        {
            "schema_version": {"const": SCHEMA_VERSION},
            "tool": make_object({"name": {"const": "steelyard"}, "version": TEXT}),
            "scope": TEXT,
            "as_of": DATE,
            "compared_with": TEXT_OR_NULL,
            "summary": make_object(
                {
                    **dict.fromkeys(("pages", "failed", "errors"), COUNT),
                    "findings": make_object(dict.fromkeys(LEVELS, COUNT)),
                }
            ),
            "pages": list_of(_PAGE),
            "errors": list_of(ERROR),
            "notes": list_of(TEXT),
        }
    ),
}
