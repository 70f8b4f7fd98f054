"""`steelyard domains`: the shrunk ranking of domains."""

from __future__ import annotations

import csv
import io
import json
import math
from typing import Any

import click

from steelyard.cli.options import format_option, output_option
from steelyard.cli.output import emit, warn
from steelyard.components.links import host
from steelyard.errors import InvalidRecords
from steelyard.inputs.page import read_bytes
from steelyard.report.scope import SCOPE
from steelyard.scoring.domains import PRIOR, STRENGTH, DomainRow, rank_domains
from steelyard.support.artifacts import to_json
from steelyard.support.escape import visible
from steelyard.support.jsonl import ADVICE, not_json, not_object
from steelyard.support.table import Column, Table
from steelyard.support.wording import counted
from steelyard.text.decoding import decode

LARGEST = 1_000_000_000
MOST_KEYS = 12  # of a record without what is needed, shown


@click.command("domains")
@click.argument("scores")
@format_option("human", "json", "csv", "markdown")
@output_option
def command(scores: str, form: str, output: str | None) -> int:
    """Rank domains by their shrunk mean score.

    SCORES is a CSV, JSON or JSONL file with `domain` (or `url`) and `score`, one page a row; or what `steelyard
    score` wrote in one of these formats of JSONL records with a `url`.
    """
    rows = rank_domains(_records(scores))
    if form == "json":
        emit(to_json({"prior": PRIOR, "strength": STRENGTH, "domains": [dict(r) for r in rows]}) + "\n", output)
        return 0
    table = _table(rows)
    if form == "csv":
        emit(table.to_csv(), output)
    elif form == "markdown":
        emit(table.to_markdown(), output)
    else:
        formula = f"shrunk = ({STRENGTH}·{PRIOR:g} + n·mean) / ({STRENGTH} + n)"
        note = f"{formula}; interval 95%, undefined for one page; {SCOPE}"
        emit("\n".join([*table.to_terminal(), "", counted(len(rows), "domain"), note]) + "\n", output)
    return 0


def _table(rows: list[DomainRow]) -> Table:
    columns = [Column("rank", right=True), Column("domain"), Column("n", ",", right=True)]
    columns += [Column(name, ".2f", right=True) for name in ("mean", "shrunk", "low", "high")]
    return Table(columns, [[r.rank, r.domain, r.n, r.mean, r.shrunk, r.low, r.high] for r in rows])


def _records(path: str) -> list[dict[str, Any]]:
    text = decode(read_bytes(path, LARGEST), path)
    suffix = path.rpartition(".")[2].lower()
    if suffix == "csv":
        raw: Any = _rows(text, path)
    elif suffix in ("jsonl", "ndjson"):
        lines = [(f"{path}:{n}", line) for n, line in enumerate(text.split("\n"), start=1) if line.strip()]
        return _usable(path, [(where, _json(line.strip(), where, ADVICE)) for where, line in lines])
    elif suffix == "json":
        value = _json(text, path, "give a list of objects")
        raw = value.get("pages") or value.get("domains") or [] if isinstance(value, dict) else value
    else:
        raise InvalidRecords(path, "unknown kind of file; give .csv, .json or .jsonl")
    rows = raw if isinstance(raw, list) else []
    return _usable(path, [(f"{path}: record {number}", row) for number, row in enumerate(rows, start=1)])


def _usable(path: str, rows: list[tuple[str, Any]]) -> list[dict[str, Any]]:
    """The records that have a score; what `steelyard score` could not score is told and left out."""
    if not rows:
        raise InvalidRecords(path, "holds no records; give rows with `domain` and `score`")
    found = [_record(row, where) for where, row in rows if not _failed(row)]
    if not found:
        raise InvalidRecords(path, "holds errors and no score; score the pages again")
    if len(found) < len(rows):
        warn(f"steelyard: {visible(path)}: {counted(len(rows) - len(found), 'page')} without a score left out")
    return found


def _failed(row: Any) -> bool:
    return isinstance(row, dict) and bool(row.get("error")) and row.get("score") in (None, "")


def _rows(text: str, where: str) -> list[dict[str, Any]]:
    try:
        return list(csv.DictReader(io.StringIO(text)))
    except csv.Error as error:
        raise InvalidRecords(where, f"not CSV ({error})") from error


def _json(text: str, where: str, advice: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidRecords(where, not_json(error, advice)) from error


def _record(record: Any, where: str) -> dict[str, Any]:
    """`domain` as given, or the host of `url` or `source`; a number for `score`."""
    if not isinstance(record, dict):
        raise InvalidRecords(where, not_object(record, "give objects with `domain` and `score`"))
    domain = record.get("domain")
    if not domain:
        domain = host(str(record.get("url") or record.get("source") or ""))
    if not domain:
        seen = ", ".join(map(str, list(record)[:MOST_KEYS])) + (", …" if len(record) > MOST_KEYS else "")
        raise InvalidRecords(
            where,
            f"has no `domain` or `url` (keys seen: {seen}); add one of them to every row "
            "(`steelyard score` passes on the `url` of JSONL records)",
        )
    try:
        score = float(record["score"])
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise InvalidRecords(where, f"`score` is {record.get('score')!r}; give a number from 0 to 100") from error
    return {"domain": str(domain), "score": score if math.isfinite(score) else math.nan}
