"""The one writer of files and of JSON: no NaN, atomic replacement, the envelope of a study's result."""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from steelyard import __version__
from steelyard.errors import CannotWrite, SteelyardError, explain_os_error
from steelyard.support import escape
from steelyard.support.regular_file import open_regular_file

_SYSTEM = ("/dev/", "/proc/")  # such as /dev/stdout, which is a link
MAX_DIFFERENCE = 72  # characters shown of each of two values that differ


def to_json(value: Any, *, indent: int | None = 2, sort_keys: bool = False) -> str:
    """Return JSON text in which characters that a terminal obeys or hides are escaped; it is read back the same.

    Raises:
        ValueError: The value holds a NaN or an infinity.
    """
    return escape.json_text(to_unescaped_json(value, indent=indent, sort_keys=sort_keys))


def to_unescaped_json(value: Any, *, indent: int | None = 2, sort_keys: bool = False) -> str:
    """Return JSON text for a hash: which characters `to_json` escapes may change, and the hash may not.

    Raises:
        ValueError: The value holds a NaN or an infinity.
    """
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent, sort_keys=sort_keys)


def to_canonical_json(value: Any) -> bytes:
    """Return the shortest JSON with sorted keys, as bytes: equal values have equal bytes, so these can be hashed.

    It is for journals and caches, not for terminals: invisible characters are not escaped.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))
    # Half of a surrogate pair becomes its JSON escape, and is read back as what it was.
    return text.encode("utf-8", "backslashreplace")


def write_text(path: str | Path, text: str) -> None:
    """Replace a file in one step, so that a reader sees the old text or the new one, never half of it.

    A link is refused; a pipe or a device such as /dev/stdout is written to directly.
    """
    write_bytes(path, text.encode("utf-8", "backslashreplace"))


def write_bytes(path: str | Path, data: bytes) -> None:
    """Replace a file in one step, as `write_text` does, with bytes such as an image."""
    file = ReplacedFile(path)
    try:
        file.write_bytes(data)
        file.keep()
    finally:
        file.discard()


@contextlib.contextmanager
def explain_write_errors(path: str | Path) -> Iterator[None]:
    """Raise CannotWrite for what the operating system refuses in the block."""
    try:
        yield
    except OSError as error:
        raise CannotWrite(str(path), error.strerror or str(error)) from error


def require_writable(path: str | Path) -> None:
    """Raise CannotWrite before any work for a file that could not be written after it; nothing is left behind.

    A pipe or a device is not tried: opening one may wait for its reader.
    """
    if not _is_special(path, resolve_output(path)):
        ReplacedFile(path).discard()


def resolve_output(path: str | Path) -> Path:
    """Return where an output is written, with the links to its directory followed.

    Raises:
        CannotWrite: The output itself is a link. Somebody else may have put it into the directory, so that a file of
            yours elsewhere is overwritten.
    """
    if os.path.islink(path) and not str(path).startswith(_SYSTEM):
        raise CannotWrite(str(path), f"a link to {os.readlink(path)}, and links are not followed")
    return Path(os.path.realpath(path))


def make_output_folder(path: str | Path) -> None:
    """Make a directory for outputs, and those above it, where it is not there yet.

    Raises:
        CannotWrite: It cannot be made, or is a link.
    """
    with explain_write_errors(path):
        os.makedirs(resolve_output(path), exist_ok=True)


def find_repeated(paths: Iterable[str]) -> str | None:
    """Return the first path that is the same file as an earlier one, by whatever name; devices and pipes may repeat."""
    seen: set[str] = set()
    for path in paths:
        target = os.path.realpath(path)
        if target in seen and not _is_special(path, Path(target)):
            return path
        seen.add(target)
    return None


class ReplacedFile:
    """A file that is written beside its target and takes its place at the end, in one step.

    It is opened at once, so that a folder that is not writable is noticed before any work. A pipe or a device such as
    /dev/stdout is written to directly.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = path
        self._target = resolve_output(path)
        self._new: str | None = None
        with explain_write_errors(path):
            if _is_special(path, self._target):
                self._file: BinaryIO = open(path, "wb")  # noqa: SIM115 - closed by keep or discard
                return
            self._mode = _choose_mode(self._target)
            fd, self._new = tempfile.mkstemp(dir=self._target.parent, prefix=".steelyard-")
            self._file = open(fd, "wb")  # noqa: SIM115

    def write(self, text: str) -> None:
        """Append a text."""
        self.write_bytes(text.encode("utf-8", "backslashreplace"))

    def write_bytes(self, data: bytes) -> None:
        """Append bytes."""
        with explain_write_errors(self._path):
            self._file.write(data)

    def keep(self) -> None:
        """Put the file in its place."""
        with explain_write_errors(self._path):
            self._file.close()
            if self._new is not None:
                os.chmod(self._new, self._mode)
                os.replace(self._new, self._target)
                self._new = None

    def discard(self) -> None:
        """Remove what was not put in its place; after `keep` this does nothing."""
        with contextlib.suppress(OSError):
            self._file.close()
        if self._new is not None:
            os.unlink(self._new)
            self._new = None


def _is_special(path: str | Path, target: Path) -> bool:
    return str(path).startswith(_SYSTEM) or (target.exists() and not target.is_file())


def _choose_mode(target: Path) -> int:
    """Return the mode of the file that is there, or that of any new file."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)  # it can be read only by setting it
    os.umask(mask)
    return 0o666 & ~mask


def write_artifact(path: str | Path, value: Any) -> None:
    """Write JSON with sorted keys and a final line break."""
    write_text(path, to_json(value, sort_keys=True) + "\n")


def make_envelope(
    schema: str, *, inputs: Mapping[str, str], parameters: Mapping[str, Any], result: Mapping[str, Any]
) -> dict[str, Any]:
    """Return a result with everything needed to repeat it, and nothing about the time or the machine.

    Args:
        inputs: The SHA-256 of each input's bytes, by name.
    """
    return {
        "schema": schema,
        "tool": {"name": "steelyard", "version": __version__},
        "inputs": dict(inputs),
        "parameters": dict(parameters),
        "result": dict(result),
    }


def mark_undefined(reason: str) -> dict[str, str]:
    """Return what an artifact holds in place of a number that could not be computed."""
    return {"undefined": reason}


def round_floats(value: Any, digits: int = 9, *, path: str = "") -> Any:
    """Return a copy in which floats have `digits` decimals and no -0.0, and tuples are lists, as in JSON.

    Args:
        path: The address of the value itself, for error messages.

    Raises:
        SteelyardError: A number is NaN or infinite; the message gives its address.
        TypeError: JSON has no such type (a set, a numpy integer).
    """
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise SteelyardError(f"{path or 'the value'}: {value} is no result; write mark_undefined(reason) instead")
        return round(float(value), digits) + 0.0  # -0.0 + 0.0 is 0.0
    if isinstance(value, Mapping):
        return {k: round_floats(v, digits, path=f"{path}.{k}" if path else str(k)) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [round_floats(v, digits, path=f"{path}[{i}]") for i, v in enumerate(value)]
    raise TypeError(f"{path or 'the value'}: JSON knows no {type(value).__name__}")


def list_differences(old: Any, new: Any) -> Iterator[str]:
    """Yield `inputs.pages: "1f…" → "9c…"` for every leaf in which two JSON values differ."""
    before, after = dict(_list_leaves(old)), dict(_list_leaves(new))
    for where in dict.fromkeys([*before, *after]):
        a, b = before.get(where, "absent"), after.get(where, "absent")
        if a != b:
            yield f"{where or 'the value'}: {_shorten_around_difference(a, b)} → {_shorten_around_difference(b, a)}"


def _list_leaves(value: Any, where: str = "") -> Iterator[tuple[str, str]]:
    """Yield the address and the JSON of every leaf; as Python values 1, 1.0 and True would be equal."""
    if isinstance(value, dict) and value:
        for key in sorted(value):
            yield from _list_leaves(value[key], f"{where}.{key}" if where else key)
    elif isinstance(value, list) and value:
        for number, item in enumerate(value):
            yield from _list_leaves(item, f"{where}[{number}]")
    else:
        # A file that is compared may hold what we never write: NaN, or a number that no float can hold.
        yield where, json.dumps(value, ensure_ascii=False)


def _shorten_around_difference(text: str, other: str) -> str:
    if len(text) <= MAX_DIFFERENCE:
        return text
    same = next((i for i, (a, b) in enumerate(zip(text, other, strict=False)) if a != b), len(other))
    start = max(0, same - 8)
    end = start + MAX_DIFFERENCE
    return ("…" if start else "") + text[start:end] + ("…" if len(text) > end else "")


def hash_file(path: str | Path) -> str:
    """Return the SHA-256 of a file's bytes, in hexadecimal."""
    try:
        with open_regular_file(path) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise explain_os_error(path, error) from error
