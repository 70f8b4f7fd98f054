"""Patterns of paths as git's ignore files have them, and the ignore file."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable
from functools import cache

from steelyard.errors import InvalidFile
from steelyard.inputs.page_ref import read_small_file
from steelyard.support.paths import is_inside

IGNORE_FILE = ".steelyardignore"
MAX_BYTES = 1_000_000  # bytes


class Globs:
    """Patterns; the last one that fits decides; `!` excepts, `/` at the start means the root."""

    def __init__(self, patterns: Iterable[str], where: str = "pattern") -> None:
        import pathspec  # only where there are patterns

        lines = list(patterns)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about a syntax that Python may change one day
                self._spec = pathspec.GitIgnoreSpec.from_lines(lines)
        except Exception as error:  # the package lets the errors of several regex engines through
            raise InvalidFile(where, f"a pattern cannot be read ({str(error)[:200]})") from error

    def match(self, path: str) -> bool:
        """Return whether a path with slashes, relative to the root, is meant."""
        # A name in an old encoding is no text; no pattern, which is UTF-8, names it, but its directory may be meant.
        return self._spec.match_file(os.fsencode(path).decode("utf-8", "replace"))


class NoGlobs(Globs):
    """No patterns."""

    def __init__(self) -> None:
        pass

    def match(self, path: str) -> bool:
        return False


@cache
def read_ignore_file(root: str) -> Globs:
    """Return the patterns of the ignore file in a directory."""
    path = os.path.join(root, IGNORE_FILE)
    if not os.path.lexists(path):
        return NoGlobs()
    if not is_inside(path, root):  # what is wrong in it would be quoted
        raise InvalidFile(path, f"is a link that leads out of {root}; put the file itself there")
    data = read_small_file(path, MAX_BYTES, "list directories instead of files")
    try:
        return Globs(data.decode("utf-8").splitlines(), path)
    except UnicodeDecodeError as error:
        raise InvalidFile(path, "is not UTF-8; save it as UTF-8") from error
