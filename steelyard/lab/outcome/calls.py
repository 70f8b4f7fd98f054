"""Calls without words: what an experiment's answers gave to every source, in a file that quotes nobody.

A journal holds its sources' and answers' texts, which may be others' to publish. The figures about levers need none of
them: for each call the query's id, the arm, the order, a hash of the prompt, the shares, and what is known of the
citations.
"""

from __future__ import annotations

import gzip
import hashlib
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from steelyard.components.arithmetic.numbers import mean
from steelyard.errors import InvalidFile
from steelyard.lab.outcome.pawc import STRICT, shares
from steelyard.lab.outcome.records.rows import Row, read_rows
from steelyard.lab.outcome.soft_shares import compute_soft_shares
from steelyard.support.artifacts import to_json

SCHEMA = "steelyard.lab.outcome.calls/1"
DIGITS = 4  # of a share
HASH_DIGITS = 16
WILLING = 2  # of the counts: not known of older runs
WRITTEN, SOFT, FORCED, OWN = KINDS = ("written", "soft", "forced", "own")


@dataclass(frozen=True, slots=True)
class CallShares:
    """One call. Shares are by place in the prompt; those that there are not are empty.

    Attributes:
        place: Of the target in the prompt, from 0.
        prompt: A hash of the sources as they were shown.
        written: Shares of the answer as it was written.
        soft: The same, with every forced citation divided by the model's probabilities.
        forced: The probabilities of the forced citations, averaged.
        own: The probabilities at the brackets that the model opened itself, averaged.
        counts: Forced citations, own ones, forced ones at which the model was about to open a bracket (None: not
            recorded), and forced ones at which two sources were equally likely.
    """

    query: str
    arm: str
    place: int
    prompt: str
    written: tuple[float, ...]
    soft: tuple[float, ...]
    forced: tuple[float, ...]
    own: tuple[float, ...]
    counts: tuple[int, int, int | None, int]

    def share(self, kind: str) -> float | None:
        """Return the target's share of one kind."""
        by_place: tuple[float, ...] = getattr(self, kind)
        return by_place[self.place] if by_place else None


def summarize_call(
    query: str, arm: str, place: int, *, sources: Sequence[str], answer: str, known: Mapping[str, Any]
) -> CallShares:
    """Return what an answer gives to every source; `known` is what the journal says of its citations."""
    n, forced, own = len(sources), known.get("forced", ()), known.get("own_probabilities", ())
    ties = sum(sorted(line)[-1] == sorted(line)[-2] for line in forced)
    return CallShares(
        query,
        arm,
        place,
        hashlib.sha256("\0".join(sources).encode("utf-8", "surrogatepass")).hexdigest()[:HASH_DIGITS],
        _round(shares(answer, n, STRICT)),
        _round(compute_soft_shares(answer, n, forced) if known else None),
        _average(forced),
        _average(own),
        (len(forced), known.get("own", 0), known.get("willing"), ties),
    )


def _round(values: Sequence[float] | None) -> tuple[float, ...]:
    return tuple(round(value, DIGITS) for value in values or ())


def _average(lines: Sequence[Sequence[float]]) -> tuple[float, ...]:
    return _round([mean(column) for column in zip(*lines, strict=True)]) if lines else ()


def write_calls(path: str | Path, head: Mapping[str, Any], calls: Iterable[CallShares]) -> None:
    """Write a file of calls; the same calls are the same bytes."""
    buffer = io.BytesIO()
    with gzip.GzipFile(fileobj=buffer, mode="wb", mtime=0, filename="") as file:
        for record in ({"schema": SCHEMA, **head}, *map(asdict, calls)):
            file.write((to_json(record, indent=None) + "\n").encode())
    Path(path).write_bytes(buffer.getvalue())


def read_calls(path: str | Path) -> tuple[dict[str, Any], list[CallShares]]:
    """Read a file of calls.

    Raises:
        InvalidFile: It is another file, or a line of it is damaged.
    """
    rows = read_rows(path)
    head = next(rows)
    if head.value.get("schema") != SCHEMA:
        raise InvalidFile(path, f"not a file of calls: its first line has no `schema` of {SCHEMA!r}")
    head.text("engine")
    return head.value, list(_read_lines(rows))


def _read_lines(rows: Iterable[Row]) -> Iterator[CallShares]:
    for row in rows:
        written, soft, forced, own = kinds = [_read_shares(row, kind) for kind in KINDS]
        place, counts = row.whole("place"), row.value.get("counts")
        if any(kind and not 0 <= place < len(kind) for kind in kinds):
            raise row.error(f"`place` is {place}, and no source stands there")
        if not isinstance(counts, list) or len(counts) != 4 or not all(map(_is_count, counts, range(4))):
            raise row.error("`counts` must be four numbers of citations")
        yield CallShares(
            row.name("query"), row.text("arm"), place, row.text("prompt"), written, soft, forced, own,
            (counts[0], counts[1], counts[2], counts[3]),
        )  # fmt: skip


def _is_count(value: object, kind: int) -> bool:
    return (value is None and kind == WILLING) or (type(value) is int and value >= 0)


def _read_shares(row: Row, key: str) -> tuple[float, ...]:
    values = row.value.get(key)
    if not isinstance(values, list) or any(isinstance(v, bool) or not isinstance(v, int | float) for v in values):
        raise row.error(f"`{key}` must be a list of shares")
    if not all(0 <= value <= 1 for value in values):
        raise row.error(f"`{key}` holds a number that is no share")
    return tuple(map(float, values))
