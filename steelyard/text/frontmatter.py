"""Front matter: the top-level scalars between two `---` lines at the head of a Markdown file. No YAML."""

from __future__ import annotations

import re

MAX_LENGTH = 65_536  # characters searched for the closing line; a longer head is page text

_OPEN = re.compile(r"\ufeff?---[ \t]*\r?\n")
_CLOSE = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE)
_SCALAR = re.compile(r"^([A-Za-z_][A-Za-z0-9_-]{0,63})[ \t]*:[ \t]+(\S.*)$")


def read(text: str) -> tuple[dict[str, str], int]:
    """Return the scalars, with lower-case keys, and the offset of the page text; ({}, 0) without front matter.

    Only `key: value` at the left margin is read; nested values, lists and blocks are skipped.
    """
    opening = _OPEN.match(text)
    if opening is None:
        return {}, 0
    head = text[: opening.end() + MAX_LENGTH].replace("\r", " ")
    closing = _CLOSE.search(head, opening.end())
    if closing is None or closing.end() == len(head) < len(text):  # a line cut by the limit is not read to its end
        return {}, 0
    scalars: dict[str, str] = {}
    for line in head[opening.end() : closing.start()].split("\n"):
        scalar = _SCALAR.match(line)
        if scalar and scalar[2][0] not in "[{|>&*":
            scalars.setdefault(scalar[1].lower(), _unquote(scalar[2].strip()))
    end = closing.end()
    return scalars, end + 1 if end < len(text) else end


def _unquote(value: str) -> str:
    if value[0] in "'\"":
        end = value.find(value[0], 1)
        return value[1:end] if end > 0 else value
    return value.split(" #", 1)[0].rstrip()
