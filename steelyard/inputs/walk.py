"""The one walk over directories: for a directory and for a pattern. Links to directories are not followed."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from steelyard.support.paths import is_inside

_MAGIC = "*?["
_ANY_DEPTH = "**"
EVERYTHING = (_ANY_DEPTH, "*")


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A directory that could not be listed."""

    path: str
    reason: str


def is_pattern(target: str) -> bool:
    """Return whether a target has characters that make it a pattern."""
    return any(character in target for character in _MAGIC)


def match_files(pattern: str) -> Iterator[str]:
    """Yield the files that a pattern matches; `**` stands for any number of directories."""
    parts = pattern.replace(os.sep, "/").split("/")
    first = next((at for at, part in enumerate(parts) if is_pattern(part)), len(parts) - 1)
    folder = "/".join([*parts[:first], ""])
    if os.path.isdir(folder or "."):
        pattern_parts = [part for part in parts[first:] if part not in ("", ".")]
        yield from (path for path in walk(folder, pattern_parts) if isinstance(path, str))


def walk(folder: str, parts: Sequence[str] = EVERYTHING) -> Iterator[str | Unreadable]:
    """Yield the regular files below a directory whose path fits, by name, directory by directory.

    Hidden names are skipped unless a part of the pattern begins with a dot, and so are devices, links to directories,
    which could make loops, and links to files outside of the directory.

    Args:
        folder: Where to begin; this may be a link, and empty for the working directory.
        parts: The parts of a pattern, one for each level.
    """
    root = os.path.realpath(folder or ".")
    # A stack, not recursion: directories may be nested deeper than Python's calls.
    waiting: list[Iterator[tuple[str, frozenset[int]]]] = [iter([(folder, _advance(parts, {0}))])]
    while waiting:
        path, places = next(waiting[-1], (None, frozenset()))
        if path is None:
            waiting.pop()
        elif path == folder or (os.path.isdir(path) and not os.path.islink(path)):
            try:
                names = sorted(os.listdir(path or "."))
            except OSError as error:
                yield Unreadable(path, error.strerror or "cannot be listed")
                continue
            waiting.append(_fit(path, names, parts, places))
        elif len(parts) in places and os.path.isfile(path) and (not os.path.islink(path) or is_inside(path, root)):
            yield path


def _fit(
    folder: str, names: Sequence[str], parts: Sequence[str], places: frozenset[int]
) -> Iterator[tuple[str, frozenset[int]]]:
    """Yield the entries of a directory that fit or whose content may, with the parts of the pattern they lead to."""
    for name in names:
        if found := {place for at in places if (place := _step(name, parts, at)) is not None}:
            yield os.path.join(folder, name), _advance(parts, found)


def _step(name: str, parts: Sequence[str], at: int) -> int | None:
    """Return the part of the pattern after a name that fits a part, or None."""
    if at == len(parts):
        return None
    part = parts[at]
    if name.startswith(".") and not part.startswith("."):
        return None
    if part == _ANY_DEPTH:
        return at
    return at + 1 if fnmatch.fnmatch(name, part) else None


def _advance(parts: Sequence[str], places: set[int]) -> frozenset[int]:
    """Return the places with those after each `**`, which may stand for nothing."""
    found = set(places)
    for at, part in enumerate(parts):
        if part == _ANY_DEPTH and at in found:
            found.add(at + 1)
    return frozenset(found)
