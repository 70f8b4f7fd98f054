"""Where results go: standard output or a file; styles only on a terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

import click

from steelyard.errors import OutputClosed
from steelyard.support.artifacts import write_text

_STYLES: dict[str, dict[str, object]] = {
    "head": {"bold": True},
    "dim": {"dim": True},
    "good": {"fg": "green"},
    "warn": {"fg": "yellow"},
    "text": {},
}


def emit(text: str, output: str | None) -> None:
    """Write a whole result."""
    if output is not None:
        write_text(output, text)
        return
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError as error:
        close_quietly()
        raise OutputClosed from error


def close_quietly() -> None:
    """Point standard output at nothing, so that the interpreter's last flush cannot fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def styled(lines: Iterable[tuple[str, str]], *, colour: bool) -> str:
    """Lines with their styles, or plain."""
    if not colour:
        return "".join(f"{text}\n" for text, _ in lines)
    return "".join(click.style(text, **_STYLES[style]) + "\n" for text, style in lines)  # type: ignore[arg-type]


def colours(output: str | None) -> bool:
    """Whether standard output is a terminal that wants colours (NO_COLOR says that it does not)."""
    return output is None and sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def warn(message: str) -> None:
    """A line on standard error."""
    click.echo(message, err=True)
