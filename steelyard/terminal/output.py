"""Write results to standard output or a file, with styles only on a terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import Any

import click

from steelyard.errors import OutputClosed, OutputFailed
from steelyard.support.artifacts import write_text
from steelyard.support.cache import find_folder
from steelyard.terminal.process import silence

_STYLES: dict[str, dict[str, Any]] = {
    "head": {"bold": True},
    "dim": {"dim": True},
    "good": {"fg": "green"},
    "warn": {"fg": "yellow"},
    "error": {"fg": "red"},
    "text": {},
}


def emit(text: str, output: str | None = None) -> None:
    """Write a result to a file, or to standard output when `output` is None.

    Raises:
        OutputClosed: The reader of standard output is gone.
        OutputFailed: Standard output cannot be written, for example because the disk is full.
    """
    if output is not None:
        write_text(output, text)
        return
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError as error:
        silence(sys.stdout)
        raise OutputClosed from error
    except OSError as error:
        silence(sys.stdout)
        raise OutputFailed(error.strerror or str(error)) from error


def apply_styles(lines: Iterable[tuple[str, str]], output: str | None) -> str:
    """Return the lines as text, in colour if standard output is a terminal and NO_COLOR is not set."""
    colour = output is None and sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    return "".join((click.style(text, **_STYLES[style]) if colour else text) + "\n" for text, style in lines)


def warn(message: str) -> None:
    """Print a line on standard error; where that cannot be written, the work goes on without it."""
    try:
        click.echo(message, err=True)
    except OSError:
        silence(sys.stderr)


def warn_once(name: str, message: str) -> None:
    """Print a line on standard error, on a terminal only, and never again for this user.

    Args:
        name: The name under which it is remembered, in the folder of caches.
        message: The line.
    """
    mark = find_folder() / "told" / name
    try:
        if not sys.stderr.isatty() or mark.exists():
            return
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()
    except OSError:  # what cannot be remembered would be printed every time
        return
    warn(f"steelyard: {message}")
