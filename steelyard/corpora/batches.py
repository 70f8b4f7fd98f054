"""Cut a corpus into batches of rows that never cross the border of a file or of a part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from steelyard.corpora.corpus_files import JSONL, PARQUET, CorpusFile, check_unchanged, format_of
from steelyard.corpora.lines import Line, read_lines
from steelyard.corpora.plan import Plan

BATCH_BYTES = 4_000_000  # a batch of long rows has fewer of them


class Position(NamedTuple):
    """Where the next row is: in which file, after how many of its rows or lines, and at which byte of a JSONL file."""

    file: int = 0
    row: int = 0
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows of one file, as they are sent to a worker."""

    path: str
    lines: Sequence[bytes | None] = ()  # of a JSONL file; None for a line or row that is too long
    numbers: Sequence[int] = ()  # the numbers of the rows in the file, from 1
    columns: bytes = b""  # of a Parquet file, as an Arrow stream
    dead: bool = False  # a worker died on this one row: do not score it again

    @property
    def unit(self) -> str:
        """The word for a row of the file."""
        fmt = format_of(self.path)
        return "row" if fmt is not None and fmt.kind == PARQUET else "line"


@dataclass(slots=True)
class BatchEnd:
    """The end of a batch: where to continue, whether it ends a part, and how much of its file has been read."""

    rows: int
    position: Position
    ends_part: bool
    share: float  # of the file, from 0 to 1


def cut_batches(plan: Plan, batch_size: int, start: Position) -> Iterator[tuple[Batch, BatchEnd]]:
    """Yield the batches from a position at the border of a part on; which rows form a part depends on the plan alone.

    Raises:
        CorpusRefused: A file cannot be read, is damaged, or changed meanwhile.
    """
    in_part = 0
    for index in range(start.file, len(plan.files)):
        file = plan.files[index]
        place = start if index == start.file else Position(index)
        reader = _cut_lines if file.format.kind == JSONL else _cut_columns
        for batch, end in reader(plan, file, batch_size, place, in_part):
            in_part += end.rows
            if in_part == plan.rows_per_part:
                end.ends_part = True
                in_part = 0
            yield batch, end
        check_unchanged(file)


def _cut_lines(
    plan: Plan, file: CorpusFile, batch_size: int, start: Position, in_part: int
) -> Iterator[tuple[Batch, BatchEnd]]:
    left = plan.rows_per_part - in_part
    lines: list[Line] = []
    size = 0

    def make_batch() -> tuple[Batch, BatchEnd]:
        last = lines[-1]
        position = Position(start.file, last.number, last.end)
        end = BatchEnd(len(lines), position, ends_part=False, share=last.read / max(1, file.size))
        return Batch(file.path, [line.data for line in lines], [line.number for line in lines]), end

    for line in read_lines(file, plan.max_bytes, number=start.row, offset=start.offset):
        lines.append(line)
        size += len(line.data or b"")
        if len(lines) == min(batch_size, left) or size >= BATCH_BYTES:
            yield make_batch()
            left = (left - len(lines)) or plan.rows_per_part
            lines, size = [], 0
    if lines:
        yield make_batch()


def _cut_columns(
    plan: Plan, file: CorpusFile, batch_size: int, start: Position, in_part: int
) -> Iterator[tuple[Batch, BatchEnd]]:
    from steelyard.corpora.parquet_process import ask_pieces
    from steelyard.corpora.parquet_rows import Request

    left, distance = plan.rows_per_part - in_part, plan.rows_per_part
    row = start.row
    for piece in ask_pieces(Request(file.path, row, batch_size, BATCH_BYTES, plan.max_bytes, left, distance)):
        numbers = range(row + 1, row + piece.rows + 1)
        row += piece.rows
        end = BatchEnd(piece.rows, Position(start.file, row), ends_part=False, share=row / max(row, piece.total))
        lines = () if piece.columns else (None,)
        yield Batch(file.path, lines, numbers, piece.columns), end
