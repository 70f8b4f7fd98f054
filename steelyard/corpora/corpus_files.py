"""The files of a run: Parquet and JSONL, plain or packed; find the inputs, and check the outputs before any work."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from steelyard.errors import CannotWrite, CorpusRefused, MissingExtra
from steelyard.support.artifacts import resolve_output
from steelyard.support.lock import Lock

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
    is_empty = True
    for path in _walk(target):
        is_empty = False
        yield path
    if is_empty:
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


def choose_format(output: str, files: Sequence[CorpusFile]) -> Format:
    """Return the format of the output: what its suffix says, or without a suffix that of the first input.

    Raises:
        CorpusRefused: The suffix is unknown, or Parquet is to be made from files of both kinds.
    """
    chosen = format_of(output)
    if chosen is None:
        if os.path.splitext(output)[1]:
            raise CorpusRefused(output, f"unknown kind of file; write {KNOWN}")
        chosen = files[0].format
    if chosen.kind == PARQUET and len({file.format.kind for file in files}) > 1:
        raise CorpusRefused(output, "Parquet and JSONL inputs have no common columns; filter them separately")
    return chosen


def check_outputs(
    targets: Sequence[str], files: Sequence[CorpusFile], output: str, rejects: str | None, report: str | None
) -> None:
    """Refuse outputs that are inputs, lie in an input folder, are the same file, or cannot be written.

    Raises:
        CorpusRefused: The output is an input, or the like.
        CannotWrite: The folder does not exist or is not writable.
    """
    written = [path for path in (output, rejects, report) if path is not None]
    if len({os.path.realpath(path) for path in written}) < len(written):
        raise CorpusRefused(output, "the output, the rejects and the report are written to the same file; name three")
    if rejects is not None and (format_of(rejects) or Format(JSONL)).kind == PARQUET:
        raise CorpusRefused(rejects, "rejects are written as JSONL; name a file that ends in .jsonl")
    if rejects is not None:
        _check_unfinished(unfinished_rejects(rejects))
    for path in written:
        _check_output(path, targets, files)


def unfinished_rejects(rejects: str) -> Path:
    """Return the file that holds the rejects while they are being written."""
    return Path(f"{os.path.realpath(rejects)}.partial")


def _check_unfinished(path: Path) -> None:
    if os.path.lexists(path) and not stat.S_ISREG(os.lstat(path).st_mode):
        raise CorpusRefused(path, "not a regular file, and needed to write the rejects; move it away")


def _check_output(path: str, targets: Sequence[str], files: Sequence[CorpusFile]) -> None:
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        raise CorpusRefused(path, "not a regular file; write to a file")
    for file in files:
        if target.exists() and os.path.samefile(target, file.path):
            raise CorpusRefused(path, "this is also an input, and would be overwritten; write to another file")
    for folder in filter(os.path.isdir, targets):
        if target.is_relative_to(os.path.realpath(folder)):
            raise CorpusRefused(path, f"in the input folder {folder}, and would be read as an input; write elsewhere")
    resolve_output(path)
    if not target.parent.is_dir():
        raise CannotWrite(path, "there is no such folder")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise CannotWrite(path, "the folder is not writable")


def lock_output(path: str) -> Lock:
    """Return the lock of an output: one for all names of the file.

    Raises:
        SteelyardError: Another run has it.
        CannotWrite: The lock file cannot be made.
    """
    try:
        return Lock(Path(os.path.realpath(path)))
    except OSError as error:
        raise CannotWrite(path, error.strerror or str(error)) from error
