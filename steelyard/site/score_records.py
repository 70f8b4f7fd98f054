"""Read a table of scores: CSV, JSON or JSONL with a `url` or `domain` and a `score` in each row."""

from __future__ import annotations

import csv
import io
import json
import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

from steelyard.components.links import parse_host
from steelyard.errors import InvalidRecords, explain_os_error
from steelyard.inputs.page_ref import read_bytes
from steelyard.support.escape import make_visible
from steelyard.support.formatting import format_count
from steelyard.support.lines import ADVICE, explain_bad_json, explain_long_line, explain_not_object, read_lines
from steelyard.support.regular_file import open_regular_file
from steelyard.terminal.output import warn
from steelyard.text.decoding import decode

MAX_BYTES = 200_000_000  # bytes of a file that is read at once: JSON, or UTF-16
LARGE = "give it as JSONL or CSV, in UTF-8"
MAX_LINE = 50_000_000  # bytes; other files may be of any size
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
MAX_KEYS = 12  # of a bad record, shown in the error
MAX_VALUE = 80  # characters of a bad value, shown in the error
FORMATS = ("json", "jsonl", "csv")  # of `steelyard score`, which are read here
REPORTS = {"md": "Markdown report", "markdown": "Markdown report", "html": "HTML report", "htm": "HTML report"}
ADVICE_ON_ADDRESSES = (
    "add one of them to every row (`steelyard score` has the `url` of records, of HTML with a canonical link, and of "
    "--url)"
)


class ScoreRecords:
    """The records of a file that have a score and a domain, each with its `row` as it was; others are counted."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._counts = Counter[str]()
        self._homeless: list[str] = []  # where the first row without a domain is, and its keys

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for where, row in _read_rows(self._path):
            if isinstance(row, dict) and row.get("error") and row.get("score") in (None, ""):
                self._counts["failed"] += 1
                continue
            record = _check_record(row, where)
            self._counts["scored" if record["domain"] else "nowhere"] += 1
            if record["domain"]:
                yield record
            elif not self._homeless:
                keys = ", ".join(map(str, list(row)[:MAX_KEYS])) + (", …" if len(row) > MAX_KEYS else "")
                self._homeless = [where, keys]

    def check(self) -> None:
        """After all were read, warn of rows that were left out.

        Raises:
            InvalidRecords: None was left.
        """
        path, counts = self._path, self._counts
        if not counts.total():
            raise InvalidRecords(path, "holds no records; give rows with `domain` and `score`")
        if not counts["scored"] and not counts["nowhere"]:
            raise InvalidRecords(path, "holds errors and no score; score the pages again")
        if not counts["scored"]:
            others = f", like all {counts['nowhere']:,} rows" if counts["nowhere"] > 1 else ""
            where, keys = self._homeless
            raise InvalidRecords(where, f"has no `domain` or `url`{others} (keys seen: {keys}); {ADVICE_ON_ADDRESSES}")
        for name, missing in (("failed", "a score"), ("nowhere", "a `domain` or `url`")):
            if counts[name]:
                warn(f"steelyard: {make_visible(path)}: skipped {format_count(counts[name], 'page')} without {missing}")


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
        rows = _parse_json(decode(read_bytes(path, MAX_BYTES, LARGE), path), path, "give a list of objects")
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
                yield from enumerate(io.StringIO(decode(read_bytes(path, MAX_BYTES, LARGE), path)), start=1)
                return
            file.seek(0)
            for line in read_lines(file, MAX_LINE, strict=True):
                where = f"{path}:{line.number}"
                if line.data is None:
                    raise InvalidRecords(where, explain_long_line(MAX_LINE, "give one page per row, without text"))
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


def _check_record(record: Any, where: str) -> dict[str, Any]:
    """Return the host of the record's `url`, else its domain, or "" without either, and its score as a number."""
    if not isinstance(record, dict):
        raise InvalidRecords(where, explain_not_object(record, "give objects with `domain` and `score`"))
    written = record.get("score")
    try:
        score = math.nan if written is None or isinstance(written, bool) else float(written)
    except (TypeError, ValueError, OverflowError):
        score = math.nan
    if not 0 <= score <= 100:  # which a NaN fails as well
        raise InvalidRecords(where, f"`score` is {repr(written)[:MAX_VALUE]}; give a number from 0 to 100")
    return {"domain": _find_domain(record), "score": score, "row": record}


def _find_domain(record: dict[str, Any]) -> str:
    """Return the host of the `url`, else the `domain`, else the host of a `source` that is an address."""
    own = record.get("domain")
    return (
        parse_host(str(record.get("url") or ""))
        or (str(own).strip() if own else "")
        or parse_host(str(record.get("source") or ""))
    )
