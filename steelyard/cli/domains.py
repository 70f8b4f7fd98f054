"""`steelyard domains`: the shrunk ranking of domains."""

from __future__ import annotations

import csv
import io
import json
import math
from typing import Any

import click

from steelyard.base.artifacts import to_json
from steelyard.base.errors import InvalidRecords
from steelyard.cli.options import format_option, output_option
from steelyard.cli.output import emit
from steelyard.components.links import host
from steelyard.render.table import Column, Table
from steelyard.report.scope import SCOPE
from steelyard.score.domains import PRIOR, STRENGTH, DomainRow, rank_domains
from steelyard.sources.page import decode, read_bytes

LARGEST = 1_000_000_000


@click.command("domains")
@click.argument("scores")
@format_option("human", "json", "csv", "markdown")
@output_option
def command(scores: str, form: str, output: str | None) -> int:
    """Rank domains by their shrunk mean score.

    SCORES is a CSV, JSON or JSONL file with `domain` (or `url`) and `score`, one page a row; or the JSON
    of `steelyard score` whose sources are addresses.
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
        emit("\n".join([*table.to_terminal(), "", f"{len(rows)} domains", note]) + "\n", output)
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
        raw = [_json(line, f"{path}:{number}") for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    elif suffix == "json":
        value = _json(text, path)
        raw = value.get("pages") or value.get("domains") or [] if isinstance(value, dict) else value
    else:
        raise InvalidRecords(path, "unknown kind of file; give .csv, .json or .jsonl")
    if not isinstance(raw, list) or not raw:
        raise InvalidRecords(path, "holds no records; give rows with `domain` and `score`")
    return [_record(r, f"{path}: record {number}") for number, r in enumerate(raw, start=1)]


def _rows(text: str, where: str) -> list[dict[str, Any]]:
    try:
        return list(csv.DictReader(io.StringIO(text)))
    except csv.Error as error:
        raise InvalidRecords(where, f"not CSV ({error})") from error


def _json(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidRecords(where, f"not JSON ({error})") from error


def _record(record: Any, where: str) -> dict[str, Any]:
    """`domain` as given, or the host of `url` or `source`; a number for `score`."""
    if not isinstance(record, dict):
        raise InvalidRecords(where, "is not an object with `domain` and `score`")
    domain = record.get("domain")
    if not domain:
        domain = host(str(record.get("url") or record.get("source") or ""))
    if not domain:
        raise InvalidRecords(where, f"has no `domain` or `url` (keys seen: {', '.join(map(str, record))})")
    try:
        score = float(record["score"])
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise InvalidRecords(where, f"`score` is {record.get('score')!r}; give a number from 0 to 100") from error
    return {"domain": str(domain), "score": score if math.isfinite(score) else math.nan}
