"""Find the files of a corpus: Parquet and JSONL, plain or packed, named or in directories."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec

from steelyard.errors import CorpusRefused, MissingExtra

PARQUET, JSONL = "parquet", "jsonl"
PLAIN, GZIP, ZSTD = "", "gz", "zst"
_KINDS = {".parquet": PARQUET, ".jsonl": JSONL, ".ndjson": JSONL}
_PACKINGS = {".gz": GZIP, ".zst": ZSTD}
KNOWN = ".parquet, .jsonl or .ndjson (the last two also with .gz or .zst)"


@dataclass(frozen=True, slots=True)
class Format:
    """How rows are stored in a file."""

    kind: str
    packing: str = PLAIN


@dataclass(frozen=True, slots=True)
class CorpusFile:
    """An input file; its size and time of change tell whether it is still the one a run was started on."""

    path: str
    format: Format
    size: int
    modified: int  # in nanoseconds


def format_of(path: str) -> Format | None:
    """Return the format that the end of a name stands for, or None."""
    stem, suffix = os.path.splitext(path.lower())
    packing = _PACKINGS.get(suffix, PLAIN)
    if packing:
        suffix = os.path.splitext(stem)[1]
    kind = _KINDS.get(suffix)
    return Format(kind, packing) if kind and not (kind == PARQUET and packing) else None


def require_packages(fmt: Format) -> None:
    """Raise MissingExtra if a package that reads and writes the format is not installed."""
    package = "pyarrow" if fmt.kind == PARQUET else "zstandard" if fmt.packing == ZSTD else None
    if package and find_spec(package) is None:
        raise MissingExtra("bulk", package)


def find_files(targets: Sequence[str]) -> list[CorpusFile]:
    """Return the files of the targets in their order, and by name within a directory.

    Raises:
        CorpusRefused: A target does not exist, is no regular file, has no known suffix, is given twice, or is a
            directory without a file of a known kind.
    """
    files: list[CorpusFile] = []
    seen: dict[tuple[int, int], str] = {}
    for path in (path for target in targets for path in _list_paths(target)):
        fmt = format_of(path)
        if fmt is None:
            raise CorpusRefused(path, f"unknown kind of file; a corpus is {KNOWN}")
        info = _require_regular_file(path)
        identity = (info.st_dev, info.st_ino)
        if identity in seen:
            raise CorpusRefused(path, f"the same file as {seen[identity]}; its rows would come out twice, name it once")
        seen[identity] = path
        files.append(CorpusFile(path, fmt, info.st_size, info.st_mtime_ns))
    return files


def check_unchanged(file: CorpusFile) -> None:
    """Raise CorpusRefused if a file is not what it was when the run started."""
    info = _require_regular_file(file.path)
    if (info.st_size, info.st_mtime_ns) != (file.size, file.modified):
        raise CorpusRefused(file.path, "changed while it was being read; start again when nobody writes to it")


def _require_regular_file(path: str) -> os.stat_result:
    try:
        info = os.stat(path)
        if stat.S_ISREG(info.st_mode):
            with open(path, "rb"):  # whether it may be read shows now, not after hours
                return info
    except OSError as error:
        raise CorpusRefused(path, f"{error.strerror or error}; check the path and its permissions") from error
    raise CorpusRefused(path, "not a regular file (a pipe or a device); save it to a file first")


def _list_paths(target: str) -> Iterator[str]:
    if not os.path.isdir(target):
        yield target
        return
    found = False
    for path in _walk(target):
        found = True
        yield path
    if not found:
        raise CorpusRefused(target, f"no corpus in this directory; a corpus is {KNOWN}")


def _walk(root: str) -> Iterator[str]:
    """Yield the files of known kinds by name; skip hidden names, and do not follow links to folders."""

    def refuse(error: OSError) -> None:
        raise CorpusRefused(error.filename, f"{error.strerror}; make the folder readable") from error

    for folder, folders, names in os.walk(root, onerror=refuse):
        folders[:] = sorted(f for f in folders if not f.startswith("."))
        for name in sorted(names):
            if not name.startswith(".") and format_of(name):
                yield os.path.join(folder, name)
