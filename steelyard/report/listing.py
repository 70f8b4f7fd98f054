"""Several pages: one line each, the lowest score first, then a summary."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from steelyard.pipeline import PageError, PageResult
from steelyard.report.descriptions import SCOPE, Line, describe_limit, describe_scoring
from steelyard.scoring.page import PageScore
from steelyard.support import escape
from steelyard.support.formatting import format_count
from steelyard.support.quantile import quantile
from steelyard.support.table import Column, Table

OTHER_COLUMNS = 48  # columns of the terminal that everything but the page's name takes
FLAGGED = Column("flagged")  # only where detection was requested


class ListedPage(NamedTuple):
    """What a listing shows of a page; a listing of many keeps nothing else of them."""

    source: str
    language: str
    words: int
    score: float
    limit: str
    change: str  # the one that gains most
    flagged: Sequence[str]


def list_page(result: PageResult) -> ListedPage:
    """Return a page as a listing shows it."""
    page = result.page
    best = next(iter(result.suggestions), None)
    change = f"{best.gain:+.1f} {best.topic}" if best else ""
    return ListedPage(
        result.source, page.language, page.words, page.score, describe_limit(page), change, tuple(result.flagged)
    )


Scored = TypeVar("Scored", ListedPage, PageResult)


def sort_by_score(pages: Sequence[Scored]) -> list[Scored]:
    """Return the pages, the lowest score first."""
    return sorted(pages, key=lambda page: (page.score, page.source))


def abbreviate_flags(page: ListedPage | PageResult) -> str:
    """Name the first detector that flags the page, and count the others: `repetition +2`."""
    first, *more = [name.replace("_", " ") for name in page.flagged] or [""]
    return f"{first} +{len(more)}" if more else first


def list_pages(
    pages: Sequence[ListedPage], *, detect: bool = False, show_flags: Callable[[ListedPage], str] = abbreviate_flags
) -> Table:
    """Return the table for the terminal, or for Markdown, which has no widths."""
    flagged_width = 2 + max([len(FLAGGED.name), *(len(abbreviate_flags(r)) for r in pages)]) if detect else 0
    columns = [
        Column("page", width=_page_width(pages, OTHER_COLUMNS + flagged_width), keep="end"),
        Column("lang", width=4),
        Column("words", ",", right=True, width=6),
        Column("score", ".1f", right=True, width=5),
        Column("limit", width=10),
        Column("best change", width=13),
    ]
    rows = [[*page[:-1], *([show_flags(page)] if detect else [])] for page in sort_by_score(pages)]
    return Table([*columns, *([FLAGGED] if detect else [])], rows)


def _page_width(pages: Sequence[ListedPage], others: int) -> int:
    """Return the width of the longest name, or what the terminal (or COLUMNS) leaves for it."""
    room = shutil.get_terminal_size((80, 24)).columns - others
    longest = max((escape.width(escape.make_visible(r.source)) for r in pages), default=4)
    return max(4, min(longest, max(80 - others, room)))


class Rows:
    """The rows of pages for CSV, without what is the same in each: the names of the columns."""

    def __init__(self, pages: Iterable[PageResult] = ()) -> None:
        self.fields: tuple[str, ...] = ("source",)
        self.values: list[tuple[Any, ...]] = []
        for page in pages:
            self.add(page)

    def add(self, result: PageResult) -> None:
        """Append the row of a page."""
        row = result.to_row()
        self.fields = tuple(row)
        self.values.append(tuple(row.values()))


def make_spreadsheet(rows: Rows, errors: Sequence[PageError], *, detect: bool = False) -> Table:
    """Return the table for CSV: one row per page, with its score or its error."""
    hidden = set() if detect else {FLAGGED.name}
    if "url" in rows.fields and not any(values[rows.fields.index("url")] is not None for values in rows.values):
        hidden.add("url")  # `steelyard domains` reads this column
    shown = [number for number, name in enumerate(rows.fields) if name not in hidden]
    cells: list[list[Any]] = [[*(values[number] for number in shown), None] for values in rows.values]
    cells += [[e.source, *[None] * (len(shown) - 1), e.error] for e in errors]
    return Table([Column(name) for name in (*(rows.fields[number] for number in shown), "error")], cells)


def render_listing(
    pages: Sequence[ListedPage],
    errors: Sequence[PageError],
    first: PageScore | None,
    *,
    detect: bool = False,
    quiet: bool = False,
) -> list[Line]:
    """Return the listing for the terminal as lines, each with its style; what holds for all is read from the first."""
    lines: list[Line] = []
    if pages and not quiet:
        head, *rows = list_pages(pages, detect=detect).to_terminal()
        lines = [(head, "dim"), *((row, "text") for row in rows), ("", "text")]
    if first is not None:
        lines.append((f"each score is {SCOPE}", "dim"))
        lines.append((f"as of {first.as_of}, {describe_scoring(first)}", "dim"))
    return [*lines, (summarise(pages, errors), "head")]


def render_markdown(
    pages: Sequence[ListedPage], errors: Sequence[PageError], scoring: Mapping[str, str], *, detect: bool = False
) -> str:
    """Return a report for a pull request or a wiki."""
    settings = f"As of {scoring['as_of']}, edition {scoring['edition']}, weights {scoring['weights']}"
    text = f"# Steelyard\n\nEach score is {SCOPE}. {settings}.\n\n"
    text += list_pages(pages, detect=detect, show_flags=lambda r: ", ".join(r.flagged)).to_markdown()
    if pages:
        text += f"\n{summarise(pages, errors)}\n"
    if errors:
        failures = Table([Column("page"), Column("error")], [[e.source, e.error] for e in errors])
        text += f"\n## Not scored\n\n{failures.to_markdown()}"
    return text


def summarise(pages: Sequence[ListedPage | PageResult], errors: Sequence[PageError]) -> str:
    """Return the number of pages, their median and quartiles, and the number of errors, in one line."""
    scores = [page.score for page in pages]
    text = format_count(len(pages), "page")
    if len(scores) == 1:
        text += f", score {scores[0]:.1f}"
    elif scores:
        low, middle, high = (quantile(scores, q) for q in (0.25, 0.5, 0.75))
        text += f", median {middle:.1f}, quartiles {low:.1f} to {high:.1f}"
    return text + (f", {len(errors)} not scored" if errors else "")
