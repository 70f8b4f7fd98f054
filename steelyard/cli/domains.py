"""`steelyard domains`: rank domains by the scores of their pages."""

from __future__ import annotations

import csv
import io
import json
import math
from typing import Any

import click

from steelyard.cli.options import format_option, output_option
from steelyard.cli.output import emit, warn
from steelyard.components.links import parse_host
from steelyard.errors import InvalidRecords
from steelyard.inputs.page_ref import read_bytes
from steelyard.report.descriptions import SCOPE
from steelyard.scoring.domains import PRIOR, STRENGTH, rank_domains
from steelyard.support.artifacts import to_json
from steelyard.support.escape import make_visible
from steelyard.support.formatting import format_count
from steelyard.support.jsonl import ADVICE, explain_bad_json, explain_not_object
from steelyard.support.table import Column, Table
from steelyard.text.decoding import decode

LARGEST = 1_000_000_000  # bytes
MOST_KEYS = 12  # of a bad record, shown in the error


@click.command("domains")
@click.argument("scores")
@format_option("human", "json", "csv", "markdown")
@output_option
def command(scores: str, form: str, output: str | None) -> int:
    """Rank domains by the scores of their pages.

    The mean score of a domain is shrunk towards 50, so that one good page is not enough for a high rank.

    SCORES is a CSV, JSON or JSONL file with `domain` (or `url`) and `score`, one page per row. The output of
    `steelyard score` in these formats works too, if its pages have a `url`.
    """
    rows = rank_domains(_select_scored(scores, _read_rows(scores)))
    columns = [Column("rank", right=True), Column("domain"), Column("n", ",", right=True)]
    columns += [Column(name, ".2f", right=True) for name in ("mean", "shrunk", "low", "high")]
    table = Table(columns, [list(dict(r).values()) for r in rows])
    if form == "json":
        emit(to_json({"prior": PRIOR, "strength": STRENGTH, "domains": [dict(r) for r in rows]}) + "\n", output)
    elif form == "csv":
        emit(table.to_csv(), output)
    elif form == "markdown":
        emit(table.to_markdown(), output)
    else:
        formula = f"shrunk = ({STRENGTH}·{PRIOR:g} + n·mean) / ({STRENGTH} + n)"
        notes = [format_count(len(rows), "domain"), f"{formula}; low and high: 95% interval"]
        emit("\n".join([*table.to_terminal(), "", *notes, f"each score is {SCOPE}"]) + "\n", output)
    return 0


def _read_rows(path: str) -> list[tuple[str, Any]]:
    """Return the rows of the file, each with its place in it."""
    text = decode(read_bytes(path, LARGEST), path)
    suffix = path.rpartition(".")[2].lower()
    if suffix in ("jsonl", "ndjson"):
        lines = [(f"{path}:{n}", line.strip()) for n, line in enumerate(text.split("\n"), start=1)]
        return [(where, _parse_json(line, where, ADVICE)) for where, line in lines if line]
    if suffix == "csv":
        try:
            rows: Any = list(csv.DictReader(io.StringIO(text)))
        except csv.Error as error:
            raise InvalidRecords(path, f"not CSV ({error})") from error
    elif suffix == "json":
        rows = _parse_json(text, path, "give a list of objects")
        if isinstance(rows, dict):
            rows = rows.get("pages") or rows.get("domains")
    else:
        raise InvalidRecords(path, "unknown kind of file; give .csv, .json or .jsonl")
    return [(f"{path}: record {n}", row) for n, row in enumerate(rows if isinstance(rows, list) else [], start=1)]


def _parse_json(text: str, where: str, advice: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidRecords(where, explain_bad_json(error, advice)) from error


def _select_scored(path: str, rows: list[tuple[str, Any]]) -> list[dict[str, Any]]:
    """Return the records that have a score, and warn of pages that `steelyard score` could not score."""
    if not rows:
        raise InvalidRecords(path, "holds no records; give rows with `domain` and `score`")
    records = [_check_record(row, where) for where, row in rows if not _is_error(row)]
    if not records:
        raise InvalidRecords(path, "holds errors and no score; score the pages again")
    if len(records) < len(rows):
        skipped = format_count(len(rows) - len(records), "page")
        warn(f"steelyard: {make_visible(path)}: skipped {skipped} without a score")
    return records


def _is_error(row: Any) -> bool:
    return isinstance(row, dict) and bool(row.get("error")) and row.get("score") in (None, "")


def _check_record(record: Any, where: str) -> dict[str, Any]:
    """Return the record's domain, or the host of its `url` or `source`, and its score as a number."""
    if not isinstance(record, dict):
        raise InvalidRecords(where, explain_not_object(record, "give objects with `domain` and `score`"))
    domain = record.get("domain") or parse_host(str(record.get("url") or record.get("source") or ""))
    if not domain:
        keys = ", ".join(map(str, list(record)[:MOST_KEYS])) + (", …" if len(record) > MOST_KEYS else "")
        advice = "add one of them to every row (`steelyard score` keeps the `url` of JSONL records)"
        raise InvalidRecords(where, f"has no `domain` or `url` (keys seen: {keys}); {advice}")
    try:
        score = float(record["score"])
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise InvalidRecords(where, f"`score` is {record.get('score')!r}; give a number from 0 to 100") from error
    return {"domain": str(domain), "score": score if math.isfinite(score) else math.nan}
