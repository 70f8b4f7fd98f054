"""Mutations of TOML files: values of every type and size, keys of every spelling, tables in odd places."""

from __future__ import annotations

import random

from fuzz.mutate.text import ODD, mutate_characters

VALUES = (
    "1", "0", "-1", "100", "100.1", "1e999", "nan", "inf", "-0.0", "0x7f", "0x" + "f" * 5000, "0b1", "9" * 400,
    "9" * 5000,
    "true", "false", '""', '"x"', '"today"', '"commit"', '"2026-07-01"', '"2026-13-45"', "2026-07-01", "07:32:00",
    "2026-07-01T07:32:00Z", "[]", '["**/*.md"]', '["!"]', '["[", "\\\\"]', "[1]", "[[]]", "{}", '{ level = "error" }',
    "{ min = nan }", "{ min = 50, level = 1 }", '{ level = [] }', "'''x'''", '"""x\ny"""', '"\\ud800"', '"\\u0000"',
    '"paper"', '"2026"', '"en"', '"auto"', '"warning"', '"off"', '"error"', "[" * 500, '"../../x.toml"',
    '"' + "*" * 400 + '"',
)  # fmt: skip


def mutate_toml(rng: random.Random, text: str, keys: tuple[str, ...]) -> str:
    """Return the text after one random change; `keys` are the ones that mean something."""
    lines = text.split("\n")
    at = rng.randrange(len(lines))
    match rng.randrange(7):
        case 0:
            lines.insert(at, f"{rng.choice(keys)} = {rng.choice(VALUES)}")
        case 1:
            lines[at] = f"{lines[at].partition('=')[0].strip() or rng.choice(keys)} = {rng.choice(VALUES)}"
        case 2:
            lines.insert(
                at, rng.choice((f"[{rng.choice(keys)}]", f"[[{rng.choice(keys)}]]", "[[overrides]]", "[a.b.c]"))
            )
        case 3:
            del lines[at]
        case 4:
            lines.insert(at, lines[rng.randrange(len(lines))])
        case 5:
            lines[at] = lines[at].replace("=", rng.choice(("==", ":", "", ".x =")))
        case _:
            return mutate_characters(rng, text) if rng.random() < 0.7 else text + rng.choice(ODD)
    return "\n".join(lines)
