"""The one writer of files: JSON without NaN, atomic replacement, the envelope of a study's result."""

from __future__ import annotations

import hashlib
import json
import math
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from steelyard import __version__
from steelyard.errors import CannotWrite, IsADirectory, NoSuchFile, PermissionRefused, SteelyardError


class NotFinite(SteelyardError):
    """A NaN or an infinity on its way into an artifact."""

    def __init__(self, where: str, value: float) -> None:
        super().__init__(f"{where or 'the value'}: {value} is no result; write undefined(reason) in its place")


def to_json(value: Any, *, indent: int | None = 2, sort_keys: bool = False) -> str:
    """JSON text; NaN and infinities are refused, not written."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent, sort_keys=sort_keys)


def write_text(path: str | Path, text: str) -> None:
    """Replace the file in one step: a reader sees the old one or the new one, never half of it.

    Links are followed; what is no regular file (a pipe, /dev/stdout) is written to as it is.
    """
    write_bytes(path, text.encode("utf-8", "backslashreplace"))


def write_bytes(path: str | Path, data: bytes) -> None:
    """The same for what is no text, such as an image."""
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


def envelope(
    schema: str,
    *,
    inputs: Mapping[str, str],
    parameters: Mapping[str, Any],
    result: Mapping[str, Any],
    versions: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """A result with what it takes to make it again, and nothing else: no clock, no machine.

    `inputs` maps a name to the SHA-256 of its bytes; `versions` names the packages, beside this one, on which the
    figures depend.
    """
    return {
        "schema": schema,
        "tool": {"name": "steelyard", "version": __version__},
        **({} if versions is None else {"versions": dict(versions)}),
        "inputs": dict(inputs),
        "parameters": dict(parameters),
        "result": dict(result),
    }


def undefined(reason: str) -> dict[str, str]:
    """What stands in an artifact where a number could not be had."""
    return {"undefined": reason}


def rounded(value: Any, digits: int = 9, *, path: str = "") -> Any:
    """A copy with every float rounded to so many decimals and no -0.0; NaN and infinities are refused by path.

    Tuples become lists, as they do in JSON; what JSON does not know (a set, a numpy integer) is refused too.
    `path` is the address of the value itself, for the message.
    """
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise NotFinite(path, value)
        return round(float(value), digits) + 0.0  # -0.0 + 0.0 is 0.0
    if isinstance(value, Mapping):
        return {k: rounded(v, digits, path=f"{path}.{k}" if path else str(k)) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(v, digits, path=f"{path}[{i}]") for i, v in enumerate(value)]
    raise TypeError(f"{path or 'the value'}: JSON knows no {type(value).__name__}")


def differences(old: Any, new: Any) -> Iterator[str]:
    """`inputs.pages: "1f…" → "9c…"` for every leaf in which two JSON values differ; nothing if they are equal."""
    before, after = dict(_leaves(old)), dict(_leaves(new))
    for where in dict.fromkeys([*before, *after]):
        a, b = before.get(where, "absent"), after.get(where, "absent")
        if a != b:
            yield f"{where or 'the value'}: {_from_the_split(a, b)} → {_from_the_split(b, a)}"


def _leaves(value: Any, where: str = "") -> Iterator[tuple[str, str]]:
    """Every leaf with its address, as JSON: in Python 1, 1.0 and True would be equal."""
    if isinstance(value, dict) and value:
        for key in sorted(value):
            yield from _leaves(value[key], f"{where}.{key}" if where else key)
    elif isinstance(value, list) and value:
        for number, item in enumerate(value):
            yield from _leaves(item, f"{where}[{number}]")
    else:
        yield where, to_json(value, indent=None)


def _from_the_split(text: str, other: str, longest: int = 72) -> str:
    """The text, a long one from shortly before the place where it parts from the other."""
    if len(text) <= longest:
        return text
    same = next((i for i, (a, b) in enumerate(zip(text, other, strict=False)) if a != b), len(other))
    start = max(0, same - 8)
    return ("…" if start else "") + text[start : start + longest] + ("…" if len(text) > start + longest else "")


def sha256_of(path: str | Path) -> str:
    """The SHA-256 of the file's bytes, in hexadecimal."""
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError as error:
        raise NoSuchFile(str(path)) from error
    except IsADirectoryError as error:
        raise IsADirectory(str(path)) from error
    except PermissionError as error:
        raise PermissionRefused(str(path)) from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
