"""The description of the API (OpenAPI 3.1), made from the schemas of requests and answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from steelyard import __version__
from steelyard.pages import json_document
from steelyard.pages.descriptions import SCOPE
from steelyard.support.schema import ANY_OBJECT, TEXT, Schema, list_of, make_object
from steelyard.web import schemas

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
    request: str | None = None  # the name of its schema
    status: str = "200"
    errors: tuple[tuple[str, str], ...] = ()
    parameters: tuple[tuple[str, Schema], ...] = ()

    @property
    def properties(self) -> Schema:
        """The keys of its request, each with its schema."""
        return schemas.REQUESTS[self.request]["properties"] if self.request else {}


_NUMBER = ("number", {"type": "integer", "minimum": 0})
_SITE = ("site", {"type": "string", "minLength": 1, "maxLength": 300})
OPERATIONS = (
    Operation(
        "POST", "/api/score", "score",
        "Score a page. The answer is the document of steelyard score --format json.",
        json_document.SCHEMA, "ScoreRequest", errors=tuple(_NOT_INSTALLED.items()),
    ),
    Operation(
        "POST", "/api/compare", "compare",
        "Compare two versions of a page: points per component, and the evidence gained and lost.",
        schemas.COMPARISON, "CompareRequest", errors=tuple(_NOT_INSTALLED.items()),
    ),
    Operation(
        "GET", "/api/audits", "list_audits", "List the audits of this server's queue, the newest first.",
        make_object({"audits": list_of(schemas.AUDIT_ENTRY)}),
    ),
    Operation(
        "POST", "/api/audits", "start_audit", "Start an audit of a site, or put it into the queue.",
        schemas.AUDIT_ENTRY, "AuditRequest", "202", (("409", "An audit of this address runs or waits already."),),
    ),
    Operation(
        "GET", "/api/audits/{number}", "show_audit", "Follow an audit: its progress and the time that is left.",
        schemas.AUDIT_ENTRY, errors=(("404", "There is no such audit."),), parameters=(_NUMBER,),
    ),
    Operation(
        "DELETE", "/api/audits/{number}", "stop_audit", "Stop an audit; the next one of the same site continues it.",
        schemas.AUDIT_ENTRY, errors=(("404", "There is no such audit."),), parameters=(_NUMBER,),
    ),
    Operation(
        "GET", "/api/sites", "list_sites", "List the sites in the store, with their last audits.",
        make_object({"sites": list_of(schemas.STORED_SITE)}), errors=tuple(_NOT_INSTALLED.items()),
    ),
    Operation(
        "GET", "/api/sites/{site}", "show_site", "List the audits of a site, the newest first.",
        make_object({"site": TEXT, "audits": list_of(schemas.STORED_AUDIT)}),
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
        "components": {"schemas": _describe_requests()},
    }
    if needs_token:
        document["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        document["security"] = [{"token": []}]
    return document


def _describe(operation: Operation, *, needs_token: bool) -> dict[str, Any]:
    errors = {**_ALWAYS, **(_WITH_BODY if operation.request else {}), **dict(operation.errors)}
    if needs_token:
        errors["401"] = "The token is missing or wrong."
    answers = {operation.status: _answer("The answer.", operation.answer)}
    answers |= {status: _answer(about, schemas.ERROR) for status, about in sorted(errors.items())}
    described: dict[str, Any] = {"operationId": operation.id, "summary": operation.about, "responses": answers}
    if operation.request is not None:
        schema = {"$ref": f"#/components/schemas/{operation.request}"}
        described["requestBody"] = {"required": True, "content": {"application/json": {"schema": schema}}}
    if operation.parameters:
        described["parameters"] = [
            {"name": name, "in": "path", "required": True, "schema": schema} for name, schema in operation.parameters
        ]
    return described


def _describe_requests() -> dict[str, Schema]:
    """Return the schemas of requests; one that is part of another is a reference."""
    version = {"$ref": "#/components/schemas/Version"}
    properties = {**schemas.COMPARE["properties"], "old": version, "new": version}
    return {**schemas.REQUESTS, "CompareRequest": {**schemas.COMPARE, "properties": properties}}


def _answer(about: str, schema: Schema) -> dict[str, Any]:
    return {"description": about, "content": {"application/json": {"schema": schema}}}
