"""The formats of `steelyard score`: each keeps of a page only what it needs until the end."""

from __future__ import annotations

import os
import shutil
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from steelyard.errors import PageUnreadable, SteelyardError
from steelyard.inputs.page_ref import read_bytes
from steelyard.pages import descriptions, listing, terminal
from steelyard.pages.json_document import DocumentStream
from steelyard.pages.reading import list_outline
from steelyard.pipeline import PageError, PageResult
from steelyard.scoring.reference import FAIR, GOOD, POOR
from steelyard.settings import Settings
from steelyard.support import badge
from steelyard.support.artifacts import to_json
from steelyard.terminal.output import apply_styles
from steelyard.text.decoding import decode


@dataclass(frozen=True, slots=True)
class Output:
    """The destination of the results of a run, and their content.

    Attributes:
        write: Writes a piece of the output.
        settings: The settings of the run.
        content: What the entries of JSON hold, as for `PageResult.to_dict`.
        quiet: Whether the terminal gets only the summary.
        path: The file, or None for standard output, which may have colours.
        show_text: Whether the terminal shows what was read of a page.
    """

    write: Callable[[str], None]
    settings: Settings
    content: Mapping[str, bool]
    quiet: bool
    path: str | None
    show_text: bool = False


class PageWriter(ABC):
    """Writes the pages of a run in one format; the errors, which follow them, are kept.

    Attributes:
        needs_text: Whether the results must keep the text that was scored.
        holds_errors: Whether the errors are in the output; else they are messages.
    """

    needs_text = False
    holds_errors = False

    @staticmethod
    def shows_sections(pages: int | None) -> bool:
        """Return whether the output has the sections of pages.

        Args:
            pages: How many pages the run has; None where nobody knows.
        """
        return True

    def __init__(self, output: Output) -> None:
        self._output = output
        self._errors: list[PageError] = []

    @abstractmethod
    def add(self, result: PageResult) -> None:
        """Take a page."""

    def fail(self, error: PageError) -> None:
        """Take an error."""
        self._errors.append(error)

    @abstractmethod
    def finish(self) -> None:
        """Write what is not written yet."""


class JsonLines(PageWriter):
    """JSONL: a line as soon as its page is scored; nothing is kept."""

    holds_errors = True

    def add(self, result: PageResult) -> None:
        self._write_line(result.to_dict(**self._output.content))

    def fail(self, error: PageError) -> None:
        self._write_line(error.to_dict())

    def finish(self) -> None:
        """Do nothing: all is written."""

    def _write_line(self, entry: dict[str, Any]) -> None:
        line = {**entry, "scoring": self._output.settings.to_dict()}
        self._output.write(to_json(line, indent=None) + "\n")


class JsonDocument(PageWriter):
    """JSON: pages as they are scored."""

    holds_errors = True

    def __init__(self, output: Output) -> None:
        super().__init__(output)
        self._stream = DocumentStream(output.write, output.settings)

    def add(self, result: PageResult) -> None:
        self._stream.add(result.to_dict(**self._output.content))

    def finish(self) -> None:
        self._stream.finish(self._errors)


class Spreadsheet(PageWriter):
    """CSV: the row of every page, since the columns depend on all of them."""

    @staticmethod
    def shows_sections(pages: int | None) -> bool:
        return False

    def __init__(self, output: Output) -> None:
        super().__init__(output)
        self._rows = listing.Rows()

    def add(self, result: PageResult) -> None:
        self._rows.add(result)

    def finish(self) -> None:
        table = listing.make_spreadsheet(self._rows, self._errors, detect=self._output.settings.detect)
        self._output.write(table.to_csv())


class MarkdownListing(PageWriter):
    """Markdown: one line of every page, sorted by score."""

    @staticmethod
    def shows_sections(pages: int | None) -> bool:
        return False

    def __init__(self, output: Output) -> None:
        super().__init__(output)
        self._first: PageResult | None = None
        self._pages: list[listing.ListedPage] = []

    def add(self, result: PageResult) -> None:
        self._first = self._first or result
        self._pages.append(listing.list_page(result))

    def finish(self) -> None:
        scoring, detect = self._output.settings.to_dict(), self._has_flags()
        self._output.write(listing.render_markdown(self._pages, self._errors, scoring, detect=detect))

    def _has_flags(self) -> bool:
        return any(page.flagged for page in self._pages)


class TerminalListing(MarkdownListing):
    """The same for a terminal, where a single page is shown in full."""

    @staticmethod
    def shows_sections(pages: int | None) -> bool:
        return pages == 1

    def finish(self) -> None:
        output, pages, errors, detect = self._output, self._pages, self._errors, self._has_flags()
        columns = _measure_terminal() if output.path is None else None
        if self._first is not None and len(pages) == 1 and not errors and not output.quiet:
            html = _read_html(self._first, output.settings.max_bytes)
            lines = terminal.render_page(self._first, columns, show_text=output.show_text, html=html)
        else:
            first = self._first.page if self._first else None
            lines = listing.render_listing(pages, errors, first, detect=detect, quiet=output.quiet, columns=columns)
        if output.show_text and not pages and len(errors) == 1:
            lines = [*list_outline(errors[0].outline, columns or terminal.PIPE_COLUMNS), *lines]
        output.write(apply_styles(lines, output.path))


def _read_html(result: PageResult, max_bytes: int) -> str | None:
    """Return the file of a page that was extracted from HTML; None for other pages, and where it is no file now."""
    if not result.extracted or not os.path.isfile(result.source):
        return None
    try:
        return decode(read_bytes(result.source, max_bytes), result.source)
    except PageUnreadable:
        return None


def _measure_terminal() -> int | None:
    """Return the width of the terminal; None where standard output is none, since a pipe cuts nothing."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


class HtmlReport(PageWriter):
    """HTML: all pages with their text, since the report starts with an index of them."""

    needs_text = True

    def __init__(self, output: Output) -> None:
        super().__init__(output)
        self._pages: list[PageResult] = []

    def add(self, result: PageResult) -> None:
        self._pages.append(result)

    def finish(self) -> None:
        from steelyard.pages.html import render_report  # loaded only when requested

        self._output.write(render_report(self._pages, self._errors, self._output.settings.as_of))


class Badge(PageWriter):
    """A badge of one page, to be shown beside it: what the score is, and what somebody needs to compute it again."""

    def __init__(self, output: Output) -> None:
        super().__init__(output)
        self._pages: list[PageResult] = []

    def add(self, result: PageResult) -> None:
        self._pages = [*self._pages[:1], result]

    def finish(self) -> None:
        if len(self._pages) != 1 or self._errors:
            reason = self._errors[0].message if self._errors else "a badge is about one page"
            raise SteelyardError(f"no badge: {reason}")
        (result,) = self._pages
        page = result.page
        number, scoring = f"{page.score:.1f}", descriptions.describe_scoring(page)
        boxes = [
            ("content score", badge.GREY),
            (number, COLOURS.get(page.rating or "", badge.GREY)),
            (f"{scoring.removeprefix('edition ')} · {page.as_of} · {page.scoring.hash[:HASH]}", badge.GREY),
        ]
        about = f"{page.title}: " if page.title else ""  # not its path, which is nobody else's business
        title = (
            f"{about}{number} of 100, {descriptions.SCOPE}; {scoring}, as of {page.as_of}, scoring {page.scoring.hash}"
        )
        self._output.write(badge.render_badge(boxes, title))


HASH = 8  # characters of the hash that are shown; the title has all
COLOURS = {GOOD: badge.GREEN, FAIR: badge.AMBER, POOR: badge.RED}

WRITERS: Mapping[str, type[PageWriter]] = {
    "human": TerminalListing,
    "json": JsonDocument,
    "jsonl": JsonLines,
    "csv": Spreadsheet,
    "markdown": MarkdownListing,
    "html": HtmlReport,
    "badge": Badge,
}
