"""The schemas of requests, by which they are checked, and of answers; the OpenAPI document is made of both."""

from __future__ import annotations

import json
from typing import Any

from steelyard.advice.kinds import KINDS
from steelyard.components import NAMES
from steelyard.languages import CODES
from steelyard.pages.page_change import PATTERNED, STEPS
from steelyard.scoring import editions
from steelyard.support.escape import make_visible
from steelyard.support.lines import explain_bad_json
from steelyard.support.schema import (
    BOOLEAN,
    COUNT,
    DATE,
    JSON,
    LINE,
    NUMBER,
    NUMBER_OR_NULL,
    POINTS,
    TEXT,
    TEXT_OR_NULL,
    Schema,
    SchemaError,
    describe,
    limit_text,
    list_of,
    make_input,
    make_object,
    web_address,
)
from steelyard.web.audits import STATES
from steelyard.web.responses import HTTPError

MAX_ADDRESS = 2_000  # characters
MAX_TITLE = 1_000
MAX_SELECTOR = 300
MAX_PAGES = 10_000  # of an audit
DEFAULT_PAGES = 200
_UNREADABLE = "not UTF-8, nested too deeply, or a number too long"

Values = dict[str, Any]


def check_values(values: Any, schema: Schema) -> Values:
    """Return the values of a request.

    Raises:
        HTTPError: A key is unknown or missing, or a value is not what its schema says.
    """
    try:
        JSON.check(values, schema)
    except SchemaError as error:
        raise HTTPError(422, make_visible(str(error))) from None
    return dict(values)


def read_json(body: bytes, schema: Schema) -> Values:
    """Return the checked values of a JSON body.

    Raises:
        HTTPError: It is not JSON, or not what the schema says.
    """
    try:
        values = json.loads(body)
    except (ValueError, RecursionError) as error:
        reason = explain_bad_json(error) if isinstance(error, json.JSONDecodeError) else _UNREADABLE
        raise HTTPError(400, f"the request is not JSON: {make_visible(reason)}") from None
    return check_values(values, schema)


# Language, edition and date, which every form on a page offers as well.
CHOICES: Schema = {
    "language": describe(
        {"type": "string", "enum": ["auto", *CODES]}, "Score the page in this language. Default: auto."
    ),
    "edition": describe(
        {"type": "string", "enum": list(editions.NAMES)}, f"The edition of the score. Default: {editions.DEFAULT}."
    ),
    "as_of": describe(DATE, "Count ages up to this date, YYYY-MM-DD. Default: today (UTC)."),
}
_SOURCES = ("text", "html", "url")
_PAGE: Schema = {
    "text": describe(TEXT, "The page as text or Markdown; text that begins like HTML is read as HTML."),
    "html": describe(TEXT, "The page as HTML."),
    "url": describe(
        web_address(MAX_ADDRESS),
        "An address: the page is fetched from there. Private addresses are refused by default.",
    ),
    "title": describe(
        limit_text(MAX_TITLE), "The page's title. Default: that of its HTML or front matter, or its first heading."
    ),
}

SCORE = make_input(
    {
        **_PAGE,
        **CHOICES,
        "kind": describe(
            {"type": "string", "enum": ["auto", *KINDS]}, "The kind of the page, which moves no point. Default: auto."
        ),
        "uncertain": describe(
            BOOLEAN, "Give findings that the page's own words do not make certain, too. Default: false."
        ),
        "detect": describe(BOOLEAN, "Whether to look for manipulation. Default: true."),
        "selector": describe(limit_text(MAX_SELECTOR), "A CSS selector that picks the main part of HTML."),
        "with_text": describe(BOOLEAN, "Add the text that was scored. Default: false."),
        "evidence": describe(BOOLEAN, "List the evidence of every component. Default: true."),
    },
    exactly_one=_SOURCES,
)
VERSION = make_input(_PAGE, exactly_one=_SOURCES)
COMPARE = make_input(
    {
        "old": describe(VERSION, "The version before the change."),
        "new": describe(VERSION, "The version after it."),
        **CHOICES,
    },
    required=("old", "new"),
)
AUDIT = make_input(
    {
        "url": describe(web_address(MAX_ADDRESS), "The address at which the audit starts; its site is audited."),
        "max_pages": describe(
            {"type": "integer", "minimum": 1, "maximum": MAX_PAGES},
            f"Visit at most so many pages. Default: {DEFAULT_PAGES}.",
        ),
        "edition": CHOICES["edition"],
    },
    required=("url",),
)
REQUESTS = {"ScoreRequest": SCORE, "Version": VERSION, "CompareRequest": COMPARE, "AuditRequest": AUDIT}

ERROR: Schema = make_object({"error": TEXT, "reason": TEXT}, optional=("reason",))
_INTEGER_OR_NULL: Schema = {"type": ["integer", "null"]}
AUDIT_ENTRY: Schema = make_object(
    {
        "number": LINE,
        "url": TEXT,
        "max_pages": LINE,
        "edition": {"enum": list(editions.NAMES)},
        "state": {"enum": list(STATES)},
        "site": TEXT_OR_NULL,
        "audit": _INTEGER_OR_NULL,
        "resumed": BOOLEAN,
        "finished": COUNT,
        "known": COUNT,
        "seconds_left": NUMBER_OR_NULL,
        "mean": NUMBER_OR_NULL,
        "message": TEXT,
    }
)
_PIECES = list_of(make_object({"line": LINE, "pattern": TEXT, "text": TEXT}))
_COMPONENT = {"old_value": POINTS, "new_value": POINTS, "old_points": POINTS, "new_points": POINTS, "change": NUMBER}
COMPARISON: Schema = make_object(
    {
        "scoring": make_object({"edition": {"enum": list(editions.NAMES)}, "weights": TEXT, "as_of": DATE}),
        "old": TEXT,
        "new": TEXT,
        **dict.fromkeys(STEPS, make_object({"old": {}, "new": {}})),
        "change": NUMBER,
        "components": make_object(
            {
                name: make_object(_COMPONENT | ({"gained": _PIECES, "lost": _PIECES} if name in PATTERNED else {}))
                for name in NAMES
            }
        ),
    }
)
STORED_SITE: Schema = make_object(
    {"site": TEXT, "audits": COUNT, "audit": LINE, "pages": COUNT, "mean": NUMBER_OR_NULL}
)
STORED_AUDIT: Schema = make_object(
    {"id": LINE, "site": TEXT, "state": TEXT, "as_of": DATE, "edition": TEXT, "pages": COUNT, "mean": NUMBER_OR_NULL}
)
