"""Scores that were made elsewhere: the texts go out as a file, and their scores come back as another.

So a scorer can be judged that is closed, paid for, on another machine, or a person with a spreadsheet.
"""

from __future__ import annotations

import csv
import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from steelyard.errors import InvalidFile, SteelyardError
from steelyard.lab.scorers.base import CRASHED, POINTS, Passage, Range, ScorerFailed
from steelyard.support import escape
from steelyard.support.formatting import format_count
from steelyard.support.lines import MAX_LINE, explain_bad_json, explain_long_line, explain_not_object, read_lines
from steelyard.support.regular_file import open_regular_file

MAX_LINE_BYTES = 64_000_000
SHOWN = 3  # ids in a message
ADVICE = 'write one {"id": "…", "score": 61.2} per line, with the ids of the exported file'


def identify(passage: Passage) -> str:
    """Return the id of a text in both files: a hash, so that scores of other texts are noticed."""
    content = json.dumps([passage.text, passage.title], ensure_ascii=False)
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:20]


def write_passages(file: TextIO, passages: Iterable[Passage], *, known: Mapping[str, Any], is_csv: bool) -> int:
    """Write every different text once, with its id, but those with a known score; return their number.

    In a table, a text that a spreadsheet would run gets a mark in front; its id is that of the text itself.
    """
    written: set[str] = set()
    table = csv.writer(file)
    if is_csv:
        table.writerow(["id", "title", "text"])
    for passage in passages:
        key = identify(passage)
        if key in written or key in known:
            continue
        written.add(key)
        if is_csv:
            table.writerow([key, *(escape.mark_formula(cell) for cell in (passage.title or "", passage.text))])
        else:
            title = {} if passage.title is None else {"title": passage.title}
            file.write(json.dumps({"id": key, **title, "text": passage.text}, ensure_ascii=True) + "\n")
    return len(written)


def read_scores(path: str | Path) -> dict[str, tuple[float, ...]]:
    """Read scores by id, from JSONL or CSV; a text that was scored several times has several.

    Raises:
        InvalidFile: A line has no id or no number; the message names it.
    """
    rows = _read_csv(path) if str(path).lower().endswith(".csv") else _read_jsonl(path)
    scores: dict[str, list[float]] = {}
    for line, row in rows:
        key, value = row.get("id"), row.get("score")
        if not isinstance(key, str) or not key:
            raise InvalidFile(f"{path}:{line}", f"no id; {ADVICE}")
        score = None if isinstance(value, bool | str) else _to_number(value)
        if score is None:
            raise InvalidFile(f"{path}:{line}", f"the score of {key[:40]!r} is no number; {ADVICE}")
        scores.setdefault(key, []).append(score)
    if not scores:
        raise InvalidFile(str(path), f"holds no scores; {ADVICE}")
    return {key: tuple(values) for key, values in scores.items()}


def _read_jsonl(path: str | Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    with open_regular_file(path) as file:
        for line in read_lines(file, min(MAX_LINE, MAX_LINE_BYTES), strict=True):
            where = f"{path}:{line.number}"
            if line.data is None:
                raise InvalidFile(where, explain_long_line(MAX_LINE_BYTES, ADVICE))
            if line.is_blank:
                continue
            try:
                row = json.loads(line.data)
            except (ValueError, RecursionError) as error:
                raise InvalidFile(where, explain_bad_json(error, ADVICE)) from error
            if not isinstance(row, dict):
                raise InvalidFile(where, explain_not_object(row, ADVICE))
            yield line.number, row


def _read_csv(path: str | Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Read a table with the columns id and score; others, such as the text, may stand beside them.

    Where spreadsheets write decimal commas, they write semicolons between columns.
    """
    csv.field_size_limit(MAX_LINE_BYTES)
    try:
        with (
            open_regular_file(path) as file,
            open(file.fileno(), encoding="utf-8-sig", newline="", closefd=False) as text,
        ):
            semicolons = ";" in text.readline(MAX_LINE_BYTES)
            text.seek(0)
            table = csv.DictReader(text, delimiter=";" if semicolons else ",")
            if not {"id", "score"} <= {*(table.fieldnames or ())}:
                raise InvalidFile(f"{path}:1", "needs the columns id and score")
            for row in table:
                score = row["score"] or ""
                yield (
                    table.line_num,
                    {"id": row["id"], "score": _to_number(score.replace(",", ".") if semicolons else score)},
                )
    except (csv.Error, UnicodeDecodeError) as error:
        raise InvalidFile(str(path), f"is no table in UTF-8 ({error})") from error


def _to_number(value: Any) -> float | None:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


@dataclass(frozen=True)
class RecordedScorer:
    """A scorer that looks its scores up; a text that was scored several times gives them in turn."""

    source: str
    scores: Mapping[str, Sequence[float]] = field(repr=False)
    digest: str
    range: Range
    parallel = False

    @property
    def name(self) -> str:
        return Path(self.source).name

    @contextmanager
    def open(self) -> Iterator[RecordedSession]:
        yield RecordedSession(self, {})

    def require(self, passages: Iterable[Passage]) -> int:
        """Check that every text has a score, and return how many scores are of other texts.

        Raises:
            SteelyardError: Some have none; the message says how many, and how to write them out.
        """
        wanted = {identify(passage) for passage in passages}
        missing = sorted(wanted - self.scores.keys())
        if missing:
            raise SteelyardError(
                f"{self.source}: {format_count(len(missing), 'text')} of {len(wanted):,} without a score, such as "
                f"{', '.join(missing[:SHOWN])}; --export FILE with --scores writes those that are missing"
            )
        return len(self.scores.keys() - wanted)


@dataclass(frozen=True)
class RecordedSession:
    """How often each text was asked for."""

    scorer: RecordedScorer
    asked: dict[str, int]

    def score(self, passage: Passage) -> Mapping[str, float]:
        key = identify(passage)
        values = self.scorer.scores.get(key)
        if values is None:
            raise ScorerFailed(CRASHED, f"no score for {key}")
        turn = self.asked.get(key, 0)
        self.asked[key] = turn + 1
        return {POINTS: self.scorer.range.to_points(values[turn % len(values)])}
