"""An append-only file of records that survives kill -9: checked lines, torn-tail repair, resume, one writer.

Every line is `{"check":"…","record":{…}}`: twelve digits of the SHA-256 of the record's canonical JSON, and that
JSON as it was hashed. The first record is the header, which says what the others were made from.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any, NamedTuple

from steelyard.errors import CannotWrite, SteelyardError
from steelyard.support.artifacts import differences
from steelyard.support.lock import Lock

Record = dict[str, Any]

SYNC_SECONDS = 1.0  # a power cut costs at most this much work; a sync for every record would cost the run its speed
_DIGITS = 12
_OPENING, _MIDDLE, _ENDING = b'{"check":"', b'","record":', b"}"
_RECORD = len(_OPENING) + _DIGITS + len(_MIDDLE)


class JournalBroken(SteelyardError):
    def __init__(self, path: Path, line: int, reason: str, advice: str = "") -> None:
        advice = advice or "restore the file from a copy, or start anew with --force, which keeps nothing of it"
        super().__init__(f"{path}:{line}: {reason}; {advice}")


class JournalDiffers(SteelyardError):
    """The records there were made from something else."""

    def __init__(self, path: Path, changed: list[str]) -> None:
        shown = "; ".join(changed[:12]) + (f"; and {len(changed) - 12} more" if len(changed) > 12 else "")
        super().__init__(
            f"{path}: made under other conditions ({shown}); "
            "choose another file, or start anew with --force, which keeps nothing of it"
        )


class JournalUnreadable(SteelyardError):
    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path}: cannot read this journal ({reason}); check the path")


class RecordRepeated(SteelyardError):
    """A second record under a key; the caller asks `journal.done` first."""

    def __init__(self, path: Path, key: Hashable) -> None:
        super().__init__(f"{path}: already holds a record under {key!r}; skip what is in journal.done")


@dataclass(frozen=True, slots=True)
class Header:
    """What the records were made from; a journal is resumed only under an equal one.

    `inputs` maps a name to the SHA-256 of its bytes. Versions count too: half a file from one release and half from
    another would be no measurement.
    """

    kind: str
    schema: str
    inputs: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)

    def to_record(self) -> Record:
        return {
            "kind": self.kind,
            "schema": self.schema,
            "inputs": dict(self.inputs),
            "parameters": dict(self.parameters),
            "versions": dict(self.versions),
        }


class Contents(NamedTuple):
    header: Header
    records: list[Record]


def read(path: str | Path) -> Contents:
    """Header and records of a finished journal, every line checked; a broken or torn line is refused by number."""
    path = Path(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise JournalUnreadable(path, error.strerror or str(error)) from error
    records, end = _whole_lines(path, data)
    if end < len(data):
        advice = "the run was interrupted: start it again and it goes on from there"
        raise JournalBroken(path, len(records) + 1, "the last line is torn", advice)
    if not records:
        raise JournalBroken(path, 1, "there is no header, the file is empty", "start the run again")
    return Contents(_header(path, records[0]), records[1:])


def begins(path: str | Path) -> bool:
    """Whether a file begins as a journal does; False for one that cannot be read, which its reader will tell."""
    if not os.path.isfile(path):  # a pipe would be waited for, and what was read of it would be lost
        return False
    try:
        with open(path, "rb") as file:
            return file.read(len(_OPENING)) == _OPENING
    except OSError:
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
        """Create, resume, or with `force` begin again. What a killed run left half-written is cut off.

        Refused: a broken line in the middle, a file that is no journal, another header, another owner.
        """
        path = Path(os.path.realpath(path))  # one lock for all names of the file
        with _writing(path):
            if path.exists() and not path.is_file():
                raise OSError(errno.EINVAL, "not a regular file")
            lock = Lock(path)
        try:
            with _writing(path):
                # Windows would otherwise translate line ends and stop at Ctrl-Z.
                flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
                fd = os.open(path, flags | (os.O_TRUNC if force else 0), 0o666)
            try:
                return cls._resume(path, fd, lock, key, header)
            except BaseException:
                os.close(fd)
                raise
        except BaseException:
            lock.release()
            raise

    @classmethod
    def _resume(cls, path: Path, fd: int, lock: Lock, key: Callable[[Record], Hashable], header: Header) -> Journal:
        data = path.read_bytes()
        records, end = _whole_lines(path, data)
        journal = cls(path, fd, lock, key, end)
        ours = json.loads(_canonical(header.to_record()))
        if records:
            there = _header(path, records[0]).to_record()
            if changed := list(differences(there, ours)):
                raise JournalDiffers(path, changed)
            for number, record in enumerate(records[1:], start=2):
                if journal._done.setdefault(key(record), record) is not record:
                    raise JournalBroken(path, number, f"a second record under {key(record)!r}")
        if end < len(data):
            with _writing(path):
                os.ftruncate(fd, end)
        if not records:
            journal._write(_line(_canonical(ours)))
        return journal

    def append(self, record: Mapping[str, Any]) -> None:
        """Add one record; a key that is there already is refused."""
        self.append_many([record])

    def append_many(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Add records in one write; if one of the keys is there already, none of them."""
        texts = [_canonical(record) for record in records]
        new: dict[Hashable, Record] = {}
        for text in texts:
            record = json.loads(text)  # as a resumed run will see it: lists for tuples, strings for keys
            key = self._key(record)
            if key in self._done or key in new:
                raise RecordRepeated(self.path, key)
            new[key] = record
        if texts:
            self._write(b"".join(map(_line, texts)))
        self._done.update(new)  # before the sync: even if that fails, the lines are in the file
        if time.monotonic() - self._synced >= SYNC_SECONDS:
            with _writing(self.path):
                os.fsync(self._fd)
            self._synced = time.monotonic()

    def _write(self, data: bytes) -> None:
        if self._fd < 0:
            raise ValueError(f"{self.path}: the journal is closed")
        with _writing(self.path):
            try:
                rest = memoryview(data)
                while rest:  # one call, but for a disk that is all but full
                    rest = rest[os.write(self._fd, rest) :]
            except BaseException:
                # Nothing of a failed or interrupted append may stay, or a later one would be glued to it.
                with contextlib.suppress(OSError):
                    os.ftruncate(self._fd, self._size)
                raise
            self._size += len(data)

    def close(self) -> None:
        """Put everything on the disk and let the file go; a second call does nothing."""
        if self._fd < 0:
            return
        fd, self._fd = self._fd, -1
        try:
            with _writing(self.path):
                os.fsync(fd)
        finally:
            os.close(fd)
            self._lock.release()

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@contextlib.contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise CannotWrite(str(path), error.strerror or str(error)) from error


# ── lines ──


def _canonical(value: Any) -> bytes:
    # Half of a surrogate pair becomes its JSON escape, and is read back as what it was.
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace")


def _check(text: bytes) -> bytes:
    return hashlib.sha256(text).hexdigest()[:_DIGITS].encode("ascii")


def _line(text: bytes) -> bytes:
    return _OPENING + _check(text) + _MIDDLE + text + _ENDING + b"\n"


def _record(line: bytes) -> Record | None:
    """The record of a line, or None if the line is not exactly what was written."""
    text = line[_RECORD : -len(_ENDING)]
    if line + b"\n" != _line(text):
        return None
    record = json.loads(text)
    return record if isinstance(record, dict) else None


def _whole_lines(path: Path, data: bytes) -> tuple[list[Record], int]:
    """All records and where they end; what follows is one torn line. A broken line before the last is refused."""
    records: list[Record] = []
    start = 0
    while (stop := data.find(b"\n", start)) >= 0:
        record = _record(data[start:stop])
        if record is None:
            if stop + 1 < len(data):
                raise JournalBroken(path, len(records) + 1, "this line is not what was written (its checksum differs)")
            break
        records.append(record)
        start = stop + 1
    # Before the tail of a file without one whole line is cut off, be sure that it is not somebody's own file.
    if not records and not _OPENING.startswith(data[: len(_OPENING)]) and data.strip(b"\0"):
        raise JournalBroken(path, 1, "not a journal", "choose another file, or overwrite this one with --force")
    return records, start


def _header(path: Path, record: Record) -> Header:
    try:
        return Header(**record)
    except TypeError as error:
        raise JournalBroken(path, 1, "the first record is no header") from error


# ── the lock ──
