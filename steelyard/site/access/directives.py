"""The directives of robots meta tags and X-Robots-Tag headers, each with the agent that it is for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

MAX_LENGTH = 8_000  # characters of one value
# Directives that have a value behind a colon, where otherwise the name of an agent stands.
_WITH_VALUE = frozenset(("unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"))
_NO_NAME = frozenset(" \t.;")


class Directive(NamedTuple):
    """One directive, in lower case."""

    agent: str  # "" for everybody
    name: str
    value: str = ""


def read_directives(text: str) -> Iterator[Directive]:
    """Yield the directives of one value; an agent that is named counts for all that follow it."""
    agent = ""
    for part in text[:MAX_LENGTH].lower().split(","):
        name, colon, rest = (piece.strip() for piece in part.partition(":"))
        if colon and name not in _WITH_VALUE and not _NO_NAME & set(name):  # a date holds a colon, too
            agent = "" if name == "*" else name
            name, colon, rest = (piece.strip() for piece in rest.partition(":"))
        if name:
            yield Directive(agent, name, rest)
