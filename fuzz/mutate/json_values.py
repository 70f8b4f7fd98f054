"""Mutations of JSON: a value replaced by one that programs trip over, a key dropped, doubled or renamed."""

from __future__ import annotations

import json
import random
import re
from typing import Any

from fuzz.mutate.text import ODD, mutate_bytes


def _raw(number: str) -> str:
    """Stand for a number that is written as it is given, such as one that no float can hold."""
    return f"@@{number}@@"


_RAW = re.compile('"@@([^"@]*)@@"')
HOSTILE: tuple[Any, ...] = (
    None, True, False, 0, -1, -0.0, 1e308, 2**63, 10**400, "", " ", "x", "\0", "\ud800", "0", "1e9", "NaN",
    "2026-07-01",
    "<script>alert(1)</script>", "../../etc/passwd", "x" * 2000, [], {}, [[]], [None], {"": None}, [1, "a", None, {}],
    _raw("NaN"), _raw("Infinity"), _raw("-Infinity"), _raw("1e999"), _raw("-1e-999"), _raw("9" * 400), _raw("9" * 5000),
    _raw("0." + "3" * 400), _raw("-0"), _raw("1E+2"), _raw("[" * 700 + "]" * 700),
)  # fmt: skip


def mutate_value(rng: random.Random, value: Any) -> Any:
    """Return a copy of a JSON value in which one place was changed."""
    if isinstance(value, dict) and value and rng.random() < 0.85:
        key = rng.choice(list(value))
        changed = dict(value)
        match rng.randrange(8):
            case 0:
                del changed[key]
            case 1:
                changed[rng.choice((key.upper(), key + rng.choice(ODD), "", "__class__", "x"))] = changed.pop(key)
            case 2:
                changed[key] = rng.choice(HOSTILE)
            case 3:
                changed[rng.choice(list(value))] = value[key]
            case _:
                changed[key] = mutate_value(rng, value[key])
        return changed
    if isinstance(value, list) and value and rng.random() < 0.85:
        at = rng.randrange(len(value))
        match rng.randrange(4):
            case 0:
                return [*value[:at], *value[at + 1 :]]
            case 1:
                return [*value, value[at]]
            case _:
                return [*value[:at], mutate_value(rng, value[at]), *value[at + 1 :]]
    if isinstance(value, str) and value and rng.random() < 0.5:
        at = rng.randrange(len(value) + 1)
        return value[:at] + rng.choice(ODD) + value[at:]
    return _nest(rng, value) if rng.random() < 0.1 else rng.choice(HOSTILE)


def _nest(rng: random.Random, value: Any) -> Any:
    for _ in range(rng.choice((1, 5, 60))):
        value = [value] if rng.random() < 0.5 else {"a": value}
    return value


def write_json(rng: random.Random, value: Any) -> bytes:
    """Return a value as JSON that is mostly valid: with escapes or without, sometimes damaged, sometimes too deep."""
    text = json.dumps(value, ensure_ascii=rng.random() < 0.5, separators=rng.choice(((",", ":"), (", ", ": "))))
    data = _RAW.sub(r"\1", text).encode("utf-8", rng.choice(("surrogatepass", "replace")))
    if rng.random() < 0.1:
        data = mutate_bytes(rng, data)
    if rng.random() < 0.01:
        data = data.replace(b"null", b"[" * 100_000, 1)
    return data
