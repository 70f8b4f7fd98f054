"""Errors a user can cause. Every message says in one line what was wrong, where, and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

CLOSE = 0.65  # similarity from 0 to 1: `cvs` is this close to `csv`; `nope` is not to `openai`, nor `de` to `en`
MIN_START = 3  # letters a name needs to be understood as the start of a longer one


def suggest_name(name: str, known: Iterable[str]) -> str:
    """Return `; did you mean 'x'?` for a known name that is similar or starts with this one, else an empty string."""
    names = list(known)
    match = difflib.get_close_matches(name, names, n=1, cutoff=CLOSE)
    if not match and len(name) >= MIN_START:
        match = [longer for longer in names if longer.startswith(name)]
    return f"; did you mean {match[0]!r}?" if match else ""


class SteelyardError(Exception):
    """The base class of all errors here; the command line prints the message and exits with 2."""


class UnknownName(SteelyardError):
    """A format, weighting, component or language that does not exist."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        names = list(known)
        super().__init__(f"unknown {kind} {name!r}{suggest_name(name, names)} (known: {', '.join(names)})")


class NotAText(SteelyardError):
    """The name of a file was given where its text is expected."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path!r} is the name of a file, not a text; steelyard.score_file({path!r}) scores the file")


class PageUnreadable(SteelyardError):
    """One page could not be read; the run continues without it."""


def explain_os_error(path: object, error: OSError) -> PageUnreadable:
    """Return the error to raise for a file that the operating system could not open or read."""
    match error:
        case FileNotFoundError():
            return PageUnreadable(f"{path}: no such file or directory; check the path")
        case PermissionError():
            return PageUnreadable(f"{path}: permission denied; make the file readable or leave it out with --exclude")
        case IsADirectoryError():
            return PageUnreadable(f"{path}: a directory, and a file is needed here; name one file in it")
    return PageUnreadable(f"{path}: {error.strerror or error}; check the path")


class UnsupportedLanguage(PageUnreadable):
    """A page is in a language that the edition does not have, or such a language was requested.

    Args:
        language: The language.
        supported: Those that the edition has.
        other_edition: An edition that has the language.
        edition: The edition, where the language was requested; else it was detected.
    """

    def __init__(
        self, language: str, supported: Iterable[str], other_edition: str | None = None, *, edition: str | None = None
    ) -> None:
        self.language = language
        self.other_edition = other_edition
        known = tuple(supported)
        if edition is not None:
            advice = f"edition {other_edition} has it" if other_edition else f"choose one of {', '.join(known)}"
            message = f"language {language!r} is not part of edition {edition}, which has {', '.join(known)}; {advice}"
        else:
            advice = f"--edition {other_edition} has {language!r}, and " if other_edition else ""
            message = (
                f"the text looks like {language!r}, and only {', '.join(known)} are supported; {advice}"
                f"--language {' (or '.join(known[:2])}) scores it anyway, and says so"
            )
        super().__init__(message)


class ExtractionFailed(PageUnreadable):
    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"the HTML could not be read: {reason}; save its text as Markdown and score that")


class ReadingFailed(PageUnreadable):
    """The main text of an HTML page was not found, so that a score would be about something else.

    `outline` has what a visitor sees, and whether it was read.
    """

    BEGINNING = "the main text was not found"
    REMEDY = "name the main part with --selector CSS"

    def __init__(self, reason: str, share: float, outline: tuple[tuple[str, bool], ...] = ()) -> None:
        self.reason = reason
        self.share = share
        self.outline = outline
        read = f"{share:.0%} of the words that a visitor sees were read"
        super().__init__(f"{self.BEGINNING}: {reason}; {read}; {self.REMEDY}")


class InvalidSelector(SteelyardError):
    """A CSS selector cannot be used."""

    def __init__(self, selector: str, reason: str) -> None:
        self.selector = selector
        self.reason = reason
        super().__init__(f"selector {selector!r}: {reason}; write a short CSS selector, for example 'main .article'")


class SelectedNothing(PageUnreadable):
    """A CSS selector fits nothing on a page."""

    def __init__(self, selector: str) -> None:
        self.selector = selector
        super().__init__(
            f"the selector {selector!r} fits nothing that is visible on this page; check it, or leave it out"
        )


class ExtractionStopped(ExtractionFailed):
    """The extraction of a page ended without an answer: it took too long, or the system ended it."""


class InvalidFile(SteelyardError):
    """A file the user gave is wrong; `where` names it (and the line or key), `reason` says what to change."""

    def __init__(self, where: object, reason: str) -> None:
        super().__init__(f"{where}: {reason}")
        self.reason = reason


class InvalidWeights(InvalidFile):
    """A weighting file is wrong; the message names the key."""


class InvalidRecords(InvalidFile):
    """A table of scores given to `domains` is wrong."""


class InvalidLanguageData(InvalidFile):
    """A pattern of a language breaks a rule; the message names the file, the pattern and the rule."""


class InvalidDate(SteelyardError):
    def __init__(self, value: str, where: str) -> None:
        super().__init__(f"{where}: {value!r} is not a date; write it as YYYY-MM-DD, for example 2026-07-01")


class CannotWrite(SteelyardError):
    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: cannot write here ({reason}); choose another file with -o")


class MissingExtra(SteelyardError):
    """A command needs a package that the plain installation does not include."""

    def __init__(self, extra: str | None, package: str) -> None:
        wanted = f"'steelyard[{extra}]'" if extra else package  # some are for their users to choose and install
        super().__init__(f"this needs the package {package!r}; install it with: pip install {wanted}")


class InvalidColumns(SteelyardError):
    """A table lacks a column that is needed, or has one that would be added."""


class OutputClosed(SteelyardError):
    def __init__(self) -> None:
        super().__init__(
            "the reader of the output went away before it was all written; write to a file with -o instead"
        )


class OutputFailed(SteelyardError):
    """Standard output cannot be written, for example because the disk is full."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"standard output: cannot write ({reason}), so the results are not complete; make room or write elsewhere"
        )


class Interrupted(SteelyardError):
    """Ctrl-C was pressed; the results so far have been printed."""

    def __init__(self, done: int) -> None:
        super().__init__(
            f"interrupted: {done:,} page{'' if done == 1 else 's'} scored, the rest not; the results above are partial"
        )


class AuditInterrupted(Interrupted):
    """Ctrl-C was pressed during an audit; the store has what is done."""

    def __init__(self, done: int) -> None:
        addresses = "1 address is" if done == 1 else f"{done:,} addresses are"
        SteelyardError.__init__(self, f"interrupted: {addresses} done; the same command continues the audit")


class CoreUnavailable(SteelyardError):
    """STEELYARD_CORE requires the native core, which is missing or does not fit this package."""

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(
            f"STEELYARD_CORE requires the native core, but {reason}; install it with: {remedy}; or unset STEELYARD_CORE"
        )


class CorpusRefused(InvalidFile):
    """A file or folder given to `filter` cannot be used; the message says why and what to do."""


class RunDiffers(SteelyardError):
    """There is an unfinished run for this output, with other inputs or options."""

    def __init__(self, output: str, folder: str, differences: Iterable[str]) -> None:
        super().__init__(
            f"{output}: an unfinished run has other inputs or options ({'; '.join(differences)}); repeat its command "
            f"to finish it, choose another output, or delete {folder} to start again"
        )


class RunStopped(SteelyardError):
    """A run could not write, for example because the disk is full; what it finished is kept."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(
            f"{path}: cannot write ({reason}); finished parts are kept, so make room or choose another disk and start "
            f"the same command again"
        )


class RunInterrupted(Interrupted):
    """Ctrl-C was pressed during a run that can be continued."""

    def __init__(self, rows: int) -> None:
        SteelyardError.__init__(
            self,
            f"interrupted after {rows:,} row{'' if rows == 1 else 's'}; start the same command again and it continues "
            f"from there",
        )
