"""The one writer of files: JSON without NaN, atomic replacement."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from steelyard.base.errors import CannotWrite


def to_json(value: Any, *, indent: int | None = 2, sort_keys: bool = False) -> str:
    """JSON text; NaN and infinities are refused, not written."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent, sort_keys=sort_keys)


def write_text(path: str | Path, text: str) -> None:
    """Replace the file in one step: a reader sees the old one or the new one, never half of it.

    Links are followed; what is no regular file (a pipe, /dev/stdout) is written to as it is.
    """
    data = text.encode("utf-8", "backslashreplace")
    target = Path(os.path.realpath(path))
    try:
        if str(path).startswith(("/dev/", "/proc/")) or (target.exists() and not target.is_file()):
            with open(path, "wb") as stream:
                stream.write(data)
            return
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
        _replace(target, data, mode)
    except OSError as error:
        raise CannotWrite(str(path), error.strerror or str(error)) from error


def _replace(target: Path, data: bytes, mode: int) -> None:
    with tempfile.NamedTemporaryFile(dir=target.parent, prefix=".steelyard-", delete=False) as file:
        try:
            file.write(data)
            file.close()
            os.chmod(file.name, mode)
            os.replace(file.name, target)
        except BaseException:
            os.unlink(file.name)
            raise


def write_artifact(path: str | Path, value: Any) -> None:
    """An artifact: sorted keys, one final line break."""
    write_text(path, to_json(value, sort_keys=True) + "\n")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
