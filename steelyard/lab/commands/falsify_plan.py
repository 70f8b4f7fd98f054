"""A plan of `falsify` as a TOML file, for CI: which scorers, on which pages, against which bounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from steelyard.errors import InvalidFile
from steelyard.inputs.page_ref import read_small_file
from steelyard.support.schema import TEXT, TOML, Schema, SchemaError, list_of, make_input
from steelyard.support.toml import parse_toml

MAX_BYTES = 1_000_000
_BOUND: Schema = {"type": "number", "minimum": -1_000_000, "maximum": 1_000_000}
ADVICE = 'write scorers = ["my_module:my_scorer"], and if you like corpus, range = [0, 1], repeat and [bounds]'


@dataclass(frozen=True, slots=True)
class FalsifyPlan:
    """What the file says; None where it says nothing."""

    scorers: tuple[str, ...] = ()
    corpus: str | None = None
    scale: tuple[float, float] | None = None
    repeat: int | None = None
    bounds: Mapping[str, float] | None = None


def make_schema() -> Schema:
    """Return the JSON schema of a plan; the names of the gates are those that there are."""
    from steelyard.lab.protocol.gates import NAMES

    return make_input(
        {
            "scorers": list_of({"type": "string", "minLength": 1}, min_items=1, max_items=100),
            "corpus": TEXT,
            "range": list_of(_BOUND, min_items=2, max_items=2),
            "repeat": {"type": "integer", "minimum": 2, "maximum": 100},
            "bounds": make_input(dict.fromkeys(NAMES, _BOUND)),
        },
        required=["scorers"],
    )


def read_plan(path: str) -> FalsifyPlan:
    """Read a plan.

    Raises:
        InvalidFile: It is not TOML, or a key is unknown or its value wrong; the message names it.
    """
    try:
        table: dict[str, Any] = parse_toml(read_small_file(path, MAX_BYTES, ADVICE))
        TOML.check(table, make_schema())
    except SchemaError as error:
        raise InvalidFile(path, f"{error}; {ADVICE}") from error
    except ValueError as error:
        raise InvalidFile(path, f"not TOML ({error}); {ADVICE}") from error
    low_high = table.get("range")
    return FalsifyPlan(
        tuple(table["scorers"]),
        table.get("corpus"),
        (float(low_high[0]), float(low_high[1])) if low_high else None,
        table.get("repeat"),
        table.get("bounds"),
    )
