"""A page to be scored: where it is, and how to get its text."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from steelyard.base.errors import (
    IsADirectory,
    NoSuchFile,
    NotARegularFile,
    NotText,
    PageUnreadable,
    PermissionRefused,
    TooLarge,
)
from steelyard.text import html

DEFAULT_MAX_BYTES = 20_000_000
HTML_SUFFIXES = (".html", ".htm", ".xhtml")
_MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))


@dataclass(frozen=True, slots=True)
class PageRef:
    """A page by path, or with its text at hand (standard input, a JSONL record), or the error in place of it."""

    source: str
    path: str | None = None
    text: str | None = None
    title: str | None = None
    error: str | None = None
    url: str | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """A page's decoded text in Markdown, with what its HTML said of it."""

    source: str
    text: str
    title: str | None = None
    dates: tuple[date, ...] = ()
    extracted: bool = False


def read(ref: PageRef, max_bytes: int = DEFAULT_MAX_BYTES) -> Page:
    """The page itself; raises PageUnreadable with the reason when there is none."""
    if ref.error is not None:
        raise PageUnreadable(ref.error)
    is_html = False
    if ref.text is not None:
        text = ref.text
        size = len(text)
        if size > max_bytes:
            raise TooLarge(ref.source, size, max_bytes)
    else:
        path = ref.path or ref.source
        text = decode(read_bytes(path, max_bytes), ref.source)
        is_html = Path(path).suffix.lower() in HTML_SUFFIXES
    if is_html or html.looks_like_html(text):
        return _extracted(ref, text)
    return Page(ref.source, text, ref.title)


def _extracted(ref: PageRef, text: str) -> Page:
    found = html.extract(text)
    title = ref.title if ref.title is not None else found.title
    return Page(ref.source, found.markdown, title, tuple(_dates(found.dates)), extracted=True)


def _dates(values: Iterable[str]) -> Iterable[date]:
    for value in values:
        try:
            yield date.fromisoformat(value)
        except ValueError:
            continue  # metadata is the page's own word; a wrong date is no date


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


def decode(data: bytes, source: str) -> str:
    """UTF-8 (or UTF-16 with its mark); a file that is neither is not text.

    A few bad bytes in a UTF-8 file are replaced, one character each: a page with one broken quotation
    mark is still a page. Offsets are into the decoded text.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            try:
                return data.decode(encoding)
            except UnicodeDecodeError as error:
                raise NotText(source, f"broken {encoding}: {error.reason} at byte {error.start}") from error
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        text = data.decode("utf-8", "replace")
        if text.count("\ufffd") > max(8, len(text) // 100):
            raise NotText(source, f"not UTF-8: {error.reason} at byte {error.start}") from error
    if "\0" in text and text.count("\0") > len(text) // 100:
        raise NotText(source, "it holds NUL bytes, as binary files do")
    return text
