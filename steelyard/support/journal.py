"""An append-only file of records that survives kill -9: checked lines, repair of a torn last line, resume, one writer.

Every line is `{"check":"…","record":{…}}`: twelve digits of the SHA-256 of the record's canonical JSON, and that
JSON as it was hashed. The first record is the header, which says what the others were made from. A finished journal can
be packed with gzip and read as it is; only an unpacked one is continued.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import sys
import time
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from steelyard.errors import InvalidFile, SteelyardError
from steelyard.support.artifacts import explain_write_errors, list_differences, resolve_output, to_canonical_json
from steelyard.support.lines import MAX_LINE, LineSource, read_lines
from steelyard.support.lock import Lock
from steelyard.support.regular_file import MAX_UNPACKED_BYTES, is_packed, open_unpacked

Record = dict[str, Any]

SYNC_SECONDS = 1.0  # a power cut costs at most this much work; a sync for every record would cost the run its speed
MAX_DIFFERENCES = 12  # shown when a journal was made under other conditions
MAX_RECORD = MAX_LINE - 100  # bytes; the rest is for the check
START_AGAIN = "start again with --force, which keeps nothing of it"
_CHECK_DIGITS = 12
_OPENING, _MIDDLE, _ENDING = b'{"check":"', b'","record":', b"}"
_RECORD_START = len(_OPENING) + _CHECK_DIGITS + len(_MIDDLE)


@dataclass(frozen=True, slots=True)
class Header:
    """What the records were made from; a journal is resumed only under an equal header.

    `inputs` maps a name to the SHA-256 of its bytes. Versions count too: half a file from one release and half from
    another would be no measurement.
    """

    kind: str
    schema: str
    inputs: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)


class Contents(NamedTuple):
    header: Header
    records: list[Record]


def read(path: str | Path) -> Contents:
    """Return the header and the records of a finished journal.

    Raises:
        InvalidFile: A line is broken or torn; the message gives its number.
        SteelyardError: The file cannot be opened.
    """
    try:
        with open_unpacked(path) as file:
            records, end, size = _parse_lines(path, file, MAX_UNPACKED_BYTES)
    except OSError as error:
        reason = error.strerror or str(error)
        raise SteelyardError(f"{path}: cannot read this journal ({reason}); check the path") from error
    if end < size:
        advice = "the run was interrupted: start it again and it continues from there"
        raise InvalidFile(f"{path}:{len(records) + 1}", f"the last line is torn; {advice}")
    if not records:
        raise InvalidFile(f"{path}:1", "there is no header, the file is empty; start the run again")
    return Contents(_parse_header(path, records[0]), records[1:])


def is_journal(path: str | Path) -> bool:
    """Return whether a file begins like a journal; False for one that cannot be read, as its reader will say why."""
    if not os.path.isfile(path):  # reading a pipe would wait, and lose what was read
        return False
    try:
        with open_unpacked(path) as file:
            return file.read(len(_OPENING)) == _OPENING
    except (OSError, InvalidFile):
        return False


class Journal:
    """An open journal, which no other process can open: `with Journal.open(path, header, key) as journal`.

    `done` maps the key of every record in the file to the record, in the order of the file.
    """

    def __init__(self, path: Path, fd: int, lock: Lock, key: Callable[[Record], Hashable], size: int) -> None:
        self.path = path
        self._fd, self._lock, self._key, self._size = fd, lock, key, size
        self._done: dict[Hashable, Record] = {}
        self._synced = time.monotonic()
        self.done: Mapping[Hashable, Record] = MappingProxyType(self._done)

    @classmethod
    def open(
        cls, path: str | Path, header: Header, key: Callable[[Record], Hashable], *, force: bool = False
    ) -> Journal:
        """Create a journal, resume it, or start it again with `force`; cut off the line a killed run left half-written.

        Raises:
            InvalidFile: The file is no journal, or a line before the last one is broken.
            SteelyardError: It has another header, or another process has it open.
        """
        path = resolve_output(path)  # one lock for all names of the file
        with contextlib.ExitStack() as undo:
            with explain_write_errors(path):
                if path.exists() and not path.is_file():
                    raise OSError(errno.EINVAL, "not a regular file")
                lock = Lock(path)
                undo.callback(lock.release)
                # Windows would otherwise translate line ends and stop at Ctrl-Z.
                flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
                fd = os.open(path, flags | (os.O_TRUNC if force else 0), 0o666)
                undo.callback(os.close, fd)
            journal = cls._resume(path, fd, lock, key, header)
            undo.pop_all()
        return journal

    @classmethod
    def _resume(cls, path: Path, fd: int, lock: Lock, key: Callable[[Record], Hashable], header: Header) -> Journal:
        with path.open("rb") as file:
            if is_packed(file.peek(2)):
                raise SteelyardError(f"{path}: packed with gzip; unpack it to continue the run, or choose another file")
            records, end, size = _parse_lines(path, file)
        journal = cls(path, fd, lock, key, end)
        ours = to_canonical_json(asdict(header))
        if records:
            try:
                changed = list(list_differences(asdict(_parse_header(path, records[0])), json.loads(ours)))
            except RecursionError as error:
                raise _broken(path, 1, "the header is nested too deep") from error
            if changed:
                more = len(changed) - MAX_DIFFERENCES
                shown = "; ".join(changed[:MAX_DIFFERENCES]) + (f"; and {more} more" if more > 0 else "")
                raise SteelyardError(
                    f"{path}: made under other conditions ({shown}); choose another file, or {START_AGAIN}"
                )
            for number, record in enumerate(records[1:], start=2):
                if journal._done.setdefault(key(record), record) is not record:
                    raise _broken(path, number, f"a second record under {key(record)!r}")
        if end < size:
            with explain_write_errors(path):
                os.ftruncate(fd, end)
        if not records:
            journal._write(_format_line(ours))
        return journal

    def append(self, record: Mapping[str, Any]) -> None:
        """Add one record.

        Raises:
            SteelyardError: There is a record under its key already; check `done` first.
        """
        self.append_many([record])

    def append_many(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Add records in one write: all of them, or none if one of the keys is there already."""
        texts = [to_canonical_json(record) for record in records]
        if any(len(text) > MAX_RECORD for text in texts):
            raise SteelyardError(f"{self.path}: a record is over {MAX_RECORD:,} bytes, and could not be read back")
        new: dict[Hashable, Record] = {}
        for text in texts:
            record = json.loads(text)  # as a resumed run will see it: lists for tuples, strings for keys
            key = self._key(record)
            if key in self._done or key in new:
                raise SteelyardError(f"{self.path}: already holds a record under {key!r}; skip what is in journal.done")
            new[key] = record
        if texts:
            self._write(b"".join(map(_format_line, texts)))
        self._done.update(new)  # before the sync: even if that fails, the lines are in the file
        if time.monotonic() - self._synced >= SYNC_SECONDS:
            with explain_write_errors(self.path):
                os.fsync(self._fd)
            self._synced = time.monotonic()

    def _write(self, data: bytes) -> None:
        if self._fd < 0:
            raise ValueError(f"{self.path}: the journal is closed")
        with explain_write_errors(self.path):
            try:
                rest = memoryview(data)
                while rest:  # one call is enough unless the disk is nearly full
                    rest = rest[os.write(self._fd, rest) :]
            except BaseException:
                # Nothing of a failed or interrupted append may stay, or the next one would be glued to it.
                with contextlib.suppress(OSError):
                    os.ftruncate(self._fd, self._size)
                raise
            self._size += len(data)

    def close(self) -> None:
        """Write everything to the disk and release the file; a second call does nothing."""
        if self._fd < 0:
            return
        fd, self._fd = self._fd, -1
        try:
            with explain_write_errors(self.path):
                os.fsync(fd)
        finally:
            os.close(fd)
            self._lock.release()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _broken(path: str | Path, line: int, reason: str) -> InvalidFile:
    return InvalidFile(f"{path}:{line}", f"{reason}; restore the file from a copy, or {START_AGAIN}")


def _format_line(text: bytes) -> bytes:
    check = hashlib.sha256(text).hexdigest()[:_CHECK_DIGITS].encode("ascii")
    return _OPENING + check + _MIDDLE + text + _ENDING + b"\n"


def _parse_line(line: bytes) -> Record | None:
    """Return the record of a line, or None if the line is not exactly what was written."""
    text = line[_RECORD_START : -len(_ENDING) - 1]
    if line != _format_line(text):
        return None
    try:
        record = json.loads(text)
    except (ValueError, RecursionError):  # sealed with a right checksum, but not by us
        return None
    return record if isinstance(record, dict) else None


def _parse_lines(path: str | Path, file: LineSource, max_bytes: int = sys.maxsize) -> tuple[list[Record], int, int]:
    """Return all records, where they end, and where the file ends; only one torn line may be between these.

    Args:
        path: For messages.
        file: The journal.
        max_bytes: The limit for the whole file.

    Raises:
        InvalidFile: A line before the last one is broken, the file is too large, or it is somebody's own file and not
            a journal.
    """
    records: list[Record] = []
    end = size = 0
    tail = b""
    for line in read_lines(file, MAX_LINE, strict=True):
        if end < size:
            raise _broken(path, len(records) + 1, "this line is not what was written (its checksum differs)")
        size += line.size
        if line.data is None:
            reason = "a line is longer than any that is written; this is no journal, or a broken one"
            raise InvalidFile(f"{path}:{line.number}", f"{reason}; choose another file, or {START_AGAIN}")
        if size > max_bytes:
            raise InvalidFile(path, f"more than {max_bytes:,} bytes after unpacking; split it")
        record = _parse_line(line.data)
        if record is not None:
            records.append(record)
            end = size
        tail = line.data
    # The tail of a file without one whole line is cut off only if the file was ours.
    if not records and not _OPENING.startswith(tail[: len(_OPENING)]) and tail.strip(b"\0"):
        raise InvalidFile(f"{path}:1", "not a journal; choose another file, or overwrite this one with --force")
    return records, end, size


def _parse_header(path: str | Path, record: Record) -> Header:
    try:
        return Header(**record)
    except TypeError as error:
        raise _broken(path, 1, "the first record is no header") from error
