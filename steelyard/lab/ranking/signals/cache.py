"""What models gave before, by content: a SQLite file of hashes and numbers in the folder of caches.

A key is the SHA-256 of the model's identity and the text (and the query), a value its numbers with a check. A file
that is not ours is refused and left as it is; ours, when it is damaged, is made anew: it is only a cache.
"""

from __future__ import annotations

import hashlib
import json
import math
import sqlite3
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Generic, TypeVar

from steelyard.errors import SteelyardError
from steelyard.lab.ranking.dataset import Candidate
from steelyard.lab.ranking.signals.base import CrossEncoder, Embedder
from steelyard.support import cache as caches

APPLICATION = 0x5354_4C59  # bytes 68 to 71 of the file say whose it is
VERSION = 1
SCHEMA = "CREATE TABLE result (key BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID"
LARGEST = 1_000_000  # bytes of a value
WAIT = 30.0  # seconds for another process that writes
_CHECK = 8
_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_MISMATCH)

Numbers = list[float]
T = TypeVar("T")


class CacheUnusable(SteelyardError):
    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path}: {reason}; delete it, or name another folder in {caches.VARIABLE}")


class _Damaged(Exception):
    """The file is ours and cannot be used as it is."""


@dataclass(frozen=True, slots=True)
class Store:
    """Keys to numbers. The file is open only while it is asked: processes may share it, and nothing is to be closed."""

    path: Path = field(default_factory=lambda: caches.folder() / "signals.sqlite")

    def get(self, keys: Sequence[bytes]) -> dict[bytes, Numbers]:
        """Those that are there; one that was changed since it was written is not."""
        found = self._tried(lambda connection: [_row(connection, key) for key in keys])
        known = {key: _unpacked(key, value) for key, value in zip(keys, found, strict=True)}
        return {key: numbers for key, numbers in known.items() if numbers is not None}

    def put(self, results: Mapping[bytes, Sequence[float]]) -> None:
        rows = [(key, _packed(key, numbers)) for key, numbers in results.items()]

        def write(connection: sqlite3.Connection) -> None:
            with connection:
                connection.executemany("INSERT OR REPLACE INTO result VALUES (?, ?)", rows)

        self._tried(write)

    def _tried(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Do it; if the file proves damaged, once more with a new one."""
        try:
            try:
                return self._done(work)
            except _Damaged:
                for path in (self.path, self.path.with_name(self.path.name + "-journal")):
                    path.unlink(missing_ok=True)
                return self._done(work)
        except (_Damaged, sqlite3.Error) as error:
            raise CacheUnusable(self.path, f"the cache cannot be used ({error})") from error
        except OSError as error:
            raise CacheUnusable(self.path, f"the cache cannot be used ({error.strerror})") from error

    def _done(self, work: Callable[[sqlite3.Connection], T]) -> T:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if self.path.exists() and not _ours(self.path):
            raise CacheUnusable(self.path, "not a cache of this program")
        try:
            with closing(sqlite3.connect(self.path, timeout=WAIT)) as connection:
                _check(connection)
                return work(connection)
        except sqlite3.Error as error:
            # The low byte is the kind of error, the rest its details.
            if getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGE:
                raise _Damaged(str(error)) from error
            raise


def _check(connection: sqlite3.Connection) -> None:
    """The one table of ours, which is made if there is none."""
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST)
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA synchronous = OFF")  # what a power cut damages is made anew
    if not _tables(connection):
        with connection:
            connection.execute("BEGIN IMMEDIATE")
            if not _tables(connection):  # another process may have made it while this one waited
                connection.execute(SCHEMA)
                connection.execute(f"PRAGMA application_id = {APPLICATION}")
                connection.execute(f"PRAGMA user_version = {VERSION}")
    if _tables(connection) != [SCHEMA] or connection.execute("PRAGMA user_version").fetchone() != (VERSION,):
        raise _Damaged("other tables than ours")


def _tables(connection: sqlite3.Connection) -> list[object]:
    return [row[0] for row in connection.execute("SELECT sql FROM sqlite_master LIMIT 2")]


def _ours(path: Path) -> bool:
    """Whether the header is that of our cache; a file of no bytes is one not yet written."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        header = file.read(100)
    return not header or (header.startswith(b"SQLite format 3\0") and header[68:72] == APPLICATION.to_bytes(4, "big"))


def _row(connection: sqlite3.Connection, key: bytes) -> object:
    row = connection.execute("SELECT value FROM result WHERE key = ?", (key,)).fetchone()
    return row[0] if row else None


def _packed(key: bytes, numbers: Sequence[float]) -> bytes:
    data = struct.pack(f"<{len(numbers)}d", *numbers)
    return hashlib.sha256(key + data).digest()[:_CHECK] + data


def _unpacked(key: bytes, value: object) -> Numbers | None:
    if not isinstance(value, bytes) or len(value) % 8 or len(value) <= _CHECK:
        return None
    if value[:_CHECK] != hashlib.sha256(key + value[_CHECK:]).digest()[:_CHECK]:
        return None
    numbers = list(struct.unpack(f"<{len(value) // 8 - 1}d", value[_CHECK:]))
    return numbers if all(map(math.isfinite, numbers)) else None


def key_of(*parts: str) -> bytes:
    """The SHA-256 of the parts, each told from its neighbours."""
    return hashlib.sha256(json.dumps(parts).encode("ascii")).digest()


Model = TypeVar("Model", Embedder, CrossEncoder)


@dataclass(frozen=True)
class _Cached(Generic[Model]):
    """A model under its own name, with the store of what it said."""

    model: Model
    store: Store

    @property
    def name(self) -> str:
        return self.model.name

    @cached_property
    def identity(self) -> str:
        return self.model.identity


@dataclass(frozen=True)
class CachedEmbedder(_Cached[Embedder]):
    """An embedder that is asked for each text once."""

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        keys = [key_of("embed", self.identity, text) for text in texts]
        return _completed(self.store, dict(zip(keys, texts, strict=True)), keys, self.model.embed)


@dataclass(frozen=True)
class CachedCrossEncoder(_Cached[CrossEncoder]):
    """A cross-encoder that is asked for each query and text once."""

    def logits(self, query: str, candidates: Sequence[Candidate]) -> list[float]:
        keys = [key_of("logit", self.identity, query, c.text) for c in candidates]

        def judged(missing: Sequence[Candidate]) -> Iterable[Numbers]:
            return ([logit] for logit in self.model.logits(query, missing))

        found = _completed(self.store, dict(zip(keys, candidates, strict=True)), keys, judged)
        return [numbers[0] for numbers in found]


def _completed(
    store: Store, wanted: Mapping[bytes, T], keys: Sequence[bytes], ask: Callable[[Sequence[T]], Iterable[Numbers]]
) -> list[Numbers]:
    """What the store has, and what it lacks from the model, which is stored."""
    found = store.get(list(wanted))
    lacking = [key for key in wanted if key not in found]
    if lacking:
        new = dict(zip(lacking, ask([wanted[key] for key in lacking]), strict=True))
        store.put(new)
        found |= new
    return [list(found[key]) for key in keys]
