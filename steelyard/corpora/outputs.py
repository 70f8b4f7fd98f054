"""Check, before any work, that the files of a run can be written and are none of its inputs."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path

from steelyard.corpora.corpus_files import JSONL, KNOWN, PARQUET, CorpusFile, Format, format_of
from steelyard.errors import CannotWrite, CorpusRefused
from steelyard.support.artifacts import resolve_output
from steelyard.support.lock import Lock


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
