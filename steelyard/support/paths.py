"""Compare paths: what somebody else wrote must not lead out of its directory."""

from __future__ import annotations

import os
from pathlib import Path


def is_inside(path: str | os.PathLike[str], folder: str | os.PathLike[str]) -> bool:
    """Return whether a path is in a folder after links are followed."""
    try:
        return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))
    except ValueError:  # a NUL in the name
        return False


def is_same_file(path: str, other: str) -> bool:
    """Return whether two names are one file: through links, hard links, or upper and lower case where that is equal."""
    try:
        return os.path.samefile(path, other)
    except (OSError, ValueError):  # it is not there, which its reader will report
        return False
