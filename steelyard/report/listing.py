"""Several pages: one line each, the lowest score first, then a summary."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from steelyard.pipeline import PageError, PageResult
from steelyard.report.descriptions import SCOPE, Line, describe_limit, describe_scoring
from steelyard.support import escape
from steelyard.support.formatting import format_count
from steelyard.support.quantile import quantile
from steelyard.support.table import Column, Table

OTHER_COLUMNS = 48  # columns of the terminal that everything but the page's name takes
FLAGGED = Column("flagged")  # only where detection was requested


def sort_by_score(pages: Sequence[PageResult]) -> list[PageResult]:
    """Return the pages, the lowest score first."""
    return sorted(pages, key=lambda r: (r.page.score, r.source))


def abbreviate_flags(result: PageResult) -> str:
    """Name the first detector that flags the page, and count the others: `repetition +2`."""
    first, *more = [name.replace("_", " ") for name in result.flagged] or [""]
    return f"{first} +{len(more)}" if more else first


def list_pages(
    pages: Sequence[PageResult], *, detect: bool = False, show_flags: Callable[[PageResult], str] = abbreviate_flags
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
    rows = [[*_list_cells(r), *([show_flags(r)] if detect else [])] for r in sort_by_score(pages)]
    return Table([*columns, *([FLAGGED] if detect else [])], rows)


def _page_width(pages: Sequence[PageResult], others: int) -> int:
    """Return the width of the longest name, or what the terminal (or COLUMNS) leaves for it."""
    room = shutil.get_terminal_size((80, 24)).columns - others
    longest = max((escape.width(escape.make_visible(r.source)) for r in pages), default=4)
    return max(4, min(longest, max(80 - others, room)))


def _list_cells(result: PageResult) -> list[Any]:
    page = result.page
    best = next(iter(result.suggestions), None)
    change = f"{best.gain:+.1f} {best.topic}" if best else ""
    return [result.source, page.language, page.words, page.score, describe_limit(page), change]


def make_spreadsheet(pages: Sequence[PageResult], errors: Sequence[PageError], *, detect: bool = False) -> Table:
    """Return the table for CSV: one row per page, with its score or its error."""
    rows = [r.to_row() for r in pages]
    hidden = set() if detect else {FLAGGED.name}
    if not any(r.url is not None for r in pages):  # `steelyard domains` reads this column
        hidden.add("url")
    fields = [f for f in (rows[0] if rows else ("source",)) if f not in hidden]
    cells: list[list[Any]] = [[*(row[f] for f in fields), None] for row in rows]
    cells += [[e.source, *[None] * (len(fields) - 1), e.error] for e in errors]
    return Table([Column(f) for f in (*fields, "error")], cells)


def render_listing(
    pages: Sequence[PageResult], errors: Sequence[PageError], *, detect: bool = False, quiet: bool = False
) -> list[Line]:
    """Return the listing for the terminal as lines, each with its style."""
    lines: list[Line] = []
    if pages and not quiet:
        head, *rows = list_pages(pages, detect=detect).to_terminal()
        lines = [(head, "dim"), *((row, "text") for row in rows), ("", "text")]
    if pages:
        page = pages[0].page
        lines.append((f"each score is {SCOPE}", "dim"))
        lines.append((f"as of {page.as_of}, {describe_scoring(page)}", "dim"))
    return [*lines, (summarise(pages, errors), "head")]


def render_markdown(
    pages: Sequence[PageResult], errors: Sequence[PageError], scoring: Mapping[str, str], *, detect: bool = False
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


def summarise(pages: Sequence[PageResult], errors: Sequence[PageError]) -> str:
    """Return the number of pages, their median and quartiles, and the number of errors, in one line."""
    scores = [r.page.score for r in pages]
    text = format_count(len(pages), "page")
    if len(scores) == 1:
        text += f", score {scores[0]:.1f}"
    elif scores:
        low, middle, high = (quantile(scores, q) for q in (0.25, 0.5, 0.75))
        text += f", median {middle:.1f}, quartiles {low:.1f} to {high:.1f}"
    return text + (f", {len(errors)} not scored" if errors else "")
