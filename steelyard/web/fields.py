"""The fields of requests: one table checks them, and the OpenAPI document is made from it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from steelyard.languages import CODES
from steelyard.scoring import editions
from steelyard.support.escape import make_visible
from steelyard.support.jsonl import explain_bad_json
from steelyard.web.refusals import Refused

LONGEST_ADDRESS = 2_000  # characters
LONGEST_TITLE = 1_000
MOST_PAGES = 10_000  # of an audit
DEFAULT_PAGES = 200
_LONGEST_NAME = 40  # characters shown of an unknown key
_UNREADABLE = "not UTF-8, nested too deeply, or a number too long"

Schema = dict[str, Any]
Values = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Field:
    """One key of a request, its JSON schema and its meaning."""

    name: str
    schema: Schema
    about: str

    def describe(self) -> Schema:
        """Return the schema with its description."""
        return {**self.schema, "description": self.about}


@dataclass(frozen=True, slots=True)
class Form:
    """The keys of a request; exactly one of `either` must be there, and all of `required`."""

    name: str
    fields: tuple[Field, ...]
    either: tuple[str, ...] = ()
    required: tuple[str, ...] = ()

    def describe(self) -> Schema:
        """Return the schema of the whole request."""
        schema: Schema = {
            "type": "object",
            "properties": {field.name: field.describe() for field in self.fields},
            "additionalProperties": False,
        }
        if self.required:
            schema["required"] = list(self.required)
        if self.either:
            schema["oneOf"] = [{"required": [name]} for name in self.either]
        return schema

    def check(self, values: object, where: str = "") -> Values:
        """Return the values of a request.

        Raises:
            Refused: A key is unknown or missing, or a value is not what its schema says.
        """
        if not isinstance(values, dict):
            raise Refused(422, f"{where.rstrip('.') or 'the request'} is not a JSON object")
        known = {field.name: field for field in self.fields}
        for name, value in values.items():
            if name not in known:
                shown = make_visible(name[:_LONGEST_NAME])
                raise Refused(422, f"{where}unknown key “{shown}”; known keys: {', '.join(known)}")
            _check_value(f"{where}{name}", value, known[name].schema)
        for name in self.required:
            if name not in values:
                raise Refused(422, f"{where}{name} is missing")
        if self.either and len([name for name in self.either if name in values]) != 1:
            raise Refused(422, f"{where}give exactly one of {', '.join(self.either)}")
        return values


_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def _check_value(name: str, value: Any, schema: Schema) -> None:
    """Check a value against the few forms of schema that the tables use."""
    kind = schema.get("type")
    if "$form" in schema:
        schema["$form"].check(value, f"{name}.")
    elif kind == "boolean":
        if not isinstance(value, bool):
            raise Refused(422, f"{name} is not true or false")
    elif kind == "integer":
        low, high = schema["minimum"], schema["maximum"]
        # In JSON 3.0 is an integer as well.
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not low <= value <= high or value != int(value):
            raise Refused(422, f"{name} is not a whole number from {low} to {high:,}")
    elif not isinstance(value, str):
        raise Refused(422, f"{name} is not a string")
    elif "enum" in schema and value not in schema["enum"]:
        raise Refused(422, f"{name} is none of {', '.join(schema['enum'])}")
    elif len(value) > schema.get("maxLength", len(value)):
        raise Refused(422, f"{name} is longer than {schema['maxLength']:,} characters")
    elif schema.get("format") == "date":
        _check_date(name, value)
    elif "pattern" in schema and not re.search(schema["pattern"], value):
        raise Refused(422, f"{name} does not begin with http:// or https://")


def _check_date(name: str, value: str) -> None:
    try:
        if _DATE.fullmatch(value):
            date.fromisoformat(value)
            return
    except ValueError:
        pass
    raise Refused(422, f"{name} is not a date; write it as YYYY-MM-DD")


def read_json(body: bytes, form: Form) -> Values:
    """Return the checked values of a JSON body.

    Raises:
        Refused: It is not JSON, or not what the form says.
    """
    try:
        values = json.loads(body)
    except (ValueError, RecursionError) as error:
        reason = explain_bad_json(error) if isinstance(error, json.JSONDecodeError) else _UNREADABLE
        raise Refused(400, f"the request is not JSON: {make_visible(reason)}") from None
    return form.check(values)


def as_integer(values: Mapping[str, Any], name: str, default: int) -> int:
    """Return a whole number, which JSON may write as 3.0."""
    return int(values.get(name, default))


_TEXT: Schema = {"type": "string"}
_FLAG: Schema = {"type": "boolean"}
ADDRESS: Schema = {"type": "string", "maxLength": LONGEST_ADDRESS, "pattern": "^https?://"}

_CHOICES = (
    Field("language", {"type": "string", "enum": ["auto", *CODES]}, "Score the page in this language. Default: auto."),
    Field(
        "edition",
        {"type": "string", "enum": list(editions.NAMES)},
        f"The edition of the score. Default: {editions.DEFAULT}.",
    ),
    Field(
        "as_of", {"type": "string", "format": "date"}, "Count ages up to this date, YYYY-MM-DD. Default: today (UTC)."
    ),
)
_TITLE = Field(
    "title",
    {"type": "string", "maxLength": LONGEST_TITLE},
    "The page's title. Default: that of its HTML or front matter, or its first heading.",
)
_SOURCES = (
    Field("text", _TEXT, "The page as text or Markdown; text that begins like HTML is read as HTML."),
    Field("html", _TEXT, "The page as HTML."),
    Field("url", ADDRESS, "An address: the page is fetched from there. Private addresses are refused by default."),
)
_EITHER = ("text", "html", "url")

SCORE = Form(
    "ScoreRequest",
    (
        *_SOURCES,
        _TITLE,
        *_CHOICES,
        Field("detect", _FLAG, "Also look for manipulation. Default: false."),
        Field("with_text", _FLAG, "Add the text that was scored. Default: false."),
        Field("evidence", _FLAG, "List the evidence of every component. Default: true."),
    ),
    either=_EITHER,
)
VERSION = Form("Version", (*_SOURCES, _TITLE), either=_EITHER)
COMPARE = Form(
    "CompareRequest",
    (
        Field("old", {"$form": VERSION}, "The version before the change."),
        Field("new", {"$form": VERSION}, "The version after it."),
        *_CHOICES,
    ),
    required=("old", "new"),
)
AUDIT = Form(
    "AuditRequest",
    (
        Field("url", ADDRESS, "The address at which the audit starts; its site is audited."),
        Field(
            "max_pages",
            {"type": "integer", "minimum": 1, "maximum": MOST_PAGES},
            f"Visit at most so many pages. Default: {DEFAULT_PAGES}.",
        ),
    ),
    required=("url",),
)


def list_choices() -> Sequence[Field]:
    """Return the fields for language, edition and date, which every form on a page offers."""
    return _CHOICES
