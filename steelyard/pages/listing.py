"""Several pages: one line each, the lowest score first, then a summary."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

from steelyard.pages.descriptions import SCOPE, Line, describe_emptiness, describe_limit, describe_scoring
from steelyard.pages.reading import describe_doubt
from steelyard.pipeline import READING, PageError, PageResult
from steelyard.scoring.page import PageScore
from steelyard.scoring.reference import FAIR, GOOD, POOR
from steelyard.support import escape
from steelyard.support.formatting import format_count
from steelyard.support.quantile import quantile
from steelyard.support.table import Column, Table

MIN_COLUMNS = 40  # columns; a narrower terminal breaks lines
MIN_NAME = 18  # columns of a page's name, for which others make room
DROPPED = ("change first", "limit", "lang", "words")  # what a narrow terminal does not show, in this order
MAX_EXPLAINED = 5  # pages without text, for which the listing says what was found
NOT_COMPARED = "not compared"
FLAGGED = Column("flagged")  # only where a page is


class ListedPage(NamedTuple):
    """The cells of a page in a listing; a listing of many keeps nothing else of them."""

    source: str
    language: str
    words: int
    score: float
    limit: str
    change: str  # the first one, with its gain
    emptiness: str  # what was found on a page with next to no text
    flagged: Sequence[str]
    detectors: int  # that looked at the page
    rating: str | None  # of its content
    doubt: str = ""  # about its reading


def list_page(result: PageResult) -> ListedPage:
    """Return a page as a listing shows it."""
    page = result.page
    best = next(iter(result.suggestions), None)
    change = best.headline if best else ""
    return ListedPage(
        result.source, page.language, page.words, page.score, describe_limit(page), change,
        describe_emptiness(result), tuple(result.flagged),
        len(result.manipulation.signals) if result.manipulation else 0, page.rating, describe_doubt(result.reading),
    )  # fmt: skip


Scored = TypeVar("Scored", ListedPage, PageResult)


def sort_by_score(pages: Sequence[Scored]) -> list[Scored]:
    """Return the pages, the lowest score first."""
    return sorted(pages, key=lambda page: (page.score, page.source))


def abbreviate_flags(page: ListedPage | PageResult) -> str:
    """Name the first detector that flags the page, and count the others: `repetition +2`."""
    first, *more = [name.replace("_", " ") for name in page.flagged] or [""]
    return f"{first} +{len(more)}" if more else first


def list_pages(
    pages: Sequence[ListedPage],
    *,
    detect: bool = False,
    show_flags: Callable[[ListedPage], str] = abbreviate_flags,
    columns: int | None = None,
) -> Table:
    """Return the table of the pages.

    Args:
        detect: Whether to say which detectors flag a page.
        show_flags: How to say it.
        columns: The width of the terminal, to which the table is fitted; without one every name is whole.
    """
    heads = [
        Column("page", keep="end"),
        Column("lang", width=4),
        Column("words", ",", right=True, width=6),
        Column("score", ".1f", right=True, width=5),
        Column("limit", width=10),
        Column("change first", width=13),
        *([FLAGGED] if detect else []),
    ]
    rows = [[*page[:6], *([show_flags(page)] if detect else [])] for page in sort_by_score(pages)]
    table = Table(heads, rows)
    return table if columns is None else _fit(table, max(MIN_COLUMNS, columns))


def _fit(table: Table, columns: int) -> Table:
    """Return the table without the columns for which there is no room, and with names as long as there is."""
    page, *others = table.columns
    widths = {c.name: c.width or _measure(table, number) for number, c in enumerate(others, start=1)}
    longest = _measure(table, 0)
    dropped: list[str] = []
    for name in DROPPED:
        if columns - _sum_widths(widths, dropped) >= min(longest, MIN_NAME):
            break
        dropped.append(name)
    room = max(len(page.name), columns - _sum_widths(widths, dropped))
    kept = [number for number, c in enumerate(table.columns) if c.name not in dropped]
    heads = [replace(page, width=min(longest, room)), *(table.columns[number] for number in kept[1:])]
    return Table(heads, [[row[number] for number in kept] for row in table.rows])


def _sum_widths(widths: Mapping[str, int], dropped: Sequence[str]) -> int:
    """Return the columns of the terminal that all but the page's name take, with the gaps before them."""
    return sum(width + 2 for name, width in widths.items() if name not in dropped)


def _measure(table: Table, number: int) -> int:
    texts = [table.columns[number].name, *(row[number] for row in table.rows)]
    return max(escape.width(escape.make_visible(text)) for text in texts)


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
        hidden.add("url")  # `steelyard leaderboard` reads this column
    shown = [number for number, name in enumerate(rows.fields) if name not in hidden]
    cells: list[list[Any]] = [[*(values[number] for number in shown), None] for values in rows.values]
    names = [rows.fields[number] for number in shown[1:]]
    for e in errors:
        known = {"reading": "failed"} if e.reason == READING else {}
        cells.append([e.source, *map(known.get, names), e.error])
    return Table([Column(name) for name in (*(rows.fields[number] for number in shown), "error")], cells)


def render_listing(
    pages: Sequence[ListedPage],
    errors: Sequence[PageError],
    first: PageScore | None,
    *,
    detect: bool = False,
    quiet: bool = False,
    columns: int | None = None,
) -> list[Line]:
    """Return the listing for the terminal, or for a pipe, as lines with their styles.

    What holds for all pages is read from the first.
    """
    lines: list[Line] = []
    if pages and not quiet:
        head, *rows = list_pages(pages, detect=detect, columns=columns).to_terminal()
        lines = _explain({page.source: page.doubt for page in pages if page.doubt}, "doubtful reading", columns)
        lines += [(head, "dim"), *((row, "text") for row in rows), ("", "text")]
        empty = {page.source: page.emptiness for page in sort_by_score(pages) if page.emptiness}
        lines += _explain(empty, "next to no text", columns)
    if flags := describe_flags(pages):
        lines += _wrap(flags, columns, "warn" if detect else "dim")
    if pages:
        lines += _wrap(describe_ratings(count_ratings(page.rating for page in pages)), columns, "text")
    if first is not None:
        lines += _wrap(f"each score is {SCOPE}", columns, "dim")
        lines += _wrap(f"as of {first.as_of}, {describe_scoring(first)}", columns, "dim")
    return [*lines, *_wrap(summarise(pages, errors), columns, "head")]


def _wrap(text: str, columns: int | None, style: str) -> list[Line]:
    if columns is None:
        return [(text, style)]
    return [(line, style) for line in textwrap.wrap(text, max(MIN_COLUMNS, columns), subsequent_indent="  ")]


def _explain(notes: Mapping[str, str], what: str, columns: int | None) -> list[Line]:
    """Say what the table has no room for about some pages, by their names."""
    lines: list[Line] = []
    for source, note in list(notes.items())[:MAX_EXPLAINED]:
        lines += _wrap(f"{escape.make_visible(source)}: {note}", columns, "warn")
    if len(notes) > MAX_EXPLAINED:
        more = format_count(len(notes) - MAX_EXPLAINED, "other page")
        lines += _wrap(f"and {more} with {what}", columns, "warn")
    return [*lines, ("", "text")] if lines else []


def render_markdown(
    pages: Sequence[ListedPage], errors: Sequence[PageError], scoring: Mapping[str, str], *, detect: bool = False
) -> str:
    """Return a report for a pull request or a wiki."""
    settings = f"As of {scoring['as_of']}, edition {scoring['edition']}, weights {scoring['weights']}"
    text = f"# Steelyard\n\nEach score is {SCOPE}. {settings}.\n\n"
    text += list_pages(pages, detect=detect, show_flags=lambda r: ", ".join(r.flagged)).to_markdown()
    if doubts := [f"- {escape.markdown(f'{page.source}: {page.doubt}')}\n" for page in pages if page.doubt]:
        text += "\n## Doubtful readings\n\n" + "".join(doubts)
    if pages:
        text += "".join(f"\n{line}\n" for line in _list_sentences(pages, errors))
    if errors:
        failures = Table([Column("page"), Column("error")], [[e.source, e.error] for e in errors])
        text += f"\n## Not scored\n\n{failures.to_markdown()}"
    return text


def _list_sentences(pages: Sequence[ListedPage], errors: Sequence[PageError]) -> list[str]:
    ratings = describe_ratings(count_ratings(page.rating for page in pages))
    return [line for line in (summarise(pages, errors), ratings, describe_flags(pages)) if line]


def count_ratings(ratings: Iterable[str | None]) -> dict[str, int]:
    """Return the number of good, fair and poor pages, and of those that are not compared with others."""
    counts = Counter(rating or NOT_COMPARED for rating in ratings)
    return {name: counts[name] for name in (GOOD, FAIR, POOR, NOT_COMPARED)}


def describe_ratings(counts: Mapping[str, int]) -> str:
    """Return how many pages are good, fair and poor, and what that means."""
    named = ", ".join(f"{count:,} {name}" for name, count in counts.items() if count)
    return f"content: {named} (thirds of reference pages in the same language and of about the same length)"


def describe_flags(pages: Sequence[ListedPage]) -> str:
    """Say on how many pages the detectors found something; an empty string where they did not look."""
    detectors = max((page.detectors for page in pages), default=0)
    flagged = sum(bool(page.flagged) for page in pages)
    found = f"{flagged:,} of {format_count(len(pages), 'page')} flagged" if flagged else "nothing found"
    return f"manipulation: {found} by {detectors} detectors" if detectors else ""


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
