"""The location of a store, from a path, a URL or the default, and its name without the password."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from steelyard.errors import MissingExtra, SteelyardError
from steelyard.site.store.errors import StoreError
from steelyard.support.paths import is_same_file

VARIABLE = "STEELYARD_STORE"
FILE = "sites.sqlite"
BESIDE = ("-wal", "-shm", "-journal")  # endings of the files that SQLite keeps beside a database
KNOWN = "give a path, sqlite:///PATH or postgresql://USER@HOST/NAME"


def locate(url: str | None, *, create: bool) -> URL:
    """Return where the store is: as given, else from STEELYARD_STORE, else in the user's data folder.

    The folder of the default is made, for its user only, when it is missing and `create` says so.

    Raises:
        StoreError: The URL is of no known kind, or its folder is missing.
        MissingExtra: The URL is of PostgreSQL, and its driver is not installed.
    """
    address = url or os.environ.get(VARIABLE)
    if not address:
        return URL.create("sqlite", database=str(_find_default(create=create)))
    scheme = address.partition(":")[0] if "://" in address else ""
    if scheme == "sqlite":
        path = address.removeprefix("sqlite://").removeprefix("/")
        if not path or path == ":memory:" or "?" in path:
            raise StoreError("sqlite:", f"names no file; {KNOWN}")
        return _locate_file(path)
    if scheme in ("postgresql", "postgres", "postgresql+psycopg"):
        return _locate_server(address)
    if scheme:
        raise StoreError(f"{scheme}:", f"no known kind of store; {KNOWN}")
    return _locate_file(address)


def list_store_files(url: str | None) -> Iterator[str]:
    """Yield the files of a store, whether they exist or not; a server has none.

    Raises:
        StoreError: The URL is of no known kind, or its folder is missing.
        MissingExtra: The URL is of PostgreSQL, and its driver is not installed.
    """
    location = locate(url, create=False)
    if location.get_backend_name() == "sqlite":
        file = os.path.realpath(str(location.database))
        yield from (file, *(file + ending for ending in BESIDE))


def refuse_store(output: str | None, url: str | None) -> None:
    """Raise SteelyardError if the output is the store, or a file that SQLite keeps beside it.

    Neither need exist: the store is made before the output is written.
    """
    if output is None:
        return
    for path in list_store_files(url):
        if os.path.realpath(path) == os.path.realpath(output) or is_same_file(path, output):
            reason = "this belongs to the store of audits, and would be overwritten; write to another file"
            raise SteelyardError(f"{output}: {reason}")


def describe(url: URL) -> str:
    """Return the name of the store for messages: never a password, a user or an option of the URL."""
    if url.get_backend_name() == "sqlite":
        return str(url.database)
    port = f":{url.port}" if url.port else ""
    return f"postgresql://{url.host or ''}{port}/{url.database or ''}"


def _locate_file(path: str) -> URL:
    target = Path(path).expanduser()
    if target.is_dir():
        raise StoreError(path, "a directory; name a file in it")
    if target.exists() and not target.is_file():
        raise StoreError(path, "not a regular file; name another")
    if not target.absolute().parent.is_dir():
        raise StoreError(path, "there is no such folder; make it, or name another file")
    return URL.create("sqlite", database=str(target))


def _locate_server(address: str) -> URL:
    try:
        url = make_url(address)
    except (ArgumentError, ValueError):
        # Without the cause, whose message holds the URL with its password.
        raise StoreError("postgresql:", f"the URL cannot be read; {KNOWN}") from None
    if find_spec("psycopg") is None:
        raise MissingExtra("postgresql", "psycopg")
    return url.set(drivername="postgresql+psycopg")


def _find_default(*, create: bool) -> Path:
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    folder = Path(base) / "steelyard"
    if create:
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            reason = f"the folder cannot be made ({error.strerror}); name another with --store or {VARIABLE}"
            raise StoreError(str(folder), reason) from error
    return folder / FILE
