"""The keys of the configuration: what each may be, and what it means."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any, NamedTuple

from steelyard import languages
from steelyard.errors import InvalidFile, UnknownName, suggest_name
from steelyard.scoring import editions
from steelyard.workflow.levels import LEVELS, RULES

Schema = Mapping[str, Any]
_POINTS = {"type": "number", "minimum": 0, "maximum": 100}
_TEXT = {"type": "string", "minLength": 1}
_GLOBS = {"type": "array", "items": _TEXT}
_COMPONENT = {
    "oneOf": [
        {"enum": list(LEVELS)},
        {
            "type": "object",
            "properties": {"level": {"enum": list(LEVELS)}, "min": _POINTS},
            "additionalProperties": False,
        },
    ]
}
DATES = ("today", "commit")
LONGEST_SHOWN = 100  # characters of a wrong value


class Key(NamedTuple):
    """A key of the configuration: its JSON schema, its default, and its meaning in one sentence."""

    schema: Schema
    default: Any
    meaning: str


# Keys that may also stand in an override, for some of the files.
PAGE_KEYS: dict[str, Key] = {
    "min_score": Key(_POINTS, None, "A page that scores less fails."),
    "max_drop": Key(
        _POINTS, 1.0, "A page that loses more points than this against its baseline or its old version fails."
    ),
    "edition": Key({"enum": list(editions.NAMES)}, editions.DEFAULT, "The edition of the score."),
    "weights": Key(_TEXT, None, "A weighting by name, or a .toml or .json file beside the configuration."),
    "language": Key({"enum": ["auto", *languages.CODES]}, "auto", "The language of the pages."),
    "site": Key(_TEXT, None, "The site's own address, by which links to itself are told from sources."),
    "detect": Key({"type": "boolean"}, False, "Whether the detectors look for manipulation."),
    "components": Key(
        {"type": "object", "properties": dict.fromkeys(RULES, _COMPONENT), "additionalProperties": False},
        {},
        "For each component a level, or a table with `level` and `min`, the lowest value from 0 to 100 that passes.",
    ),
}
_OVERRIDE = {
    "type": "object",
    "properties": {"files": _GLOBS, **{name: key.schema for name, key in PAGE_KEYS.items()}},
    "required": ["files"],
    "additionalProperties": False,
}
KEYS: dict[str, Key] = {
    **PAGE_KEYS,
    "include": Key(_GLOBS, [], "Only these files of a directory are checked."),
    "exclude": Key(_GLOBS, [], "These files are not checked, even when they are named."),
    "as_of": Key(
        {"anyOf": [{"enum": list(DATES)}, {"type": "string", "format": "date"}]},
        "today",
        "The date up to which ages are counted: today, commit (the date of the last commit), or a date.",
    ),
    "baseline": Key(_TEXT, "steelyard-baseline.json", "The file of the baseline, beside the configuration."),
    "overrides": Key(
        {"type": "array", "items": _OVERRIDE}, [], "Other settings for some files; the last that fits wins."
    ),
}


def make_schema() -> dict[str, Any]:
    """Return the JSON schema of `steelyard.toml`, for editors."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "steelyard.toml",
        "type": "object",
        "properties": {
            name: {
                **key.schema,
                "description": key.meaning,
                **({} if key.default is None else {"default": key.default}),
            }
            for name, key in KEYS.items()
        },
        "additionalProperties": False,
    }


def check_table(table: Any, where: str, keys: Mapping[str, Key]) -> dict[str, Any]:
    """Return a table of the configuration whose keys and values are right.

    Raises:
        InvalidFile: One of them is wrong; the message names it.
        UnknownName: A key does not exist.
    """
    if not isinstance(table, dict):
        raise InvalidFile(where, f"is a {_name_type(table)}; write it as a table")
    for name, value in table.items():
        if name not in keys:
            raise InvalidFile(where, f"unknown key {name!r}{suggest_name(name, keys)} (known: {', '.join(keys)})")
        _check_value(name, value, where)
    return table


def _check_value(name: str, value: Any, where: str) -> None:
    if name in ("min_score", "max_drop"):
        check_points(value, name, where)
    elif name == "edition":
        _check_name(value, editions.NAMES, name, where)
    elif name == "language":
        _check_name(value, ("auto", *languages.CODES), name, where)
    elif name == "detect":
        if not isinstance(value, bool):
            raise InvalidFile(where, f"detect is {_show(value)}; write true or false")
    elif name in ("include", "exclude", "files"):
        if not isinstance(value, list) or not all(isinstance(glob, str) and glob for glob in value):
            raise InvalidFile(where, f'{name} must be a list of patterns, such as ["docs/**/*.md"]')
    elif name == "as_of":
        _check_date(value, where)
    elif name == "components":
        _check_components(value, where)
    elif name == "overrides":
        _check_overrides(value, where)
    elif not isinstance(value, str) or not value:
        raise InvalidFile(where, f"{name} is {_show(value)}; write a text in quotation marks")


def check_points(value: Any, name: str, where: str) -> None:
    """Check a number of points."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 100:
        raise InvalidFile(where, f"{name} is {_show(value)}; write a number from 0 to 100")


def _check_name(value: Any, known: tuple[str, ...], name: str, where: str) -> None:
    if value not in known:
        raise InvalidFile(where, str(UnknownName(name, value if isinstance(value, str) else _show(value), known)))


def _check_date(value: Any, where: str) -> None:
    if value in DATES or type(value) is date:
        return
    try:
        date.fromisoformat(value)
    except (TypeError, ValueError) as error:
        raise InvalidFile(
            where, f"as_of is {_show(value)}; write today, commit, or a date such as 2026-07-01"
        ) from error


def _check_components(value: Any, where: str) -> None:
    if not isinstance(value, dict):
        raise InvalidFile(where, f"components is a {_name_type(value)}; write it as a table")
    for rule, setting in value.items():
        _check_name(rule, RULES, "component", where)
        if isinstance(setting, dict):
            for name in setting:
                _check_name(name, ("level", "min"), f"key of components.{rule}", where)
            if "min" in setting:
                check_points(setting["min"], f"components.{rule}.min", where)
        level = setting.get("level", LEVELS[0]) if isinstance(setting, dict) else setting
        _check_name(level, LEVELS, f"level of {rule}", where)


def _check_overrides(value: Any, where: str) -> None:
    if not isinstance(value, list):
        raise InvalidFile(where, "overrides must be a list of tables: write [[overrides]] above each")
    files = Key(_GLOBS, [], "The files it is for.")
    for number, table in enumerate(value, start=1):
        own = f"{where}: override {number}"
        check_table(table, own, {"files": files, **PAGE_KEYS})
        if not table.get("files"):
            raise InvalidFile(own, 'has no files; write which it is for, such as files = ["blog/**"]')


def _show(value: Any) -> str:
    """Return a value as a message shows it: not at any length, and no integer of more digits than Python prints."""
    try:
        text = repr(value)
    except ValueError:
        return "a number of thousands of digits"
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"


def _name_type(value: Any) -> str:
    return {bool: "boolean", int: "number", float: "number", str: "text", list: "list"}.get(type(value), "value")
