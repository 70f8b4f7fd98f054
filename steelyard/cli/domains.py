"""`steelyard domains`: rank domains by the scores of their pages."""

from __future__ import annotations

import csv
import io
import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import click

from steelyard.cli.inputs import check_output
from steelyard.cli.options import format_option, output_option
from steelyard.cli.output import emit, warn
from steelyard.components.links import parse_host
from steelyard.errors import InvalidRecords, explain_os_error
from steelyard.inputs.page_ref import read_bytes
from steelyard.report.descriptions import SCOPE
from steelyard.scoring.domains import PRIOR, STRENGTH, DomainRow, rank_domains
from steelyard.support.artifacts import to_json
from steelyard.support.escape import make_visible
from steelyard.support.formatting import format_count
from steelyard.support.jsonl import ADVICE, explain_bad_json, explain_not_object
from steelyard.support.lines import explain_long_line, read_lines
from steelyard.support.regular_file import open_regular_file, require_regular_file
from steelyard.support.table import Column, Table
from steelyard.text.decoding import decode

LARGEST = 200_000_000  # bytes of a file that is read at once: JSON, or UTF-16
LARGE = "give it as JSONL or CSV, in UTF-8"
LONGEST_LINE = 50_000_000  # bytes; other files may be of any size
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
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
    require_regular_file(scores)
    check_output(output, [scores])
    rows = _rank(scores)
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


def _rank(path: str) -> list[DomainRow]:
    """Rank the domains of a file, and warn of rows without a score or a domain."""
    counts = Counter[str]()
    homeless: list[str] = []  # where the first row without a domain is, and its keys
    ranked = rank_domains(_select_scored(_read_rows(path), counts, homeless))
    if not counts.total():
        raise InvalidRecords(path, "holds no records; give rows with `domain` and `score`")
    if not counts["scored"] and not counts["nowhere"]:
        raise InvalidRecords(path, "holds errors and no score; score the pages again")
    if not counts["scored"]:
        others = f", like all {counts['nowhere']:,} rows" if counts["nowhere"] > 1 else ""
        where, keys = homeless
        raise InvalidRecords(where, f"has no `domain` or `url`{others} (keys seen: {keys}); {ADVICE_ON_ADDRESSES}")
    for name, what in (("failed", "a score"), ("nowhere", "a `domain` or `url`")):
        if counts[name]:
            warn(f"steelyard: {make_visible(path)}: skipped {format_count(counts[name], 'page')} without {what}")
    return ranked


def _read_rows(path: str) -> Iterator[tuple[str, Any]]:
    """Yield the rows of the file, each with its place in it."""
    suffix = path.rpartition(".")[2].lower()
    if suffix in REPORTS:
        advice = f"score the pages again with --format {' or '.join(FORMATS)} and give that"
        raise InvalidRecords(path, f"a {REPORTS[suffix]} is written for people; {advice}")
    if suffix in ("jsonl", "ndjson"):
        for number, line in _read_lines(path):
            if line.strip():
                where = f"{path}:{number}"
                yield where, _parse_json(line.strip(), where, ADVICE)
        return
    if suffix == "csv":
        rows: Any = _read_table(path)
    elif suffix == "json":
        rows = _parse_json(decode(read_bytes(path, LARGEST, LARGE), path), path, "give a list of objects")
        if isinstance(rows, dict):
            rows = _list_entries(rows)
        rows = rows if isinstance(rows, list) else []
    else:
        raise InvalidRecords(path, "unknown kind of file; give .csv, .json or .jsonl")
    for number, row in enumerate(rows, start=1):
        yield f"{path}: record {number}", row


def _read_table(path: str) -> Iterator[dict[str, Any]]:
    try:
        yield from csv.DictReader(line for _, line in _read_lines(path))
    except csv.Error as error:
        raise InvalidRecords(path, f"not CSV ({error})") from error


def _read_lines(path: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text file with their numbers, one in memory at a time."""
    try:
        with open_regular_file(path) as file:
            if file.read(2) in _UTF16:  # whose line breaks are not bytes
                yield from enumerate(io.StringIO(decode(read_bytes(path, LARGEST, LARGE), path)), start=1)
                return
            file.seek(0)
            for line in read_lines(file, LONGEST_LINE, strict=True):
                where = f"{path}:{line.number}"
                if line.data is None:
                    raise InvalidRecords(where, explain_long_line(LONGEST_LINE, "give one page per row, without text"))
                yield line.number, decode(line.data, where)
    except OSError as error:
        raise explain_os_error(path, error) from error


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


def _select_scored(
    rows: Iterable[tuple[str, Any]], counts: Counter[str], homeless: list[str]
) -> Iterator[dict[str, Any]]:
    """Yield the records that have a score and a domain, count them and the others, and describe the first without."""
    for where, row in rows:
        if _is_error(row):
            counts["failed"] += 1
            continue
        record = _check_record(row, where)
        counts["scored" if record["domain"] else "nowhere"] += 1
        if record["domain"]:
            yield record
        elif not homeless:
            homeless += [where, ", ".join(map(str, list(row)[:MOST_KEYS])) + (", …" if len(row) > MOST_KEYS else "")]


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
