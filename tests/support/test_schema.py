"""Schemas: the checker accepts what the published JSON schema accepts, and its errors say what to write."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest

from steelyard.check.mcp.tools import TOOLS
from steelyard.configuration.keys import make_schema
from steelyard.support.schema import (
    BOOLEAN,
    CHECKED,
    DATE,
    JSON,
    POINTS,
    TEXT,
    TOML,
    Schema,
    SchemaError,
    limit_text,
    list_of,
    make_input,
    web_address,
)
from steelyard.web.schemas import REQUESTS

ANNOTATIONS = {"description", "default", "title", "$schema"}
INPUTS: dict[str, Schema] = {
    "configuration": make_schema(),
    **{f"api {name}": schema for name, schema in REQUESTS.items()},
    **{f"tool {tool.name}": tool.inputs for tool in TOOLS},
}
VALUES: list[Any] = [
    None, True, False, 0, 1, -1, 1.5, 3.0, 100, 101, 10_001, float("inf"), 10**400, "", "a", "auto", "2026", "off",
    "2026-07-01", "2026-02-30", "20260701", "today", "http://a.example/", "ftp://a.example/", "a" * 3_000, [], ["a"],
    [""], [1], [{}], ["a"] * 51, {}, {"text": "a"}, {"text": "a", "html": "b"}, {"path": 1}, {"nothing": 1},
    {"citation_f1": "off"}, {"citation_f1": {"level": "error", "min": 3}}, {"citation_f1": {"min": 101}},
    [{"files": ["a"], "min_score": 3}], [{"files": []}], [{"files": ["a"], "exclude": ["b"]}],
]  # fmt: skip


def walk(schema: Schema) -> Iterator[Schema]:
    yield schema
    inner = [*schema.get("properties", {}).values(), *schema.get("anyOf", ())]
    inner += [schema["items"]] if "items" in schema else []
    inner += schema["oneOf"] if "oneOf" in schema and "type" not in schema else []
    for each in inner:
        yield from walk(each)


@pytest.mark.parametrize("name", INPUTS)
def test_what_is_read_is_declared_in_keywords_that_are_checked(name: str) -> None:
    for schema in walk(INPUTS[name]):
        assert schema.keys() <= CHECKED | ANNOTATIONS
        assert schema.get("type") != "object" or schema["additionalProperties"] is False
        assert schema.get("type") not in ("number", "integer") or {"minimum", "maximum"} <= schema.keys()


def make_examples(schema: Schema) -> Iterator[dict[str, Any]]:
    """Yield objects in which each key has each of the values, beside what is needed."""
    needed: dict[str, Any] = {}
    for key in schema.get("required", ()):
        needed[key] = next(v for v in VALUES if accepts(schema["properties"][key], v) and v)
    for choice in ([], ["text"], ["html"], ["path"], ["text", "html"]):
        base = {**needed, **dict.fromkeys(choice, "a")}
        yield base
        for key in (*schema["properties"], "nothing"):
            yield from ({**base, key: copy.deepcopy(value)} for value in VALUES)
        yield from ({k: v for k, v in base.items() if k != key} for key in base)


def accepts(schema: Schema, value: Any) -> bool:
    validator = jsonschema.Draft202012Validator(schema, format_checker=jsonschema.FormatChecker(["date"]))
    return bool(validator.is_valid(value))


def explain(schema: Schema, value: Any) -> str | None:
    try:
        JSON.check(value, schema)
    except SchemaError as error:
        return str(error)
    return None


@pytest.mark.parametrize("name", INPUTS)
def test_the_checker_accepts_what_the_published_schema_accepts(name: str) -> None:
    schema, counts = INPUTS[name], {True: 0, False: 0}
    for value in [*make_examples(schema), *VALUES]:
        message = explain(schema, value)
        assert (message is None) == accepts(schema, value), value
        assert len(message or "") < 1_000
        counts[message is None] += 1
    assert min(counts.values()) > 5


SCHEMA = make_input(
    {
        "points": POINTS,
        "pages": {"type": "integer", "minimum": 1, "maximum": 10_000},
        "flag": BOOLEAN,
        "day": DATE,
        "edition": {"enum": ["paper", "2026"]},
        "title": limit_text(10),
        "url": web_address(100),
        "names": list_of(TEXT),
        "version": make_input({"text": TEXT, "path": TEXT}, exactly_one=("text", "path")),
        "either": {"anyOf": [make_input({"text": TEXT}), TEXT]},
    }
)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([], "this is a list; write an object with points, pages"),
        ({"point": 1}, "unknown key 'point'; did you mean 'points'? (known: points, pages"),
        ({"x" * 1_000: 1}, f"unknown key '{'x' * 100}' (known: "),
        ({"points": 101}, "points is 101; write a number from 0 to 100"),
        ({"points": True}, "points is true; write a number from 0 to 100"),
        ({"points": float("nan")}, "points is nan; write"),
        ({"points": 10**5_000}, "points is a number of thousands of digits; write"),
        ({"pages": 1.5}, "pages is 1.5; write a whole number from 1 to 10,000"),
        ({"flag": 1}, "flag is 1; write true or false"),
        ({"day": "20260701"}, "day is '20260701'; write a date such as 2026-07-01"),
        ({"day": None}, "day is null; write a date"),
        ({"edition": "2062"}, "edition is '2062'; did you mean '2026'? (known: paper, 2026)"),
        ({"edition": "x" * 1_000}, "edition is '" + "x" * 99 + "…; write one of paper, 2026"),
        ({"title": "x" * 1_000}, "title has 1,000 characters; write at most 10"),
        ({"url": "example.org"}, "url is 'example.org'; write an address that begins with http:// or https://"),
        ({"names": "a"}, "names is 'a'; write a list, such as [\"a\"]"),
        ({"names": ["a", 2]}, "names #2 is 2; write a string"),
        ({"version": {}}, "version: give exactly one of text, path"),
        ({"version": {"file": "a"}}, "version: unknown key 'file' (known: text, path)"),
        ({"version": {"text": {}}}, "version.text is an object; write a string"),
        ({"either": {"text": 3}}, "either.text is 3; write a string"),
        ({"either": 3}, "either is 3; write an object with text, or a string"),
        ({"day": "\u202e\ud800"}, r"day is '\u202e\ud800'; write a date"),
    ],
)
def test_an_error_names_the_place_and_what_to_write(value: Any, message: str) -> None:
    assert str(explain(SCHEMA, value)).startswith(message)


def test_errors_about_toml_speak_of_tables() -> None:
    with pytest.raises(SchemaError, match="title is a table; write a text in quotation marks"):
        TOML.check({"title": {}}, SCHEMA)
