"""The keys of the configuration. Each is declared here once: what it may be, what it means, and what it sets."""

from __future__ import annotations

from typing import Any, NamedTuple

from steelyard import languages
from steelyard.advice.kinds import KINDS
from steelyard.advice.rule import SETTABLE
from steelyard.advice.rules import RULES
from steelyard.errors import InvalidFile
from steelyard.scoring import editions
from steelyard.support.schema import (
    BOOLEAN,
    DATE,
    DIALECT,
    POINTS,
    TOML,
    Schema,
    SchemaError,
    describe,
    list_of,
    make_input,
)

DATES = ("today", "commit")
_LEVEL: Schema = {"enum": list(SETTABLE)}
_TEXT: Schema = {"type": "string", "minLength": 1}
_COMPONENT: Schema = {"oneOf": [_LEVEL, make_input({"level": _LEVEL, "min": POINTS})]}


class Key(NamedTuple):
    """A key of the configuration: its JSON schema, its default, its meaning, and which field of `Settings` it sets.

    A key that sets no field decides which files are checked, or whether a page passes.
    """

    schema: Schema
    default: Any
    meaning: str
    sets: str | None = None


# Keys that may also stand in an override, for some of the files.
PAGE_KEYS: dict[str, Key] = {
    "min_score": Key(POINTS, None, "A page that scores less fails."),
    "max_drop": Key(
        POINTS, 1.0, "A page that loses more points than this against its baseline or its old version fails."
    ),
    "edition": Key({"enum": list(editions.NAMES)}, editions.DEFAULT, "The edition of the score.", "edition"),
    "weights": Key(_TEXT, None, "A weighting by name, or a .toml or .json file beside the configuration.", "weights"),
    "language": Key({"enum": ["auto", *languages.CODES]}, "auto", "The language of the pages.", "language"),
    "kind": Key(
        {"enum": ["auto", *KINDS]}, "auto", "The kind of the pages, which decides what advice is given.", "kind"
    ),
    "site": Key(_TEXT, None, "The site's own address, by which links to itself are told from sources.", "url"),
    "selector": Key(_TEXT, None, "A CSS selector that picks the main part of HTML pages.", "selector"),
    "detect": Key(BOOLEAN, False, "Whether the detectors look for manipulation.", "detect"),
    "uncertain": Key(BOOLEAN, False, "Whether findings that are not certain are shown too.", "uncertain"),
    "components": Key(
        make_input(dict.fromkeys(RULES, _COMPONENT)),
        {},
        "For each component a level, or a table with `level` and `min`, the lowest value from 0 to 100 that passes.",
    ),
}
_OVERRIDE = make_input(
    {"files": list_of(_TEXT, min_items=1), **{name: key.schema for name, key in PAGE_KEYS.items()}}, required=["files"]
)
KEYS: dict[str, Key] = {
    **PAGE_KEYS,
    "include": Key(list_of(_TEXT), [], "Only these files of a directory are checked."),
    "exclude": Key(list_of(_TEXT), [], "These files are not checked, even when they are named."),
    "as_of": Key(
        {"anyOf": [{"enum": list(DATES)}, DATE]},
        "today",
        "The date up to which ages are counted: today, commit (the date of the last commit), or a date.",
        "as_of",
    ),
    "baseline": Key(_TEXT, "steelyard-baseline.json", "The file of the baseline, beside the configuration."),
    "overrides": Key(list_of(_OVERRIDE), [], "Other settings for some files; the last that fits wins."),
}


def make_schema() -> Schema:
    """Return the JSON schema of `steelyard.toml`, for editors and for `check_table`."""
    properties = {
        name: {
            **describe(key.schema, key.meaning),
            **({} if key.default is None else {"default": key.default}),
        }
        for name, key in KEYS.items()
    }
    return {"$schema": DIALECT, "title": "steelyard.toml", **make_input(properties)}


def check_table(table: Any, where: str) -> dict[str, Any]:
    """Return a configuration whose keys and values are right.

    Raises:
        InvalidFile: A key is unknown or a value wrong; the message names it.
    """
    try:
        TOML.check(table, make_schema())
    except SchemaError as error:
        raise InvalidFile(where, str(error)) from error
    return dict(table)
