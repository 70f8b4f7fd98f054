"""The formats of `steelyard score`: each keeps of a page only what it needs until the end."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from typing import Any, Protocol

from steelyard.cli.output import apply_styles
from steelyard.pipeline import PageError, PageResult
from steelyard.report import listing, terminal
from steelyard.report.json_stream import DocumentStream
from steelyard.settings import Settings
from steelyard.support.artifacts import to_json

Write = Callable[[str], None]


class PageWriter(Protocol):
    """What becomes of the pages of a run."""

    def add(self, result: PageResult) -> None:
        """Take a page."""

    def fail(self, error: PageError) -> None:
        """Take an error."""

    def finish(self) -> None:
        """Write what is not written yet."""


class JsonLines:
    """JSONL: a line as soon as its page is scored; nothing is kept."""

    def __init__(self, write: Write, settings: Settings, content: dict[str, bool]) -> None:
        self._write, self._content = write, content
        self._scoring = settings.to_dict()

    def add(self, result: PageResult) -> None:
        self._write_line(result.to_dict(**self._content))

    def fail(self, error: PageError) -> None:
        self._write_line(error.to_dict())

    def finish(self) -> None:
        """Do nothing: all is written."""

    def _write_line(self, entry: dict[str, Any]) -> None:
        self._write(to_json({**entry, "scoring": self._scoring}, indent=None) + "\n")


class JsonDocument:
    """JSON: pages as they are scored; the errors, which follow them, are kept."""

    def __init__(self, write: Write, settings: Settings, content: dict[str, bool]) -> None:
        self._stream, self._content = DocumentStream(write, settings), content
        self._errors: list[PageError] = []

    def add(self, result: PageResult) -> None:
        self._stream.add(result.to_dict(**self._content))

    def fail(self, error: PageError) -> None:
        self._errors.append(error)

    def finish(self) -> None:
        self._stream.finish(self._errors)


class Spreadsheet:
    """CSV: the row of every page, since the columns depend on all of them."""

    def __init__(self, write: Write, *, detect: bool) -> None:
        self._write, self._detect = write, detect
        self._rows = listing.Rows()
        self._errors: list[PageError] = []

    def add(self, result: PageResult) -> None:
        self._rows.add(result)

    def fail(self, error: PageError) -> None:
        self._errors.append(error)

    def finish(self) -> None:
        self._write(listing.make_spreadsheet(self._rows, self._errors, detect=self._detect).to_csv())


class Listing:
    """The listings, which are sorted by score: one line of every page. A single page is shown in full on a terminal."""

    def __init__(self, write: Write, settings: Settings, form: str, *, quiet: bool, output: str | None) -> None:
        self._write, self._settings = write, settings
        self._form, self._quiet, self._output = form, quiet, output
        self._first: PageResult | None = None
        self._pages: list[listing.ListedPage] = []
        self._errors: list[PageError] = []

    def add(self, result: PageResult) -> None:
        self._first = self._first or result
        self._pages.append(listing.list_page(result))

    def fail(self, error: PageError) -> None:
        self._errors.append(error)

    def finish(self) -> None:
        pages, errors, detect = self._pages, self._errors, self._settings.detect
        if self._form == "markdown":
            scoring = self._settings.to_dict()
            self._write(listing.render_markdown(pages, errors, scoring, detect=detect))
            return
        columns = _measure_terminal() if self._output is None else None
        if self._first is not None and len(pages) == 1 and not errors and not self._quiet:
            lines = terminal.render_page(self._first, columns)
        else:
            first = self._first.page if self._first else None
            lines = listing.render_listing(pages, errors, first, detect=detect, quiet=self._quiet, columns=columns)
        self._write(apply_styles(lines, self._output))


def _measure_terminal() -> int | None:
    """Return the width of the terminal; None where standard output is none, since a pipe cuts nothing."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


class HtmlReport:
    """HTML: all pages with their text, since the report starts with an index of them."""

    def __init__(self, write: Write, settings: Settings) -> None:
        self._write, self._settings = write, settings
        self._pages: list[PageResult] = []
        self._errors: list[PageError] = []

    def add(self, result: PageResult) -> None:
        self._pages.append(result)

    def fail(self, error: PageError) -> None:
        self._errors.append(error)

    def finish(self) -> None:
        from steelyard.report.html import render_report  # loaded only when requested

        self._write(render_report(self._pages, self._errors, self._settings.as_of))


def make_writer(
    form: str, write: Write, settings: Settings, content: dict[str, bool], *, quiet: bool, output: str | None
) -> PageWriter:
    """Return the writer of a format.

    Args:
        form: The name of the format.
        write: Writes a piece of the output.
        settings: The settings of the run.
        content: What the entries of JSON hold, as for `PageResult.to_dict`.
        quiet: Whether the terminal gets only the summary.
        output: The file, or None for standard output, which may have colours.
    """
    if form == "jsonl":
        return JsonLines(write, settings, content)
    if form == "json":
        return JsonDocument(write, settings, content)
    if form == "csv":
        return Spreadsheet(write, detect=settings.detect)
    if form == "html":
        return HtmlReport(write, settings)
    return Listing(write, settings, form, quiet=quiet, output=output)
