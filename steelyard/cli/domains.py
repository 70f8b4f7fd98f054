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
LONGEST_VALUE = 80  # characters of a bad value, shown in the error
FORMATS = ("json", "jsonl", "csv")  # of `steelyard score`, which are read here
REPORTS = {"md": "Markdown report", "markdown": "Markdown report", "html": "HTML report", "htm": "HTML report"}
ADVICE_ON_ADDRESSES = (
    "add one of them to every row (`steelyard score` has the `url` of records, of HTML with a canonical link, and of "
    "--url)"
)


@click.command("domains")
@click.argument("scores")
@format_option("human", "json", "csv", "markdown")
@output_option
def command(scores: str, form: str, output: str | None) -> int:
    """Rank domains by the scores of their pages.

    The mean score of a domain is shrunk towards 50, so that one good page is not enough for a high rank.

    SCORES is a CSV, JSON or JSONL file with `url` (or `domain`) and `score`, one page per row. The output of
    `steelyard score` in these formats works too: records keep their `url`, HTML pages give their canonical link, and
    --url gives that of any page. Rows with neither `url` nor `domain` are counted and left out.
    """
    rows = rank_domains(_select_rows(scores, _read_rows(scores)))
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
    suffix = path.rpartition(".")[2].lower()
    if suffix in REPORTS:
        advice = f"score the pages again with --format {' or '.join(FORMATS)} and give that"
        raise InvalidRecords(path, f"a {REPORTS[suffix]} is written for people; {advice}")
    text = decode(read_bytes(path, LARGEST), path)
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
            rows = _list_entries(rows)
    else:
        raise InvalidRecords(path, "unknown kind of file; give .csv, .json or .jsonl")
    return [(f"{path}: record {n}", row) for n, row in enumerate(rows if isinstance(rows, list) else [], start=1)]


def _list_entries(document: dict[str, Any]) -> Any:
    """Return the rows of a JSON document: the pages and errors of `steelyard score`, or a list of domains."""
    pages, errors = document.get("pages"), document.get("errors")
    if isinstance(pages, list):
        return [*pages, *(errors if isinstance(errors, list) else [])]
    return document.get("domains")


def _parse_json(text: str, where: str, advice: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidRecords(where, explain_bad_json(error, advice)) from error


def _select_rows(path: str, rows: list[tuple[str, Any]]) -> list[dict[str, Any]]:
    """Return the records that have a score and a domain, and warn of those that lack one."""
    if not rows:
        raise InvalidRecords(path, "holds no records; give rows with `domain` and `score`")
    scored = [(where, row) for where, row in rows if not _is_error(row)]
    if not scored:
        raise InvalidRecords(path, "holds errors and no score; score the pages again")
    checked = [_check_record(row, where) for where, row in scored]
    records = [record for record in checked if record["domain"]]
    if not records:
        where, row = scored[0]
        keys = ", ".join(map(str, list(row)[:MOST_KEYS])) + (", …" if len(row) > MOST_KEYS else "")
        others = f", like all {len(scored):,} rows" if len(scored) > 1 else ""
        raise InvalidRecords(where, f"has no `domain` or `url`{others} (keys seen: {keys}); {ADVICE_ON_ADDRESSES}")
    for count, what in ((len(rows) - len(scored), "a score"), (len(scored) - len(records), "a `domain` or `url`")):
        if count:
            warn(f"steelyard: {make_visible(path)}: skipped {format_count(count, 'page')} without {what}")
    return records


def _is_error(row: Any) -> bool:
    return isinstance(row, dict) and bool(row.get("error")) and row.get("score") in (None, "")


def _check_record(record: Any, where: str) -> dict[str, Any]:
    """Return the host of the record's `url`, else its domain, or "" without either, and its score as a number."""
    if not isinstance(record, dict):
        raise InvalidRecords(where, explain_not_object(record, "give objects with `domain` and `score`"))
    given = record.get("score")
    try:
        score = math.nan if given is None or isinstance(given, bool) else float(given)
    except (TypeError, ValueError, OverflowError):
        score = math.nan
    if not 0 <= score <= 100:  # which a NaN fails as well
        raise InvalidRecords(where, f"`score` is {repr(given)[:LONGEST_VALUE]}; give a number from 0 to 100")
    return {"domain": _find_domain(record), "score": score}


def _find_domain(record: dict[str, Any]) -> str:
    """Return the host of the `url`, else the `domain`, else the host of a `source` that is an address."""
    own = record.get("domain")
    return (
        parse_host(str(record.get("url") or ""))
        or (str(own).strip() if own else "")
        or parse_host(str(record.get("source") or ""))
    )
