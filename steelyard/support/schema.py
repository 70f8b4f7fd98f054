"""Schemas: a structure is declared once, as JSON schema, and what is published is what values are checked against.

A schema that values are checked against uses the keywords of `CHECKED` only; one that describes output may use others.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, NoReturn

from steelyard.errors import SteelyardError, suggest_name
from steelyard.support.formatting import format_count

Schema = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
CHECKED = frozenset(
    "type enum minimum maximum minLength maxLength pattern format items minItems maxItems properties required "
    "additionalProperties anyOf oneOf".split()
)
MAX_SHOWN = 100  # characters of a wrong value or key
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_ADDRESS_PATTERN = "^https?://"
_EXPECTED_BY_PATTERN = {_ADDRESS_PATTERN: "an address that begins with http:// or https://"}

NUMBER: Schema = {"type": "number"}
POSITIVE: Schema = {"type": "number", "minimum": 0}
SHARE: Schema = {"type": "number", "minimum": 0, "maximum": 1}
POINTS: Schema = {"type": "number", "minimum": 0, "maximum": 100}
TEXT: Schema = {"type": "string"}
TEXT_OR_NULL: Schema = {"type": ["string", "null"]}
COUNT: Schema = {"type": "integer", "minimum": 0}
LINE: Schema = {"type": "integer", "minimum": 1}
DATE: Schema = {"type": "string", "format": "date"}
BOOLEAN: Schema = {"type": "boolean"}
ANY_OBJECT: Schema = {"type": "object"}
SHARE_OR_NULL: Schema = {"type": ["number", "null"], "minimum": 0, "maximum": 1}
POINTS_OR_NULL: Schema = {"type": ["number", "null"], "minimum": 0, "maximum": 100}
NUMBER_OR_NULL: Schema = {"type": ["number", "null"]}


def describe(schema: Schema, description: str) -> Schema:
    """Return a schema with its description."""
    return {**schema, "description": description}


def limit_text(max_length: int) -> Schema:
    """Return the schema of a text of at most so many characters."""
    return {"type": "string", "maxLength": max_length}


def web_address(max_length: int) -> Schema:
    """Return the schema of an address of a page or site."""
    return {"type": "string", "maxLength": max_length, "pattern": _ADDRESS_PATTERN}


def list_of(items: Schema, *, min_items: int | None = None, max_items: int | None = None) -> Schema:
    """Return the schema of a list."""
    limits = {"minItems": min_items, "maxItems": max_items}
    return {"type": "array", "items": items, **{name: n for name, n in limits.items() if n is not None}}


def make_object(properties: Schema, *, optional: tuple[str, ...] = ()) -> Schema:
    """Return the schema of an object that is written, to which later versions may add properties."""
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": True}


def make_input(properties: Schema, *, required: Sequence[str] = (), exactly_one: Sequence[str] = ()) -> Schema:
    """Return the schema of an object that is read, in which an unknown key is an error."""
    schema: Schema = {"type": "object", "properties": properties}
    if required:
        schema["required"] = list(required)
    schema["additionalProperties"] = False
    if exactly_one:
        schema["oneOf"] = [{"required": [name]} for name in exactly_one]
    return schema


class SchemaError(SteelyardError):
    """A value does not fit its schema; the message names its place, and says what to write instead."""


@dataclass(frozen=True, slots=True)
class Checker:
    """Checks values against schemas, with errors in the words of the language in which the values are written.

    Args:
        text: What to write for a string.
        table: What to write for an object.
        tables: What to write for a list of objects; `{name}` is where it belongs.
    """

    text: str
    table: str
    tables: str

    def check(self, value: Any, schema: Schema, name: str = "") -> None:
        """Check a value.

        Args:
            value: What was read from JSON or TOML.
            schema: Its schema, with the keywords of `CHECKED` only.
            name: The place of the value; empty for the whole.

        Raises:
            SchemaError: It does not fit.
        """
        if _list_alternatives(schema):
            self._check_alternatives(value, schema, name)
        elif "enum" in schema:
            self._check_choice(value, schema, name)
        elif schema["type"] == "object":
            self._check_object(value, schema, name)
        elif schema["type"] == "array":
            self._check_list(value, schema, name)
        elif schema["type"] == "string":
            self._check_text(value, schema, name)
        elif not (isinstance(value, bool) if schema["type"] == "boolean" else _is_number(value, schema)):
            self._refuse(value, schema, name)

    def _check_alternatives(self, value: Any, schema: Schema, name: str) -> None:
        """Check that one of several schemas fits; an error is that of the only one which is for values of this type."""
        errors = []
        for alternative in _list_alternatives(schema):
            try:
                self.check(value, alternative, name)
            except SchemaError as error:
                if _is_of_type(value, alternative):
                    errors.append(error)
            else:
                return
        if len(errors) == 1:
            raise errors[0]
        self._refuse(value, schema, name)

    def _check_choice(self, value: Any, schema: Schema, name: str) -> None:
        known = schema["enum"]
        if value in known:
            return
        guess = suggest_name(value[:MAX_SHOWN], known) if isinstance(value, str) else ""
        if not guess:
            self._refuse(value, schema, name)
        raise SchemaError(f"{name} is {self._show(value)}{guess} (known: {', '.join(known)})")

    def _check_object(self, value: Any, schema: Schema, name: str) -> None:
        properties: Mapping[str, Schema] = schema["properties"]
        if not isinstance(value, dict):
            self._refuse(value, schema, name)
        where = f"{name}: " if name else ""
        for key, entry in value.items():
            if key not in properties:
                shown = key[:MAX_SHOWN]
                known = f"(known: {', '.join(properties)})"
                raise SchemaError(f"{where}unknown key {shown!r}{suggest_name(shown, properties)} {known}")
            self.check(entry, properties[key], _name_key(name, key))
        for key in schema.get("required", ()):
            if key not in value:
                place = _name_key(name, key)
                raise SchemaError(f"{place} is missing; write {self._describe(properties[key], place)}")
        choices = [choice["required"][0] for choice in schema.get("oneOf", ())]
        if choices and sum(key in value for key in choices) != 1:
            raise SchemaError(f"{where}give exactly one of {', '.join(choices)}")

    def _check_list(self, value: Any, schema: Schema, name: str) -> None:
        if not isinstance(value, list):
            if isinstance(value, str) and schema["items"].get("type") == "string":
                example = json.dumps([value[:MAX_SHOWN]])
                raise SchemaError(f"{name} is {self._show(value)}; write a list, such as {example}")
            self._refuse(value, schema, name)
        low, high = schema.get("minItems", 0), schema.get("maxItems", math.inf)
        if not low <= len(value) <= high:
            count = format_count(len(value), "entry", "entries")
            raise SchemaError(f"{name} has {count}; write {_describe_count(schema)}")
        for number, entry in enumerate(value, start=1):
            self.check(entry, schema["items"], f"{name} #{number}")

    def _check_text(self, value: Any, schema: Schema, name: str) -> None:
        is_date = schema.get("format") == "date"
        if is_date and isinstance(value, date) and not isinstance(value, datetime):  # TOML has dates
            return
        if not isinstance(value, str) or len(value) < schema.get("minLength", 0):
            self._refuse(value, schema, name)
        if len(value) > schema.get("maxLength", math.inf):
            raise SchemaError(f"{name} has {len(value):,} characters; write at most {schema['maxLength']:,}")
        if (is_date and not _is_date(value)) or not re.search(schema.get("pattern", ""), value):
            self._refuse(value, schema, name)

    def _refuse(self, value: Any, schema: Schema, name: str) -> NoReturn:
        place = name or "this"
        raise SchemaError(f"{place} is {self._show(value)}; write {self._describe(schema, place)}")

    def _describe(self, schema: Schema, name: str) -> str:
        """Return what fits a schema, in words."""
        if alternatives := _list_alternatives(schema):
            return ", or ".join(self._describe(alternative, name) for alternative in alternatives)
        if "enum" in schema:
            return f"one of {', '.join(schema['enum'])}"
        match schema["type"]:
            case "object":
                return f"{self.table} with {', '.join(schema['properties'])}"
            case "array" if schema["items"].get("type") == "object":
                return self.tables.format(name=name)
            case "array":
                count = f" of {_describe_count(schema)}" if "minItems" in schema else ""
                return f"a list{count}, each entry {self._describe(schema['items'], name)}"
        return self._describe_scalar(schema)

    def _describe_scalar(self, schema: Schema) -> str:
        match schema["type"]:
            case "boolean":
                return "true or false"
            case "string" if schema.get("format") == "date":
                return "a date such as 2026-07-01"
            case "string":
                return _EXPECTED_BY_PATTERN.get(schema.get("pattern", ""), self.text)
        kind = "a whole number" if schema["type"] == "integer" else "a number"
        return f"{kind} from {schema['minimum']:,} to {schema['maximum']:,}"

    def _show(self, value: Any) -> str:
        """Return a value as a message shows it: not at any length, and no integer of more digits than Python prints."""
        if isinstance(value, dict):
            return self.table
        if isinstance(value, list):
            return "a list"
        if value is None or isinstance(value, bool):
            return json.dumps(value)
        try:
            text = repr(value[: MAX_SHOWN + 1] if isinstance(value, str) else value)
        except ValueError:
            return "a number of thousands of digits"
        return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"


JSON = Checker("a string", "an object", "a list of objects")
TOML = Checker("a text in quotation marks", "a table", "a list of tables, with [[{name}]] above each")


def _name_key(name: str, key: str) -> str:
    return f"{name}.{key}" if name else key


def _list_alternatives(schema: Schema) -> Iterable[Schema]:
    """Return the schemas of which one must fit; that of an object says by `oneOf` which keys exclude each other."""
    return schema.get("anyOf") or (schema.get("oneOf", ()) if "type" not in schema else ())


def _is_of_type(value: Any, schema: Schema) -> bool:
    kind = "string" if "enum" in schema else schema["type"]
    return isinstance(value, {"object": dict, "array": list, "string": str}[kind])


def _is_number(value: Any, schema: Schema) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    if not schema["minimum"] <= value <= schema["maximum"]:  # NaN and infinity among them
        return False
    return schema["type"] == "number" or value == int(value)  # in JSON 3.0 is an integer as well


def _is_date(text: str) -> bool:
    try:
        return bool(_DATE.fullmatch(text)) and bool(date.fromisoformat(text))
    except ValueError:
        return False


def _describe_count(schema: Schema) -> str:
    low, high = schema.get("minItems", 0), schema.get("maxItems")
    return f"{low} to {high} entries" if high else f"{format_count(low, 'entry', 'entries')} or more"
