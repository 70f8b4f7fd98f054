"""What `check` says about any page: places inside the file, and six formats that their readers read back."""

from __future__ import annotations

import csv
import io
import re
import sys
from collections.abc import Sequence
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from fuzz.checks import Problems
from fuzz.checks.reports import check_json, check_lines
from steelyard.check.formats.github import render_github
from steelyard.check.formats.human import render_human
from steelyard.check.formats.json_document import build_document
from steelyard.check.formats.junit import render_junit
from steelyard.check.formats.markdown import render_markdown
from steelyard.check.formats.sarif import build_sarif
from steelyard.check.judge import judge
from steelyard.check.measure import describe_result
from steelyard.check.result import CheckedPage, CheckRun
from steelyard.configuration.file import Configuration, PageSettings
from steelyard.pages.listing import Rows, make_spreadsheet
from steelyard.pipeline import PageError, PageResult
from steelyard.support.artifacts import to_json

_COMMAND = re.compile(r"::(error|warning|notice) [^:]*::")
_SEVERE = {"min_score": 75.0}
csv.field_size_limit(sys.maxsize)  # a reader of our own takes a page of any length for an error's text


def judge_page(result: PageResult, text: str) -> CheckedPage:
    """Return a page as `check` sees it, with a threshold that most pages miss."""
    return judge(describe_result(result, text), _settings())


def check_places(page: CheckedPage, text: str) -> Problems:
    """Check that every finding lies in the file, on the lines and columns that it names."""
    starts = [0, *(line_break.end() for line_break in re.finditer("\n", text))]
    for finding in page.findings:
        start, end = (finding.line, finding.column), (finding.end_line, finding.end_column)
        if not 0 <= finding.start <= finding.end <= len(text):
            yield "place", f"{finding.rule} at {finding.start} to {finding.end} of {len(text)}"
            continue
        for (line, column), offset in ((start, finding.start), (end, finding.end)):
            if starts[line - 1] + column - 1 != offset:
                yield "place", f"{finding.rule}: line {line}, column {column} is not {offset}"
                break


def check_formats(pages: Sequence[CheckedPage], errors: Sequence[PageError], as_of: date) -> Problems:
    """Check the six formats about many pages at once."""
    run = CheckRun(pages, errors, as_of)
    yield from check_lines("check", (line for line, _ in render_human(run, "note")))
    yield from check_lines("check in Markdown", render_markdown(run, "note").split("\n"))
    commands = render_github(run, "note").rstrip("\n").split("\n")
    yield from check_lines("check for GitHub", commands)
    for line in commands:
        if "##[" in line or (line.strip().startswith("::") and not _COMMAND.match(line)):
            yield "markup", f"a line that a runner obeys: {line[:200]!r}"
    cases = ET.fromstring(render_junit(run)).findall(".//testcase")  # noqa: S314 - our own output
    if len(cases) != len(pages) + len(errors):
        yield "junit", f"{len(cases)} cases of {len(pages)} pages and {len(errors)} errors"
    for document in (build_sarif(run), build_document(run)):
        yield from check_json(to_json(document, indent=None))


def check_spreadsheet(results: Sequence[PageResult], errors: Sequence[PageError]) -> Problems:
    """Check that CSV has one row per page, and no cell that a spreadsheet would compute."""
    rows = Rows()
    for result in results:
        rows.add(result)
    written = make_spreadsheet(rows, errors, detect=True).to_csv()
    read_rows = list(csv.reader(io.StringIO(written, newline="")))
    if len(read_rows) != 1 + len(results) + len(errors):
        yield "csv", f"{len(read_rows) - 1} rows of {len(results)} pages and {len(errors)} errors"
    for row in read_rows[1:]:
        for cell in row:
            if cell.startswith(("=", "@", "\t", "\r")) or (cell.startswith(("+", "-")) and not _is_number(cell)):
                yield "csv", f"a cell that a spreadsheet computes: {cell[:100]!r}"


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


@cache
def _settings() -> PageSettings:
    options: dict[str, Any] = _SEVERE
    return Configuration(Path("."), options=options).for_page("page.md")
