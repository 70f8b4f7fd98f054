"""Process a batch in a worker: read its rows, score them, decide, and format the kept and the rejected ones."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from steelyard.corpora.batches import Batch
from steelyard.corpora.columns import Columns, fail_rows, score_rows
from steelyard.corpora.corpus_files import JSONL, PARQUET
from steelyard.corpora.json_rows import JsonRow, add_fields, parse_row
from steelyard.corpora.plan import Plan
from steelyard.corpora.tally import Tally

MAX_DETAIL = 400  # characters of a reason in the list of rejects
DEAD = "the process died: scoring this row ends the process; please report the row"


@dataclass(slots=True)
class Result:
    """The result of a batch: the bytes for a part and for its rejects, and the counts."""

    kept: list[bytes] = field(default_factory=list)
    rejects: bytes = b""
    tally: Tally = field(default_factory=Tally)

    def extend(self, other: Result) -> None:
        """Append the result of later rows of the same batch."""
        self.kept += other.kept
        self.rejects += other.rejects
        self.tally.add(other.tally)


@dataclass(slots=True)
class _Decisions:
    """The rows of a batch that are kept, and the lines of those that are not."""

    path: str
    tally: Tally = field(default_factory=Tally)
    lines: list[str] = field(default_factory=list)

    def reject(self, number: int, reason: str, **values: Any) -> None:
        short = reason.partition(": ")[0]
        self.tally.rejected[short] += 1
        self.tally.add_example(short, f"{self.path}:{number}")
        self.note(number, reason, kept=False, **values)

    def note(self, number: int, reason: str, *, kept: bool = True, **values: Any) -> None:
        """List a row that is rejected, or kept although it could not be scored."""
        short, _, detail = reason.partition(": ")
        entry = {"file": self.path, "row": number, "kept": kept, "reason": short, "detail": detail[:MAX_DETAIL]}
        self.lines.append(json.dumps({**entry, **values}) + "\n")

    def decide(self, columns: Columns, numbers: Sequence[int], plan: Plan, unreadable: Mapping[int, str]) -> list[int]:
        """Go through all rows in their order, and return the indices in the columns of those that are kept.

        Args:
            columns: The scores of the rows that could be read.
            numbers: The numbers of all rows.
            plan: With the thresholds.
            unreadable: By number, the reason why a row could not be read; such a row is always rejected.
        """
        kept = []
        index = -1
        for number in numbers:
            if number in unreadable:
                self.tally.unscored[unreadable[number].partition(": ")[0]] += 1
                self.reject(number, unreadable[number])
                continue
            index += 1
            if self._is_kept(columns, index, number, plan):
                self.tally.add_kept(columns.score[index])
                kept.append(index)
        return kept

    def _is_kept(self, columns: Columns, index: int, number: int, plan: Plan) -> bool:
        score, percentile, flagged = columns.score[index], columns.percentile[index], bool(columns.flagged[index])
        if score is None:
            reason = columns.errors[index] or "scoring failed"
            short = reason.partition(": ")[0]
            self.tally.unscored[short] += 1
            if plan.thresholds.are_set:
                self.reject(number, reason)
            else:
                self.tally.add_example(short, f"{self.path}:{number}")
                self.note(number, reason)
            return not plan.thresholds.are_set
        self.tally.add_scored(score, percentile, columns.language[index] or "", flagged=flagged)
        failed = plan.thresholds.find_reason(score, percentile, flagged)
        if failed is not None:
            self.reject(number, failed, score=score, percentile=percentile, flagged=flagged)
        return failed is None


def process_batch(batch: Batch, plan: Plan) -> Result:
    """Return the result of a batch; the same for the same rows, wherever it runs."""
    decisions = _Decisions(batch.path)
    decisions.tally.rows = len(batch.numbers)
    kept = _filter_columns(batch, plan, decisions) if batch.columns else _filter_lines(batch, plan, decisions)
    return Result([kept] if kept else [], "".join(decisions.lines).encode("ascii"), decisions.tally)


def split_batch(batch: Batch) -> list[Batch]:
    """Return batches of one row each, to find the row on which a worker died."""
    if not batch.columns:
        pairs = zip(batch.lines, batch.numbers, strict=True)
        return [replace(batch, lines=[line], numbers=[number]) for line, number in pairs]
    from steelyard.corpora.record_batches import pack, unpack

    rows = unpack(batch.columns)
    return [
        replace(batch, numbers=[number], columns=pack(rows.slice(index, 1)))
        for index, number in enumerate(batch.numbers)
    ]


def _score(batch: Batch, plan: Plan, texts: Sequence[Any], urls: Sequence[str | None] | None) -> Columns:
    if batch.dead:
        return fail_rows(len(texts), DEAD, evidence=plan.added.evidence)
    return score_rows(texts, plan.settings, urls=urls, evidence=plan.added.evidence)


def _filter_lines(batch: Batch, plan: Plan, decisions: _Decisions) -> bytes:
    rows: list[tuple[int, JsonRow]] = []
    unreadable: dict[int, str] = {}
    too_long = f"{batch.unit} too long: over {plan.max_bytes:,} bytes"
    for number, data in zip(batch.numbers, batch.lines, strict=True):
        row = parse_row(data, plan) if data is not None else too_long
        if isinstance(row, JsonRow) and plan.format.kind == PARQUET:
            row = _find_problem(row, plan) or row
        if isinstance(row, str):
            unreadable[number] = row
        else:
            rows.append((number, row))
    columns = _score(batch, plan, [row.text for _, row in rows], [row.url for _, row in rows])
    missing = [index for index, (_, row) in enumerate(rows) if plan.text not in dict(row.pairs)]
    for index in missing:
        keys = ", ".join(key for key, _ in rows[index][1].pairs[:12]) or "none"
        columns.errors[index] = f"no text: the row has no {plan.text!r} (keys: {keys})"
    kept = decisions.decide(columns, batch.numbers, plan, unreadable)
    added = plan.added.select(columns)
    lines = [add_fields(rows[index][1], added, index) for index in kept]
    if plan.format.kind == PARQUET:
        from steelyard.corpora.parquet_from_json import collect_kinds

        for line in lines:
            collect_kinds(line.decode("utf-8"), decisions.tally.kinds)
    return b"".join(lines)


def _find_problem(row: JsonRow, plan: Plan) -> str | None:
    from steelyard.corpora.parquet_from_json import find_problem

    return find_problem(row.raw.decode("utf-8"), plan)


def _filter_columns(batch: Batch, plan: Plan, decisions: _Decisions) -> bytes:
    from steelyard.corpora import json_from_parquet, parquet
    from steelyard.corpora.record_batches import pack, unpack

    rows = unpack(batch.columns)
    unreadable: dict[int, str] = {}
    if plan.format.kind == JSONL:
        rows = json_from_parquet.show_as_text(rows)
        lost = json_from_parquet.find_undecodable(rows)
        unreadable = {batch.numbers[index]: "not UTF-8: JSON cannot hold this row" for index in lost}
        rows = parquet.select(rows, [index for index in range(rows.num_rows) if index not in lost])
    texts = parquet.list_texts(rows, plan.text)
    urls = None
    if plan.url is not None:
        urls = [url if isinstance(url, str) else None for url in parquet.list_texts(rows, plan.url)]
    columns = _score(batch, plan, texts, urls)
    for index, text in enumerate(texts):
        if isinstance(text, bytes):
            columns.errors[index] = "not UTF-8: the text column holds other bytes"
    kept = decisions.decide(columns, batch.numbers, plan, unreadable)
    if plan.format.kind == JSONL:
        return b"".join(json_from_parquet.list_lines(rows, kept, columns, plan))
    return pack(parquet.add_columns(rows, kept, columns, plan)) if kept else b""
