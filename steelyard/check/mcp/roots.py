"""The folders whose pages may be read, and nothing else."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from steelyard.errors import PageUnreadable
from steelyard.inputs.find import SUFFIXES
from steelyard.text.decoding import decode

MAX_PAGE = 1_000_000  # bytes of a file, characters of a text: seconds of work, not minutes
MAX_PATH = 4_096  # characters
TEXT_NAME = "text"
# A text without a file has the settings of a file of this name in the first folder.
TEXT_FILE = "text.md"
# A pipe would wait for its writer, and a link may have been put in place since the path was checked.
_OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True, slots=True)
class Page:
    """A page's text, its name as it is reported, and the path by which its configuration is found."""

    name: str
    text: str
    place: str
    is_file: bool = False


class Roots:
    """The allowed folders. A path is resolved with all its links before it is compared with them."""

    def __init__(self, folders: Sequence[str]) -> None:
        self.folders = tuple(dict.fromkeys(os.path.realpath(folder) for folder in folders))

    def read(self, path: str) -> Page:
        """Read a page by its path: absolute, or relative to the first folder that has it.

        Raises:
            PageUnreadable: It is outside the folders, no page, too large, or cannot be read. For a path outside, the
                message does not tell whether there is a file.
        """
        real, folder = self._resolve(path)
        name = os.path.relpath(real, folder).replace(os.sep, "/")
        return Page(name, decode(_read_bytes(real, name), name), real, is_file=True)

    def make_page(self, text: str, name: str = TEXT_NAME) -> Page:
        """Return a text that was given as a page.

        Raises:
            PageUnreadable: It is too large, or the name of a file that could be read.
        """
        if len(text) > MAX_PAGE:
            raise PageUnreadable(
                f"{name}: {len(text):,} characters is over the limit of {MAX_PAGE:,}; give a part of it"
            )
        if self._is_name_of_page(text):
            raise PageUnreadable(f"{name}: this is the name of a file, not a text; give it as `path`")
        return Page(name, text, os.path.join(self.folders[0], TEXT_FILE))

    def _resolve(self, path: str) -> tuple[str, str]:
        """Return the real path of a page, and the folder it is in."""
        if not path or "\0" in path or len(path) > MAX_PATH:
            raise PageUnreadable("path: empty, too long, or with a NUL character; give the path of a page")
        inside = [place for folder in self.folders if (place := self._locate(os.path.join(folder, path)))]
        if not inside:
            allowed = ", ".join(self.folders)
            raise PageUnreadable(f"path: outside the allowed folders ({allowed}); --root allows another folder")
        real, folder = next((place for place in inside if os.path.lexists(place[0])), inside[0])
        if not real.lower().endswith(SUFFIXES):
            raise PageUnreadable(f"path: not a page; pages are files ending in {', '.join(SUFFIXES)}")
        return real, folder

    def _locate(self, path: str) -> tuple[str, str] | None:
        """Return the real path and its allowed folder, the innermost of them; None outside of all."""
        try:
            real = os.path.realpath(path)
        except (OSError, ValueError):  # a loop of links, or a character that no path can have
            return None
        around = [folder for folder in self.folders if Path(real).is_relative_to(folder)]
        return (real, max(around, key=len)) if around else None

    def _is_name_of_page(self, text: str) -> bool:
        if "\n" in text or len(text) > MAX_PATH or not text.lower().endswith(SUFFIXES):
            return False
        try:
            return os.path.isfile(self._resolve(text)[0])
        except PageUnreadable:
            return False


def _read_bytes(path: str, name: str) -> bytes:
    """Read a regular file of at most MAX_PAGE bytes; what it is, is asked of the open file."""
    try:
        number = os.open(path, _OPEN_FLAGS)
    except (OSError, ValueError) as error:
        raise PageUnreadable(f"{name}: {_explain(error)}") from error
    try:
        status = os.fstat(number)
        if stat.S_ISDIR(status.st_mode):
            raise PageUnreadable(f"{name}: a directory; name one file in it")
        if not stat.S_ISREG(status.st_mode):
            raise PageUnreadable(f"{name}: not a regular file (a device, pipe or socket); name a file")
        with open(number, "rb", closefd=False) as file:
            data = file.read(MAX_PAGE + 1) if status.st_size <= MAX_PAGE else b""
    except OSError as error:
        raise PageUnreadable(f"{name}: {_explain(error)}") from error
    finally:
        os.close(number)
    if max(status.st_size, len(data)) > MAX_PAGE:  # it may have grown meanwhile
        raise PageUnreadable(f"{name}: over the limit of {MAX_PAGE:,} bytes; `steelyard check` reads larger files")
    return data


def _explain(error: Exception) -> str:
    match error:
        case FileNotFoundError():
            return "no such file; check the path"
        case PermissionError():
            return "permission denied; make the file readable"
    return f"cannot be read ({getattr(error, 'strerror', None) or 'not a path'})"
