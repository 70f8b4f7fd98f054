"""Record files row by row: JSONL or one JSON list, packed with gzip or not; what is wrong is said with its line."""

from __future__ import annotations

import gzip
import hashlib
import json
import math
import os
import stat
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import Any, NoReturn

from steelyard.errors import IsADirectory, NoSuchFile, PermissionRefused, SteelyardError
from steelyard.support.jsonl import not_json, not_object

LARGEST = 1_000_000_000  # bytes of a file after unpacking: a megabyte of gzip can hold a gigabyte
LONGEST = 200_000_000  # bytes that must be in memory at once: a line of JSONL, or a JSON list
File = BufferedReader | gzip.GzipFile
_MARK = b"\xef\xbb\xbf"


class RecordsInvalid(SteelyardError):
    """A record file cannot be used; the message says where and what to do."""

    def __init__(self, where: str, reason: str) -> None:
        # A key or a name of a broken file may be a megabyte long.
        super().__init__(f"{where}: {reason if len(reason) < 600 else reason[:600] + '…'}")


@dataclass(frozen=True, slots=True)
class Row:
    """One object of a record with its address. What is asked of it and is not there is refused with that address."""

    where: str
    value: dict[str, Any]

    def wrong(self, reason: str) -> RecordsInvalid:
        return RecordsInvalid(self.where, reason)

    @property
    def keys(self) -> str:
        """The first of its keys, for a message."""
        return ", ".join(key[:40] for key in list(self.value)[:12]) or "none"

    def _need(self, key: str) -> Any:
        if key not in self.value:
            raise self.wrong(f"`{key}` is missing (keys seen: {self.keys})")
        if self.value[key] is None:
            raise self.wrong(f"`{key}` is null")
        return self.value[key]

    def text(self, key: str, default: str | None = None) -> str:
        """A string; without a default, one that is not blank."""
        value = self._need(key) if default is None else self.value.get(key)
        if value is None and default is not None:
            return default
        if not isinstance(value, str):
            raise self.wrong(f"`{key}` is a {type(value).__name__}, and must be a string")
        if default is None and not value.strip():
            raise self.wrong(f"`{key}` is empty")
        return value

    def name(self, key: str) -> str:
        """A name, which some files write as a number."""
        value = self._need(key)
        return str(value) if type(value) is int else self.text(key)

    def number(self, key: str) -> float:
        return self._number(key, self._need(key))

    def known(self, key: str) -> float | None:
        """A number, if there is one."""
        return None if self.value.get(key) is None else self.number(key)

    def share(self, key: str) -> float:
        """A number from 0 to 1."""
        return self._share(key, self._need(key))

    def shares(self, key: str, n: int) -> tuple[float, ...]:
        """`n` numbers from 0 to 1."""
        return tuple(self._share(f"{key}[{i}]", v) for i, v in enumerate(self.entries(key, n)))

    def numbers(self, key: str, n: int) -> tuple[float, ...]:
        return tuple(self._number(f"{key}[{i}]", v) for i, v in enumerate(self.entries(key, n)))

    def whole(self, key: str) -> int:
        """A whole number; `"3"` and `3.0` are read as 3, as published files need it."""
        value = self._need(key)
        if isinstance(value, str) and value.strip().isdecimal() and len(value) < 10:
            value = int(value)
        number = self._number(key, value)
        if number != int(number):
            raise self.wrong(f"`{key}` is {number:g}, and must be a whole number")
        return int(number)

    def index(self, key: str, n: int) -> int:
        """A place in a list of `n`, counted from 0."""
        place = self.whole(key)
        if not 0 <= place < n:
            raise self.wrong(f"`{key}` is {place}, and the sources go from 0 to {n - 1}")
        return place

    def entries(self, key: str, n: int | None = None) -> list[Any]:
        """A list that is not empty, of length `n` where that is known."""
        value = self._need(key)
        if not isinstance(value, list):
            raise self.wrong(f"`{key}` is a {type(value).__name__}, and must be a list")
        if not value or (n is not None and len(value) != n):
            raise self.wrong(f"`{key}` has {len(value)} entries, and must have {'some' if n is None else n}")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of strings; one that is absent or empty holds none."""
        values = self.entries(key) if self.value.get(key) else []
        return tuple(Row(self.where, {f"{key}[{i}]": v}).text(f"{key}[{i}]") for i, v in enumerate(values))

    def row(self, key: str) -> Row:
        """The object under a key."""
        value = self._need(key)
        if not isinstance(value, dict):
            raise self.wrong(f"`{key}` is a {type(value).__name__}, and must be an object")
        return Row(f"{self.where}, {key}", value)

    def rows(self, key: str) -> list[Row]:
        """The objects of a list."""
        return [Row(self.where, {f"{key}[{i}]": v}).row(f"{key}[{i}]") for i, v in enumerate(self.entries(key))]

    def _number(self, key: str, value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.wrong(f"`{key}` is {_shown(value)}, and must be a number")
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            raise self.wrong(f"`{key}` is {number}, and must be a finite number")
        return number

    def _share(self, key: str, value: Any) -> float:
        number = self._number(key, value)
        if not 0 <= number <= 1:
            raise self.wrong(f"`{key}` is {number:g}, and a share lies between 0 and 1")
        return number


def name_of(query: str) -> str:
    """The name of a query that has none: twelve digits of its SHA-256, the same in every file that asks it."""
    return hashlib.sha256(query.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def distinct(names: Iterable[str]) -> list[str]:
    """The names, a repeated one with its count: `a`, `a#2`."""
    seen: Counter[str] = Counter()
    found = []
    for name in names:
        seen[name] += 1
        found.append(name if seen[name] == 1 else f"{name}#{seen[name]}")
    return found


def read(path: str | Path, *, largest: int = LARGEST, longest: int = LONGEST) -> Iterator[Row]:
    """Every record of a file, in its order; there is at least one."""
    path = str(path)
    regular(path)
    try:
        with open(path, "rb") as plain:
            if plain.peek(2)[:2] != b"\x1f\x8b":
                yield from _read(path, plain, largest, longest)
                return
            with gzip.GzipFile(fileobj=plain) as packed:
                yield from _read(path, packed, largest, longest)
    except PermissionError as error:
        raise PermissionRefused(path) from error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise RecordsInvalid(path, f"the gzip file is damaged ({error}); fetch it again") from error
    except OSError as error:
        raise RecordsInvalid(path, f"cannot be read ({error.strerror or error}); check the path") from error


def regular(path: str) -> None:
    """Refuse what is no file; a pipe would wait for ever."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError as error:
        raise NoSuchFile(path) from error
    except PermissionError as error:
        raise PermissionRefused(path) from error
    except (OSError, ValueError) as error:  # too long a name, a NUL in it
        raise RecordsInvalid(repr(path), f"no such file ({error})") from error
    if stat.S_ISDIR(mode):
        raise IsADirectory(path)
    if not stat.S_ISREG(mode):
        raise RecordsInvalid(path, "not a regular file (a device, pipe or socket); save the records in a file")


def _read(path: str, file: File, largest: int, longest: int) -> Iterator[Row]:
    head = file.peek(4096).removeprefix(_MARK)
    if b"\0" in head:
        raise RecordsInvalid(path, "a binary file; give records as UTF-8 text, JSONL or one JSON list")
    kind = _list if head.lstrip()[:1] == b"[" else _lines
    found = False
    for where, value in kind(path, file, largest, longest):
        if not isinstance(value, dict):
            raise RecordsInvalid(where, not_object(value))
        found = True
        yield Row(where, value)
    if not found:
        raise RecordsInvalid(path, "holds no records")


def _lines(path: str, file: File, largest: int, longest: int) -> Iterator[tuple[str, Any]]:
    left, number = largest, 0
    while line := file.readline(longest + 1):
        left, number = left - len(line), number + 1
        if left < 0:
            raise _too_large(path, largest)
        if len(line) > longest:
            raise RecordsInvalid(f"{path}:{number}", f"the line is longer than {longest:,} bytes; one record a line")
        text = line.removeprefix(_MARK).strip() if number == 1 else line.strip()
        if text:
            yield f"{path}:{number}", _parsed(f"{path}:{number}", text)


def _list(path: str, file: File, largest: int, longest: int) -> Iterator[tuple[str, Any]]:
    most = min(largest, longest)
    data = file.read(most + 1)
    if len(data) > most:
        raise _too_large(path, most)
    values = _parsed(path, data.removeprefix(_MARK))
    for number, value in enumerate(values, start=1):
        yield f"{path}, record {number}", value


def _too_large(path: str, limit: int) -> RecordsInvalid:
    return RecordsInvalid(path, f"more than {limit:,} bytes after unpacking; split it, one record a line")


def _parsed(where: str, data: bytes) -> Any:
    try:
        return json.loads(data.decode("utf-8"), parse_constant=_refused)
    except (ValueError, RecursionError) as error:
        raise RecordsInvalid(where, not_json(error)) from error


def _refused(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number; leave out what is not known")


def _shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 40 else f"a {type(value).__name__}"
