"""Front matter of every shape: the keys that are read, values of every YAML form, and openings that never close."""

from __future__ import annotations

import random

from fuzz.mutate.text import ODD, SCALES

KEYS = (
    "title", "Title", "TITLE", "date", "updated", "modified", "lastmod", "last_modified_at", "published", "pubdate",
    "author", "language", "lang", "draft", "tags", "_x", "a" * 64, "a" * 65, "key with space", "ключ", "date:", "-",
)  # fmt: skip
VALUES = (
    "2025-03-04", "2025-13-45", "0000-00-00", "9999-12-31", "12 March 2025", "March", "2025", "2025-03-04T10:00:00Z",
    "'single'", "\"double\"", "'open", "\"", "''", "[a, b]", "{a: b}", "|", ">-", "&anchor x", "*alias", "!!python/x",
    "null", "true", "1e999", "-0", "a: b: c", "# comment", "value # comment", "\\", "~", "<script>alert(1)</script>",
    "{{ x }}", "=1+1", "A title with “quotes” and 14%", "x" * 300, "", " ", "\t",
)  # fmt: skip
OPENINGS = ("---\n", "---\r\n", "\ufeff---\n", "--- \n", "---", "----\n", " ---\n", "+++\n", "---\n---\n")
CLOSINGS = ("---\n", "...\n", "---", "--- \r\n", "", "----\n", " ---\n", "---x\n", "...\n...\n")


def make_front_matter(rng: random.Random) -> str:
    """Return front matter, or what nearly is."""
    lines = []
    for _ in range(rng.randrange(9)):
        value = rng.choice(VALUES) if rng.random() < 0.8 else rng.choice(ODD) * rng.choice(SCALES)
        indent = rng.choice(("", "", "", "", "  ", "- ", "\t"))
        colon = rng.choice((": ", ": ", ":", " : ", ":\t", " "))
        lines.append(f"{indent}{rng.choice(KEYS)}{colon}{value}")
    end = rng.choice(("\n", "\n", "\n", "\r\n", "\r"))
    return rng.choice(OPENINGS) + end.join([*lines, ""]) + rng.choice(CLOSINGS)
