"""Keys with values of every type, size and spelling: mutations of TOML files, and front matter of every shape."""

from __future__ import annotations

import random

from fuzz.mutate.text import ODD, SCALES, mutate_characters

TOML_VALUES = (
    "1", "0", "-1", "100", "100.1", "1e999", "nan", "inf", "-0.0", "0x7f", "0x" + "f" * 5000, "0b1", "9" * 400,
    "9" * 5000,
    "true", "false", '""', '"x"', '"today"', '"commit"', '"2026-07-01"', '"2026-13-45"', "2026-07-01", "07:32:00",
    "2026-07-01T07:32:00Z", "[]", '["**/*.md"]', '["!"]', '["[", "\\\\"]', "[1]", "[[]]", "{}", '{ level = "error" }',
    "{ min = nan }", "{ min = 50, level = 1 }", '{ level = [] }', "'''x'''", '"""x\ny"""', '"\\ud800"', '"\\u0000"',
    '"paper"', '"2026"', '"en"', '"auto"', '"warning"', '"off"', '"error"', "[" * 500, '"../../x.toml"',
    '"' + "*" * 400 + '"',
)  # fmt: skip
KEYS = (
    "title", "Title", "TITLE", "date", "updated", "modified", "lastmod", "last_modified_at", "published", "pubdate",
    "author", "language", "lang", "draft", "tags", "_x", "a" * 64, "a" * 65, "key with space", "ключ", "date:", "-",
)  # fmt: skip
YAML_VALUES = (
    "2025-03-04", "2025-13-45", "0000-00-00", "9999-12-31", "12 March 2025", "March", "2025", "2025-03-04T10:00:00Z",
    "'single'", "\"double\"", "'open", "\"", "''", "[a, b]", "{a: b}", "|", ">-", "&anchor x", "*alias", "!!python/x",
    "null", "true", "1e999", "-0", "a: b: c", "# comment", "value # comment", "\\", "~", "<script>alert(1)</script>",
    "{{ x }}", "=1+1", "A title with “quotes” and 14%", "x" * 300, "", " ", "\t",
)  # fmt: skip
OPENINGS = ("---\n", "---\r\n", "\ufeff---\n", "--- \n", "---", "----\n", " ---\n", "+++\n", "---\n---\n")
CLOSINGS = ("---\n", "...\n", "---", "--- \r\n", "", "----\n", " ---\n", "---x\n", "...\n...\n")


def mutate_toml(rng: random.Random, text: str, keys: tuple[str, ...]) -> str:
    """Return the text after one random change; `keys` are the ones that mean something."""
    lines = text.split("\n")
    at = rng.randrange(len(lines))
    match rng.randrange(7):
        case 0:
            lines.insert(at, f"{rng.choice(keys)} = {rng.choice(TOML_VALUES)}")
        case 1:
            lines[at] = f"{lines[at].partition('=')[0].strip() or rng.choice(keys)} = {rng.choice(TOML_VALUES)}"
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


def make_front_matter(rng: random.Random) -> str:
    """Return front matter, or what nearly is."""
    lines = []
    for _ in range(rng.randrange(9)):
        value = rng.choice(YAML_VALUES) if rng.random() < 0.8 else rng.choice(ODD) * rng.choice(SCALES)
        indent = rng.choice(("", "", "", "", "  ", "- ", "\t"))
        colon = rng.choice((": ", ": ", ":", " : ", ":\t", " "))
        lines.append(f"{indent}{rng.choice(KEYS)}{colon}{value}")
    end = rng.choice(("\n", "\n", "\n", "\r\n", "\r"))
    return rng.choice(OPENINGS) + end.join([*lines, ""]) + rng.choice(CLOSINGS)
