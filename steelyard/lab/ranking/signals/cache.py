"""A cache of models' results: a SQLite file of hashes and numbers in the folder of caches.

A key is the SHA-256 of the model's identity and the text (and the query), a value the numbers with a checksum. A file
of another program is refused and left as it is; a damaged file of ours is deleted and made again.
"""

from __future__ import annotations

import hashlib
import json
import math
import sqlite3
import struct
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from steelyard.errors import InvalidFile
from steelyard.lab.ranking.dataset import Candidate
from steelyard.support import cache as caches

APPLICATION = 0x5354_4C59  # marks the file as ours, in bytes 68 to 71
VERSION = 1
SCHEMA = "CREATE TABLE result (key BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID"
MAX_BYTES = 1_000_000  # bytes of a value
WAIT = 30.0  # seconds, while another process writes
_CHECKSUM = 8  # bytes
_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_MISMATCH)

Numbers = list[float]
T = TypeVar("T")


class _Damaged(sqlite3.DatabaseError):
    """The file is ours and cannot be used as it is."""

    sqlite_errorcode = sqlite3.SQLITE_CORRUPT


@dataclass(frozen=True, slots=True)
class Store:
    """Keys to numbers. The file is open only during a call, so that several processes may share it."""

    path: Path = field(default_factory=lambda: caches.find_folder() / "signals.sqlite")

    def get(self, keys: Sequence[bytes]) -> dict[bytes, Numbers]:
        """Return the keys that are there with their numbers, except those that were changed since they were written."""
        select = "SELECT value FROM result WHERE key = ?"
        rows = self._run(lambda connection: [connection.execute(select, (key,)).fetchone() for key in keys])
        unpacked = {key: _unpack(key, row[0]) for key, row in zip(keys, rows, strict=True) if row}
        return {key: numbers for key, numbers in unpacked.items() if numbers is not None}

    def put(self, results: Mapping[bytes, Sequence[float]]) -> None:
        rows = [(key, _pack(key, numbers)) for key, numbers in results.items()]

        def write(connection: sqlite3.Connection) -> None:
            with connection:
                connection.executemany("INSERT OR REPLACE INTO result VALUES (?, ?)", rows)

        self._run(write)

    def _run(self, work: Callable[[sqlite3.Connection], T], *, again: bool = False) -> T:
        """Do the work; if the file proves damaged, delete it and do the work `again`."""
        try:
            if again:
                for path in (self.path, self.path.with_name(self.path.name + "-journal")):
                    path.unlink(missing_ok=True)
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if self.path.exists() and not _is_ours(self.path):
                raise self._unusable("not a cache of this program")
            with closing(sqlite3.connect(self.path, timeout=WAIT)) as connection:
                _prepare(connection)
                return work(connection)
        except (sqlite3.Error, OSError) as error:
            # The low byte is the kind of error, the rest its details.
            if not again and getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGE:
                return self._run(work, again=True)
            reason = error.strerror if isinstance(error, OSError) else error
            raise self._unusable(f"the cache cannot be used ({reason})") from error

    def _unusable(self, reason: str) -> InvalidFile:
        return InvalidFile(self.path, f"{reason}; delete it, or name another folder in {caches.VARIABLE}")


def _prepare(connection: sqlite3.Connection) -> None:
    """Make our table if the file is new, and check that there is no other."""
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_BYTES)
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA synchronous = OFF")  # a file that a power cut damages is made again
    if not _tables(connection):
        with connection:
            connection.execute("BEGIN IMMEDIATE")
            if not _tables(connection):  # another process may have made it meanwhile
                connection.execute(SCHEMA)
                connection.execute(f"PRAGMA application_id = {APPLICATION}")
                connection.execute(f"PRAGMA user_version = {VERSION}")
    if _tables(connection) != [SCHEMA] or connection.execute("PRAGMA user_version").fetchone() != (VERSION,):
        raise _Damaged("it has other tables than ours")


def _tables(connection: sqlite3.Connection) -> list[object]:
    return [row[0] for row in connection.execute("SELECT sql FROM sqlite_master LIMIT 2")]


def _is_ours(path: Path) -> bool:
    """Return whether the header is that of our cache, or the file is still empty."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        header = file.read(100)
    return not header or (header.startswith(b"SQLite format 3\0") and header[68:72] == APPLICATION.to_bytes(4, "big"))


def _pack(key: bytes, numbers: Sequence[float]) -> bytes:
    data = struct.pack(f"<{len(numbers)}d", *numbers)
    return hashlib.sha256(key + data).digest()[:_CHECKSUM] + data


def _unpack(key: bytes, value: object) -> Numbers | None:
    """Return the numbers, or None if the value is not what was packed under this key."""
    if not isinstance(value, bytes) or len(value) % 8 or len(value) <= _CHECKSUM:
        return None
    numbers = list(struct.unpack(f"<{len(value) // 8 - 1}d", value[_CHECKSUM:]))
    return numbers if value == _pack(key, numbers) and all(map(math.isfinite, numbers)) else None


def make_key(*parts: str) -> bytes:
    """Return the SHA-256 of the parts, which are kept apart: ("ab", "c") and ("a", "bc") differ."""
    return hashlib.sha256(json.dumps(parts).encode("ascii")).digest()


@dataclass(frozen=True)
class CachedModel:
    """An embedder or a cross-encoder that computes each result once; later it comes from the store."""

    model: Any
    store: Store = field(default_factory=Store)

    @property
    def name(self) -> str:
        return str(self.model.name)

    @cached_property
    def identity(self) -> str:
        return str(self.model.identity)

    def embed(self, texts: Sequence[str]) -> list[Numbers]:
        keys = [make_key("embed", self.identity, text) for text in texts]
        return self._complete(keys, texts, self.model.embed)

    def logits(self, query: str, candidates: Sequence[Candidate]) -> list[float]:
        keys = [make_key("logit", self.identity, query, c.text) for c in candidates]

        def compute(missing: Sequence[Candidate]) -> list[Numbers]:
            return [[logit] for logit in self.model.logits(query, missing)]

        return [numbers[0] for numbers in self._complete(keys, candidates, compute)]

    def _complete(
        self, keys: Sequence[bytes], items: Sequence[T], compute: Callable[[Sequence[T]], Sequence[Numbers]]
    ) -> list[Numbers]:
        """Take results from the store, and compute and store those that it lacks."""
        by_key = dict(zip(keys, items, strict=True))
        known = self.store.get(list(by_key))
        missing = [key for key in by_key if key not in known]
        if missing:
            new = dict(zip(missing, compute([by_key[key] for key in missing]), strict=True))
            self.store.put(new)
            known |= new
        return [list(known[key]) for key in keys]
