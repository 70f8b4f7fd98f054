"""The files that a command reads: none of them may be its output."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence

import click

from steelyard.errors import CannotWrite, SteelyardError
from steelyard.inputs.find import STDIN, find_pages, is_excluded
from steelyard.inputs.walk import match_files
from steelyard.support.artifacts import find_repeated, require_writable
from steelyard.support.paths import is_same_file

_READ = "steelyard.files_read"


def remember_input(path: str) -> None:
    """Remember a file that an option named and that is read before the command starts."""
    click.get_current_context().meta.setdefault(_READ, []).append(path)


def list_files(targets: Sequence[str], exclude: Sequence[str] = ()) -> Iterator[str]:
    """Yield the files that targets stand for: pages, the pages of directories, what a glob matches, JSONL files."""
    for target in targets:
        if target == STDIN:
            continue
        if os.path.isdir(target):
            yield from (ref.path for ref in find_pages([target], exclude=exclude) if ref.path)
        else:
            paths = [target] if os.path.lexists(target) else match_files(target)
            yield from (path for path in paths if not is_excluded(path, exclude))


def check_output(output: str | None, inputs: Iterable[str]) -> None:
    """Refuse, before any work, an output that is an input or a directory, or that cannot be written.

    Raises:
        SteelyardError: It is an input.
        CannotWrite: It cannot be written.
    """
    if output is None:
        return
    refuse_input(output, inputs)
    if os.path.isdir(output):
        raise CannotWrite(output, "a directory")
    require_writable(output)


def refuse_input(output: str, inputs: Iterable[str]) -> None:
    """Raise SteelyardError if the output is one of the inputs or a file that an option named, under whatever name."""
    if not os.path.isfile(output):  # what does not exist is no input, and a device is not overwritten
        return
    context = click.get_current_context(silent=True)
    for path in (*(context.meta.get(_READ, ()) if context else ()), *inputs):
        if is_same_file(path, output):
            reason = "this is also an input, and would be overwritten; write elsewhere, or leave it out of the input"
            raise SteelyardError(f"{output}: {reason}")


def refuse_repeated(outputs: Iterable[str]) -> None:
    """Raise SteelyardError if two outputs are one file, which would keep only the last."""
    path = find_repeated(outputs)
    if path is not None:
        raise SteelyardError(f"{path}: two outputs would be written to this file; give each a file of its own")
