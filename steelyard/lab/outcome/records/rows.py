"""Read record files row by row: JSONL or one JSON list, with or without gzip; every error names its line."""

from __future__ import annotations

import gzip
import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import Any, NoReturn

from steelyard.errors import InvalidFile, explain_os_error
from steelyard.lab.corpus import require_object
from steelyard.support.lines import explain_bad_json, explain_long_line, read_lines
from steelyard.support.regular_file import MAX_UNPACKED_BYTES, open_unpacked, require_regular_file

MAX_WHOLE = 1_000_000_000
MAX_RECORD_BYTES = 200_000_000  # in memory at once: a line of JSONL, or a whole JSON list
SAVE_FIRST = "save the records in a file"
MAX_REASON = 600  # characters: a key of a broken file may be a megabyte long
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Row:
    """One object of a record file. Its methods return a value of the type they name or raise `error` with `where`."""

    where: str
    value: dict[str, Any]

    def error(self, reason: str) -> InvalidFile:
        return InvalidFile(self.where, reason if len(reason) < MAX_REASON else reason[:MAX_REASON] + "…")

    @property
    def keys(self) -> str:
        """The first of its keys, for a message."""
        return ", ".join(key[:40] for key in list(self.value)[:12]) or "none"

    def has(self, key: str) -> bool:
        return self.value.get(key) is not None

    def _require(self, key: str) -> Any:
        if key not in self.value:
            raise self.error(f"`{key}` is missing (keys seen: {self.keys})")
        if self.value[key] is None:
            raise self.error(f"`{key}` is null")
        return self.value[key]

    def text(self, key: str, default: str | None = None) -> str:
        """Return a string; without a default, one that is not blank."""
        if default is not None and not self.has(key):
            return default
        value = self._require(key)
        if not isinstance(value, str):
            raise self.error(f"`{key}` is a {type(value).__name__}, and must be a string")
        if default is None and not value.strip():
            raise self.error(f"`{key}` is empty")
        return value

    def name(self, key: str) -> str:
        """Return a name, which some files write as a number."""
        value = self._require(key)
        return str(value) if type(value) is int else self.text(key)

    def number(self, key: str) -> float:
        """Return a finite number."""
        value = self._require(key)
        if isinstance(value, bool) or not isinstance(value, int | float):
            shown = json.dumps(value)
            raise self.error(f"`{key}` is {shown if len(shown) <= 40 else type(value).__name__}, and must be a number")
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            raise self.error(f"`{key}` is {number}, and must be a finite number")
        return number

    def optional_number(self, key: str) -> float | None:
        return self.number(key) if self.has(key) else None

    def share(self, key: str) -> float:
        """Return a number from 0 to 1."""
        number = self.number(key)
        if not 0 <= number <= 1:
            raise self.error(f"`{key}` is {number:g}, and a share is between 0 and 1")
        return number

    def whole(self, key: str) -> int:
        """Return a whole number; `"3"` and `3.0` are read as 3, because published files have them."""
        value = self._require(key)
        if isinstance(value, str) and value.strip().isdecimal() and len(value) < 10:
            return int(value)
        number = self.number(key)
        if number != int(number) or abs(number) > MAX_WHOLE:
            raise self.error(f"`{key}` is {number:g}, and must be a whole number of at most {MAX_WHOLE:,}")
        return int(number)

    def index(self, key: str, n: int) -> int:
        """Return a place in a list of `n` sources, counted from 0."""
        place = self.whole(key)
        if not 0 <= place < n:
            raise self.error(f"`{key}` is {place}, and the sources go from 0 to {n - 1}")
        return place

    def entries(self, key: str) -> list[Any]:
        """Return a list that is not empty."""
        value = self._require(key)
        if not isinstance(value, list):
            raise self.error(f"`{key}` is a {type(value).__name__}, and must be a list")
        if not value:
            raise self.error(f"`{key}` is an empty list, and must have entries")
        return value

    def _each(self, key: str) -> Iterator[tuple[str, Row]]:
        """Yield every entry of a list as a row with one key, which names its place."""
        for i, entry in enumerate(self.entries(key)):
            yield f"{key}[{i}]", Row(self.where, {f"{key}[{i}]": entry})

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of strings; one that is absent or empty has none."""
        return tuple(row.text(name) for name, row in self._each(key)) if self.value.get(key) else ()

    def numbers(self, key: str) -> tuple[float, ...]:
        return tuple(row.number(name) for name, row in self._each(key))

    def probabilities(self, key: str) -> tuple[tuple[float, ...], ...]:
        """Return lists of numbers from 0 to 1; there may be none."""
        if self.value.get(key) == []:
            return ()
        lines = tuple(Row(self.where, {key: line}).numbers(key) for line in self.entries(key))
        if any(not 0 <= p <= 1 for line in lines for p in line):
            raise self.error(f"`{key}` holds a number that is no probability, from 0 to 1")
        return lines

    def row(self, key: str) -> Row:
        """Return the object under a key."""
        value = self._require(key)
        if not isinstance(value, dict):
            raise self.error(f"`{key}` is a {type(value).__name__}, and must be an object")
        return Row(f"{self.where}, {key}", value)

    def rows(self, key: str) -> list[Row]:
        """Return the objects of a list."""
        return [row.row(name) for name, row in self._each(key)]


def hash_query(query: str) -> str:
    """Return a name for a query without one: twelve digits of its SHA-256, the same in every file that asks it."""
    return hashlib.sha256(query.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def make_distinct(names: Iterable[str]) -> list[str]:
    """Return the names, with its count added to a repeated one: `a`, `a#2`."""
    seen: Counter[str] = Counter()
    distinct = []
    for name in names:
        seen[name] += 1
        distinct.append(name if seen[name] == 1 else f"{name}#{seen[name]}")
    return distinct


def read_rows(path: str | Path) -> Iterator[Row]:
    """Yield every record of a file, in its order; a file without records is an error."""
    path = str(path)
    require_regular_file(path, SAVE_FIRST)
    try:
        with open_unpacked(path) as file:
            yield from _read_objects(path, file)
    except PermissionError as error:
        raise explain_os_error(path, error) from error
    except OSError as error:
        raise InvalidFile(path, f"cannot be read ({error.strerror or error}); check the path") from error


def _read_objects(path: str, file: BufferedReader | gzip.GzipFile) -> Iterator[Row]:
    head = file.peek(4096).removeprefix(_BYTE_ORDER_MARK)
    if b"\0" in head:
        raise InvalidFile(path, "a binary file; give records as UTF-8 text, JSONL or one JSON list")
    empty = True
    for where, value in (_read_list if head.lstrip()[:1] == b"[" else _read_lines)(path, file):
        empty = False
        yield Row(where, require_object(where, value))
    if empty:
        raise InvalidFile(path, "holds no records")


def _read_lines(path: str, file: BufferedReader | gzip.GzipFile) -> Iterator[tuple[str, Any]]:
    left = MAX_UNPACKED_BYTES
    for line in read_lines(file, MAX_RECORD_BYTES, strict=True):
        left -= line.size
        where = f"{path}:{line.number}"
        if left < 0:
            raise _too_large(path, MAX_UNPACKED_BYTES)
        if line.data is None:
            raise InvalidFile(where, explain_long_line(MAX_RECORD_BYTES, "write one record a line"))
        if not line.is_blank:
            yield where, parse_json(where, line.data.strip())


def _read_list(path: str, file: BufferedReader | gzip.GzipFile) -> Iterator[tuple[str, Any]]:
    limit = min(MAX_UNPACKED_BYTES, MAX_RECORD_BYTES)
    data = file.read(limit + 1)
    if len(data) > limit:
        raise _too_large(path, limit)
    for number, value in enumerate(parse_json(path, data.removeprefix(_BYTE_ORDER_MARK)), start=1):
        yield f"{path}, record {number}", value


def _too_large(path: str, limit: int) -> InvalidFile:
    return InvalidFile(path, f"more than {limit:,} bytes after unpacking; split it, one record a line")


def parse_json(where: str, data: bytes) -> Any:
    """Return the JSON value of a line; what is no JSON, or no number, is an error that names the line."""
    try:
        return json.loads(data.decode("utf-8"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise InvalidFile(where, explain_bad_json(error)) from error


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number; leave out what is not known")
