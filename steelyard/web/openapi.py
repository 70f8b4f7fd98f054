"""The description of the API (OpenAPI 3.1), made from the tables that check requests and the schemas of the output."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from steelyard import __version__
from steelyard.components import NAMES
from steelyard.report import json_document
from steelyard.report.descriptions import SCOPE
from steelyard.report.page_change import PATTERNED
from steelyard.report.schema_parts import (
    ANY_OBJECT,
    BOOLEAN,
    COUNT,
    DATE,
    LINE,
    NUMBER,
    NUMBER_OR_NULL,
    POINTS,
    TEXT,
    TEXT_OR_NULL,
    list_of,
    make_object,
)
from steelyard.scoring.editions import NAMES as EDITIONS
from steelyard.web.audits import STATES
from steelyard.web.fields import AUDIT, COMPARE, SCORE, VERSION, Form, Schema

ERROR: Schema = make_object({"error": TEXT})
_INTEGER_OR_NULL: Schema = {"type": ["integer", "null"]}
AUDIT_ENTRY: Schema = make_object(
    {
        "number": LINE,
        "url": TEXT,
        "max_pages": LINE,
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
        "scoring": make_object({"edition": {"enum": list(EDITIONS)}, "weights": TEXT, "as_of": DATE}),
        "old": TEXT,
        "new": TEXT,
        **dict.fromkeys(
            ("score", "content", "freshness", "words", "cap", "guard", "language"), make_object({"old": {}, "new": {}})
        ),
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

# What every request may get, besides its own answer.
_ALWAYS = {
    "403": "The request comes from a page of another site.",
    "421": "The server does not answer for this name.",
    "429": "Too many requests; Retry-After says when to try again.",
    "500": "A bug.",
    "503": "The server is busy, or the request took too long.",
}
_WITH_BODY = {
    "400": "The request is not JSON.",
    "408": "The request did not arrive in time.",
    "413": "The request is too large.",
    "415": "The request is not application/json.",
    "422": "A key or value is wrong, or the page cannot be scored.",
}
_NOT_INSTALLED = {"501": "The packages that fetch and store pages are not installed."}


@dataclass(frozen=True, slots=True)
class Operation:
    """One address and method: what it does, takes and answers."""

    method: str
    path: str
    id: str
    about: str
    answer: Schema
    form: Form | None = None
    status: str = "200"
    errors: tuple[tuple[str, str], ...] = ()
    parameters: tuple[tuple[str, Schema], ...] = ()

    @property
    def fields(self) -> Sequence[Any]:
        """The keys of its request."""
        return self.form.fields if self.form else ()


_NUMBER = ("number", {"type": "integer", "minimum": 0})
_SITE = ("site", {"type": "string", "minLength": 1, "maxLength": 300})
OPERATIONS = (
    Operation(
        "POST", "/api/score", "score",
        "Score a page. The answer is the document of steelyard score --format json.",
        json_document.SCHEMA, SCORE, errors=tuple(_NOT_INSTALLED.items()),
    ),
    Operation(
        "POST", "/api/compare", "compare",
        "Compare two versions of a page: points per component, and the evidence gained and lost.",
        COMPARISON, COMPARE, errors=tuple(_NOT_INSTALLED.items()),
    ),
    Operation(
        "GET", "/api/audits", "list_audits", "List the audits of this server's queue, the newest first.",
        make_object({"audits": list_of(AUDIT_ENTRY)}),
    ),
    Operation(
        "POST", "/api/audits", "start_audit", "Start an audit of a site, or put it into the queue.",
        AUDIT_ENTRY, AUDIT, "202", (("409", "An audit of this address runs or waits already."),),
    ),
    Operation(
        "GET", "/api/audits/{number}", "show_audit", "Follow an audit: its progress and the time that is left.",
        AUDIT_ENTRY, errors=(("404", "There is no such audit."),), parameters=(_NUMBER,),
    ),
    Operation(
        "DELETE", "/api/audits/{number}", "stop_audit", "Stop an audit; the next one of the same site continues it.",
        AUDIT_ENTRY, errors=(("404", "There is no such audit."),), parameters=(_NUMBER,),
    ),
    Operation(
        "GET", "/api/sites", "list_sites", "List the sites in the store, with their last audits.",
        make_object({"sites": list_of(STORED_SITE)}), errors=tuple(_NOT_INSTALLED.items()),
    ),
    Operation(
        "GET", "/api/sites/{site}", "show_site", "List the audits of a site, the newest first.",
        make_object({"site": TEXT, "audits": list_of(STORED_AUDIT)}),
        errors=(("404", "There is no audit of this site."), *_NOT_INSTALLED.items()), parameters=(_SITE,),
    ),
    Operation(
        "GET", "/api/leaderboard", "leaderboard", "Rank the sites in the store.",
        ANY_OBJECT, errors=tuple(_NOT_INSTALLED.items()),
    ),
)  # fmt: skip


def build_openapi(*, needs_token: bool) -> dict[str, Any]:
    """Return the document."""
    paths: dict[str, dict[str, Any]] = {}
    for operation in OPERATIONS:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _describe(operation, needs_token=needs_token)
    document: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {"title": "Steelyard", "version": __version__, "description": f"Each score is {SCOPE}."},
        "paths": paths,
        "components": {"schemas": {form.name: _resolve(form.describe()) for form in (SCORE, VERSION, COMPARE, AUDIT)}},
    }
    if needs_token:
        document["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        document["security"] = [{"token": []}]
    return document


def _describe(operation: Operation, *, needs_token: bool) -> dict[str, Any]:
    errors = {**_ALWAYS, **(_WITH_BODY if operation.form else {}), **dict(operation.errors)}
    if needs_token:
        errors["401"] = "The token is missing or wrong."
    answers = {operation.status: _answer("The answer.", operation.answer)}
    answers |= {status: _answer(about, ERROR) for status, about in sorted(errors.items())}
    described: dict[str, Any] = {"operationId": operation.id, "summary": operation.about, "responses": answers}
    if operation.form is not None:
        schema = {"$ref": f"#/components/schemas/{operation.form.name}"}
        described["requestBody"] = {"required": True, "content": {"application/json": {"schema": schema}}}
    if operation.parameters:
        described["parameters"] = [
            {"name": name, "in": "path", "required": True, "schema": schema} for name, schema in operation.parameters
        ]
    return described


def _answer(about: str, schema: Schema) -> dict[str, Any]:
    return {"description": about, "content": {"application/json": {"schema": schema}}}


def _resolve(schema: Schema) -> Schema:
    """Return a schema in which a form inside a form is a reference."""
    properties = {
        name: {"$ref": f"#/components/schemas/{value['$form'].name}"} if "$form" in value else value
        for name, value in schema["properties"].items()
    }
    return {**schema, "properties": properties}
