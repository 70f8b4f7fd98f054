"""A page to be scored: where it is, and how to load its text."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass

from steelyard.errors import (
    IsADirectory,
    NoSuchFile,
    NotARegularFile,
    PageUnreadable,
    PermissionRefused,
    TooLarge,
)
from steelyard.text.decoding import decode

DEFAULT_MAX_BYTES = 20_000_000
HTML_SUFFIXES = (".html", ".htm", ".xhtml")


@dataclass(frozen=True, slots=True)
class PageRef:
    """A page by path, or with its text at hand (standard input, a JSONL record), or the error in place of it."""

    source: str
    path: str | None = None
    text: str | None = None
    title: str | None = None
    error: str | None = None
    url: str | None = None
    html: bool = False  # whether the text at hand is HTML, however it opens


def load_text(ref: PageRef, max_bytes: int = DEFAULT_MAX_BYTES) -> str:
    """Return the decoded text of a page, whatever its format.

    Raises:
        PageUnreadable: The page cannot be read; the message says why.
    """
    if ref.error is not None:
        raise PageUnreadable(ref.error)
    if ref.text is None:
        return decode(read_bytes(ref.path or ref.source, max_bytes), ref.source)
    if not isinstance(ref.text, str):
        raise TypeError(f"a page is a string, not {type(ref.text).__name__}; decode bytes first")
    if len(ref.text) > max_bytes:
        raise TooLarge(ref.source, len(ref.text), max_bytes)
    return ref.text


def read_bytes(path: str, max_bytes: int) -> bytes:
    """At most `max_bytes` of a regular file."""
    try:
        status = os.stat(path)
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectory(path)
        if not stat.S_ISREG(status.st_mode):
            raise NotARegularFile(path)
        if status.st_size > max_bytes:
            raise TooLarge(path, status.st_size, max_bytes)
        with open(path, "rb") as file:
            data = file.read(max_bytes + 1)
    except FileNotFoundError as error:
        raise NoSuchFile(path) from error
    except PermissionError as error:
        raise PermissionRefused(path) from error
    except OSError as error:
        raise PageUnreadable(f"{path}: {error.strerror or error}; check the path") from error
    if len(data) > max_bytes:
        raise TooLarge(path, len(data), max_bytes)
    return data
