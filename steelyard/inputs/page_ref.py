"""A reference to a page to be scored, and how its bytes and its text are loaded."""

from __future__ import annotations

import os
from dataclasses import dataclass

from steelyard.errors import InvalidFile, PageUnreadable, explain_os_error
from steelyard.support import regular_file
from steelyard.text.decoding import decode
from steelyard.text.html import is_html

DEFAULT_MAX_BYTES = 20_000_000
RAISE = "raise it with --max-bytes"


@dataclass(frozen=True, slots=True)
class PageRef:
    """A page: its path, or its text (from standard input or a JSONL record), or the reason why there is neither."""

    source: str
    path: str | None = None
    text: str | None = None
    title: str | None = None
    error: str | None = None
    url: str | None = None
    html: bool = False  # whether it is known to be HTML, however it begins

    @classmethod
    def from_text(cls, name: str, text: str) -> PageRef:
        """Return a page whose text is at hand, HTML by its name or by its beginning."""
        return cls(name, text=text, html=is_html(text, name=name))


def load_text(ref: PageRef, max_bytes: int = DEFAULT_MAX_BYTES) -> str:
    """Return the decoded text of a page, whatever its format.

    Raises:
        PageUnreadable: The page cannot be read; the message says why.
        TypeError: It has no path, and its text is not a string.
    """
    if ref.error is not None:
        raise PageUnreadable(ref.error)
    if ref.path is not None:  # without one no file is read, whatever the page is called
        return decode(read_bytes(ref.path, max_bytes), ref.source)
    if not isinstance(ref.text, str):
        raise TypeError(f"a page is a string, not {type(ref.text).__name__}; decode bytes first")
    check_size(ref.source, len(ref.text), max_bytes)
    return ref.text


def read_bytes(path: str, max_bytes: int, advice: str = RAISE) -> bytes:
    """Read a regular file of at most `max_bytes`; `advice` says what to do about a larger one.

    Raises:
        PageUnreadable: It is larger, or not there, or a directory, device, pipe or socket.
    """
    check_size(path, require_regular_file(path).st_size, max_bytes, advice)
    try:
        with open(path, "rb") as file:
            data = file.read(max_bytes + 1)
    except OSError as error:
        raise explain_os_error(path, error) from error
    check_size(path, len(data), max_bytes, advice)  # it may have grown meanwhile
    return data


def read_small_file(path: str | os.PathLike[str], max_bytes: int, advice: str) -> bytes:
    """Read a file of settings, or another that is small; `advice` says what to do about a larger one.

    Raises:
        InvalidFile: It is larger.
        PageUnreadable: It is not there, or a directory, device, pipe or socket.
    """
    require_regular_file(str(path))
    try:
        with open(path, "rb") as file:
            data = file.read(max_bytes + 1)
    except OSError as error:
        raise explain_os_error(path, error) from error
    if len(data) > max_bytes:
        raise InvalidFile(path, f"is over {max_bytes:,} bytes; {advice}")
    return data


def require_regular_file(path: str) -> os.stat_result:
    """Raise PageUnreadable for anything but a regular file; reading a pipe could wait forever."""
    return regular_file.require_regular_file(path, "pipe it to `steelyard score -` instead")


def check_length(where: str, length: int, limit: int) -> None:
    """Raise PageUnreadable for a text with more characters than the limit."""
    if length > limit:
        advice = "split the page (--limit text=N allows more, and more memory)"
        raise PageUnreadable(f"{where}: {length:,} characters of text is over the limit of {limit:,}; {advice}")


def check_size(where: str, size: int, limit: int, advice: str = RAISE) -> None:
    """Raise PageUnreadable for a size over the limit."""
    if size > limit:
        raise PageUnreadable(f"{where}: {size:,} bytes is over the limit of {limit:,}; {advice}")
