"""The working folder of a run, next to its output: finished parts, their counts, and how the run was started."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, NoReturn, TypeVar

from steelyard.corpora.batches import Position
from steelyard.corpora.tally import Tally, check_count
from steelyard.corpora.work import Result
from steelyard.errors import CannotWrite, CorpusRefused, RunDiffers, RunStopped
from steelyard.support.artifacts import list_differences, to_json, write_text
from steelyard.support.regular_file import open_regular_file

_T = TypeVar("_T")
STATE = "run.json"
JOINED = "joined"
MAX_DIFFERENCES = 6
MAX_STATE_BYTES = 200_000_000  # bytes; a million inputs take about as many
_OURS = re.compile(r"[0-9]{6,}\.(?:kept|rejects|json)(?:\.new)?|run\.json|joined|\.steelyard-.*")
_DAMAGES = (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError)  # of a file and its JSON
_LENGTH = 8  # bytes that say how long the next piece of a part is


@contextmanager
def explain_write_errors(path: object) -> Iterator[None]:
    """Turn a failed write into an error that says how to go on."""
    try:
        yield
    except OSError as error:
        raise RunStopped(str(path), error.strerror or str(error)) from error
    except CannotWrite as error:
        cause = error.__cause__
        raise RunStopped(str(path), getattr(cause, "strerror", None) or str(cause)) from error


class State(NamedTuple):
    """The start of an unfinished run: all that its bytes depend on, its date, and its counts at the end."""

    header: dict[str, Any]
    as_of: date
    finished: Tally | None


class WorkFolder:
    """`OUT.partial`. A part is finished once its counts are there, which are written last."""

    def __init__(self, output: str) -> None:
        self.path = Path(f"{output}.partial")
        self._output = output

    def read_state(self) -> State | None:
        """Return how the unfinished run was started, or None if there is no such run.

        Raises:
            CorpusRefused: The folder has other contents than a run's, or they are damaged.
        """
        unknown = self._find_unknown()
        if unknown is not None:
            raise CorpusRefused(self.path, f"needed as a working folder, but holds {unknown}; move it away")
        return self._read_json(self.path / STATE, _parse_state)

    def _find_unknown(self) -> str | None:
        """Name something in the folder that no run puts there; pipes and links are never opened."""
        if not self.path.is_dir():
            return repr(str(self.path)) if os.path.lexists(self.path) else None
        with os.scandir(self.path) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                if not _OURS.fullmatch(entry.name):
                    return repr(entry.name)
                if not entry.is_file(follow_symlinks=False):
                    return f"{entry.name!r}, which is not a regular file"
        return None

    def _read_json(self, path: Path, parse: Callable[[Any], _T]) -> _T | None:
        """Return the parsed content of a file; None if there is no such file.

        Raises:
            CorpusRefused: It is not what a run writes.
        """
        try:
            with open_regular_file(path) as file:
                data = file.read(MAX_STATE_BYTES + 1)
            if len(data) > MAX_STATE_BYTES:
                raise ValueError(f"over {MAX_STATE_BYTES:,} bytes")
            return parse(json.loads(data))
        except FileNotFoundError:
            return None
        except _DAMAGES as error:
            self._refuse(path, error)

    def _refuse(self, path: Path, error: Exception) -> NoReturn:
        reason = error if isinstance(error, OSError | ValueError) else "not what a run writes"
        raise CorpusRefused(path, f"cannot be read ({reason}); delete {self.path}") from error

    def open(self, header: Mapping[str, Any]) -> None:
        """Start a run, or continue one with an equal header.

        Raises:
            RunDiffers: The unfinished run has another header.
            CorpusRefused: Its folder is damaged.
        """
        state = self.read_state()
        if state is None:
            self._start(header)
            return
        try:
            changed = list(list_differences(state.header, json.loads(to_json(header))))
        except RecursionError as error:
            self._refuse(self.path / STATE, error)
        if changed:
            more = len(changed) - MAX_DIFFERENCES
            shown = [*changed[:MAX_DIFFERENCES], *([f"and {more} more"] if more > 0 else [])]
            raise RunDiffers(self._output, str(self.path), shown)

    def _start(self, header: Mapping[str, Any]) -> None:
        with explain_write_errors(self.path):
            shutil.rmtree(self.path, ignore_errors=True)
            self.path.mkdir()
        self._write_state({"header": header})

    def _write_state(self, state: Mapping[str, Any]) -> None:
        with explain_write_errors(self.path):
            write_text(self.path / STATE, to_json(state) + "\n")

    def finish(self, header: Mapping[str, Any], tally: Tally) -> None:
        """Note that the output is in place, so that a run killed from now on does nothing again."""
        self._write_state({"header": header, "finished": tally.to_dict()})

    def remove(self) -> None:
        """Remove the folder, the state last."""
        with explain_write_errors(self.path):
            for name in os.listdir(self.path):
                if name != STATE:
                    os.unlink(self.path / name)
            os.unlink(self.path / STATE)
            self.path.rmdir()

    def part_file(self, number: int, kind: str) -> Path:
        """Return the path of a part's `kept` or `rejects` rows, or its `json` with the counts."""
        return self.path / f"{number:06d}.{kind}"

    def read_record(self, number: int) -> tuple[Position, Tally] | None:
        """Return where a finished part ends and its counts, or None if it is not finished.

        Raises:
            CorpusRefused: The record is damaged.
        """
        return self._read_json(self.part_file(number, "json"), _parse_record)


def _parse_state(state: Any) -> State:
    header, finished = state["header"], state.get("finished")
    as_of = date.fromisoformat(header["options"]["as_of"])
    return State(header, as_of, None if finished is None else Tally.from_dict(finished))


def _parse_record(record: Any) -> tuple[Position, Tally]:
    file, row, offset = map(check_count, record["end"])
    return Position(file, row, offset), Tally.from_dict(record["tally"])


class PartWriter:
    """Writes one part under other names, and gives it its names when it is whole."""

    def __init__(self, folder: WorkFolder, number: int) -> None:
        self._folder = folder
        self._number = number
        self.tally = Tally()
        self._files: dict[str, BinaryIO] = {}
        with explain_write_errors(folder.path):
            for kind in ("kept", "rejects"):
                self._files[kind] = open(self._new_name(kind), "wb")  # noqa: SIM115 - closed by finish or abandon

    def _new_name(self, kind: str) -> str:
        return f"{self._folder.part_file(self._number, kind)}.new"

    def add(self, result: Result) -> None:
        """Append the result of a batch."""
        with explain_write_errors(self._folder.path):
            for piece in result.kept:
                self._files["kept"].write(len(piece).to_bytes(_LENGTH, "big") + piece)
            self._files["rejects"].write(result.rejects)
        self.tally.add(result.tally)

    def finish(self, end: Position) -> Tally:
        """Put the part in its place, its counts last, and return these."""
        with explain_write_errors(self._folder.path):
            for kind, file in self._files.items():
                file.flush()
                os.fsync(file.fileno())
                file.close()
                os.replace(self._new_name(kind), self._folder.part_file(self._number, kind))
            record = {"end": end, "tally": self.tally.to_dict()}
            write_text(self._folder.part_file(self._number, "json"), to_json(record, indent=None))
        return self.tally

    def abandon(self) -> None:
        """Close the files of a part that is not whole; the next run overwrites them."""
        for file in self._files.values():
            try:
                file.close()
            except OSError:  # the disk is full, which has been reported
                continue


@contextmanager
def open_part(path: Path) -> Iterator[BinaryIO]:
    """Open the rows of a finished part.

    Raises:
        CorpusRefused: They cannot be read, for example because they were deleted.
    """
    try:
        file = open_regular_file(path)
    except OSError as error:
        raise CorpusRefused(path, f"cannot be read ({error.strerror}); delete {path.parent}") from error
    with file:
        yield file


def read_pieces(path: Path) -> Iterator[bytes]:
    """Yield the kept rows of a part as they were appended.

    Raises:
        CorpusRefused: The part is damaged.
    """
    with open_part(path) as file:
        left = os.fstat(file.fileno()).st_size
        while head := file.read(_LENGTH):
            length = int.from_bytes(head, "big")
            left -= _LENGTH + length
            if left < 0:
                raise CorpusRefused(path, f"cut short or damaged; delete {path.parent}")
            yield file.read(length)
