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
    """Replace the file in one step: a reader sees the old one or the new one, never half of it."""
    target = Path(path)
    try:
        if target.exists() and not target.is_file():  # a pipe or /dev/stdout cannot be replaced
            target.write_text(text, encoding="utf-8", errors="backslashreplace")
            return
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", errors="backslashreplace", dir=target.parent, prefix=".steelyard-", delete=False
        ) as file:
            file.write(text)
        os.chmod(file.name, 0o644 & ~_umask())
        os.replace(file.name, target)
    except OSError as error:
        raise CannotWrite(str(path), error.strerror or str(error)) from error


def write_artifact(path: str | Path, value: Any) -> None:
    """An artifact: sorted keys, one final line break."""
    write_text(path, to_json(value, sort_keys=True) + "\n")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
