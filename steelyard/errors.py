"""Every error a user can cause: what was wrong, where, and what to do, in one line."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class SteelyardError(Exception):
    """The base of all of them; the command line prints its text and exits with 2."""


CLOSE = 0.65  # of 1: `cvs` is as close as that to `csv`, and `nope` not to `openai`, nor `de` to `en`
SHORTEST_START = 3  # letters with which a name is taken for the start of a longer one


def nearest(name: str, known: Iterable[str]) -> str:
    """`; did you mean 'x'?` for a known name that is close or begins like this, or an empty string."""
    names = list(known)
    match = difflib.get_close_matches(name, names, n=1, cutoff=CLOSE)
    if not match and len(name) >= SHORTEST_START:
        match = [longer for longer in names if longer.startswith(name)]
    return f"; did you mean {match[0]!r}?" if match else ""


class UnknownName(SteelyardError):
    """A format, weighting, component or language that does not exist."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        names = list(known)
        super().__init__(f"unknown {kind} {name!r}{nearest(name, names)} (known: {', '.join(names)})")


class NotAText(SteelyardError):
    """The name of a file was given where its text is expected."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path!r} is the name of a file, not a text; steelyard.score_file({path!r}) scores the file")


class PageUnreadable(SteelyardError):
    """One page could not be read; the run goes on without it."""


class NoSuchFile(PageUnreadable):
    def __init__(self, path: str) -> None:
        super().__init__(f"{path}: no such file or directory; check the path")


class PermissionRefused(PageUnreadable):
    def __init__(self, path: str) -> None:
        super().__init__(f"{path}: permission denied; make the file readable or leave it out with --exclude")


class IsADirectory(PageUnreadable):
    def __init__(self, path: str) -> None:
        super().__init__(f"{path}: a directory, and a file is needed here; name one file in it")


class NotARegularFile(PageUnreadable):
    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path}: not a regular file (a device, pipe or socket); pipe it to `steelyard score -` instead"
        )


class TooLarge(PageUnreadable):
    def __init__(self, path: str, size: int, limit: int) -> None:
        super().__init__(f"{path}: {size:,} bytes is over the limit of {limit:,}; raise it with --max-bytes")


class NotText(PageUnreadable):
    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: not text ({reason}); give it as UTF-8 text, Markdown or HTML")


class RecordInvalid(PageUnreadable):
    """One line of a JSONL file is not a page record."""

    def __init__(self, path: str, line: int, reason: str) -> None:
        super().__init__(f"{path}:{line}: {reason}")


class UnsupportedLanguage(PageUnreadable):
    def __init__(self, detected: str, supported: Iterable[str]) -> None:
        names = ", ".join(supported)
        self.detected = detected
        super().__init__(
            f"the text looks like {detected!r}, and only {names} are supported; "
            f"--language en (or fr) scores it anyway, and says so"
        )


class ExtractionFailed(PageUnreadable):
    def __init__(self, reason: str) -> None:
        super().__init__(f"the HTML could not be read: {reason}; save its text as Markdown and score that")


class NoPages(SteelyardError):
    def __init__(self, path: str, suffixes: Iterable[str]) -> None:
        super().__init__(f"{path}: no pages in this directory; pages are files ending in {', '.join(suffixes)}")


class NoMatch(SteelyardError):
    def __init__(self, pattern: str) -> None:
        super().__init__(f"{pattern}: no file matches this pattern; quote it, and use ** to search sub-directories")


class InvalidWeights(SteelyardError):
    """A weighting file is wrong; the message names the key."""

    def __init__(self, where: str, reason: str) -> None:
        super().__init__(f"{where}: {reason}")


class InvalidDate(SteelyardError):
    def __init__(self, value: str, where: str) -> None:
        super().__init__(f"{where}: {value!r} is not a date; write it as YYYY-MM-DD, for example 2026-07-01")


class InvalidRecords(SteelyardError):
    """A table of scores given to `domains` is wrong."""

    def __init__(self, where: str, reason: str) -> None:
        super().__init__(f"{where}: {reason}")


class CannotWrite(SteelyardError):
    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: cannot write here ({reason}); choose another file with -o")


class MissingExtra(SteelyardError):
    """A command needs a package that the plain install does not bring."""

    def __init__(self, extra: str, package: str) -> None:
        super().__init__(f"this needs the package {package!r}; install it with: pip install 'steelyard[{extra}]'")


class PackInvalid(SteelyardError):
    """A pattern pack breaks the dialect; the message names file, pattern and rule."""

    def __init__(self, where: str, reason: str) -> None:
        super().__init__(f"{where}: {reason}")


class OutputClosed(SteelyardError):
    def __init__(self) -> None:
        super().__init__(
            "the reader of the output went away before it was all written; write to a file with -o instead"
        )


class Interrupted(SteelyardError):
    """Ctrl-C; what was scored until then has been printed."""

    def __init__(self, done: int) -> None:
        super().__init__(
            f"interrupted: {done:,} page{'' if done == 1 else 's'} scored, the rest not; the results above are partial"
        )
