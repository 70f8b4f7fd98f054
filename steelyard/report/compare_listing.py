"""The comparison of several pages for a terminal, and for a comment on a pull request."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from steelyard.report.compare_several import PageChange, QueryPlace, QueryView, SiteComparison
from steelyard.report.descriptions import SCOPE, Line
from steelyard.support import escape
from steelyard.support.formatting import format_count, format_signed
from steelyard.support.table import Column, Table

NARROWEST = 24  # columns of the terminal for a page's name
# A comment on GitHub has at most 65,536 characters, so a report in Markdown is cut, whatever the pages are called.
LONGEST = 120
MOST_ROWS = 80
MOST_PLACES = 30
MOST_ERRORS = 20


def describe_counts(comparison: SiteComparison) -> str:
    """Return the number of pages of each kind and the mean change, in one line."""
    counts = ", ".join(f"{n:,} {status}" for status, n in comparison.counts.items() if n) or "nothing to compare"
    errors = f", {len(comparison.errors):,} not compared" if comparison.errors else ""
    change = comparison.mean_change
    pages = format_count(len(comparison.in_both) + comparison.unchanged, "page")
    return f"{counts}{errors}" + (f"; mean change {format_signed(change)} over {pages}" if change is not None else "")


def render_terminal(comparison: SiteComparison) -> list[Line]:
    """Return the comparison as lines, each with its style."""
    names = f"{escape.make_visible(comparison.old)} → {escape.make_visible(comparison.new)}"
    lines: list[Line] = [(names, "head"), ("", "text")]
    if comparison.rows:
        head, *rows = _fit_names(_list_pages(comparison.rows)).to_terminal()
        lines += [(head, "dim"), *((row, "text") for row in rows), ("", "text")]
    if comparison.view is not None:
        lines += [*render_view(comparison.view), ("", "text")]
    return [
        *lines,
        (f"each score is {SCOPE}", "dim"),
        (_describe_scoring(comparison.scoring), "dim"),
        (describe_counts(comparison), "head"),
    ]


def render_view(view: QueryView) -> list[Line]:
    """Return a ranker's view as lines for the terminal."""
    head, *rows = _fit_names(_list_places(view.places)).to_terminal()
    top: list[Line] = [(f"query: {escape.make_visible(view.query)}", "head"), (view.scope, "dim"), (head, "dim")]
    return [*top, *((row, "text") for row in rows)]


def render_markdown(comparison: SiteComparison) -> str:
    """Return the comparison for a comment on a pull request, short enough for one."""
    old, new = (escape.markdown(_shorten(name)) for name in (comparison.old, comparison.new))
    text = f"## Steelyard: {old} → {new}\n\n{describe_counts(comparison)}\n"
    if comparison.rows:
        text += f"\n{_list_pages(comparison.rows[:MOST_ROWS], describe=_shorten).to_markdown()}"
        text += _count_rest(len(comparison.rows) - MOST_ROWS)
    if comparison.view is not None:
        view = comparison.view
        text += f"\n### Query: {escape.markdown(_shorten(view.query))}\n\n{view.scope}\n\n"
        text += _list_places(view.places[:MOST_PLACES], describe=_shorten).to_markdown()
        text += _count_rest(len(view.places) - MOST_PLACES)
    if comparison.errors:
        shown = [[_shorten(error.source), _shorten(error.error)] for error in comparison.errors[:MOST_ERRORS]]
        text += f"\n### Not compared\n\n{Table([Column('page'), Column('error')], shown).to_markdown()}"
        text += _count_rest(len(comparison.errors) - MOST_ERRORS)
    return f"{text}\nEach score is {SCOPE}; {_describe_scoring(comparison.scoring)}.\n"


def _describe_scoring(scoring: Mapping[str, str]) -> str:
    return f"as of {scoring['as_of']}, edition {scoring['edition']}, weights {scoring['weights']}"


def _fit_names(table: Table) -> Table:
    """Return the table with its first column as wide as the longest name, or as the terminal (or COLUMNS) allows."""
    others = Table(table.columns[1:], [row[1:] for row in table.rows])
    taken = 2 + max(escape.width(line) for line in others.to_terminal())
    room = max(NARROWEST, shutil.get_terminal_size((80, 24)).columns - taken)
    longest = max((escape.width(escape.make_visible(row[0])) for row in table.rows), default=0)
    name = table.columns[0]
    return Table([replace(name, width=max(len(name.name), min(room, longest))), *table.columns[1:]], table.rows)


def _shorten(text: str) -> str:
    visible = escape.make_visible(text)
    return visible if len(visible) <= LONGEST else f"…{visible[1 - LONGEST :]}"


def _count_rest(rest: int) -> str:
    return f"\nand {rest:,} more, which `--format json` lists\n" if rest > 0 else ""


def _list_pages(pages: Sequence[PageChange], *, describe: Callable[[str], str] = str) -> Table:
    columns = [
        Column("page", keep="end"),
        Column("status"),
        Column("old", ".1f", right=True),
        Column("new", ".1f", right=True),
        Column("change", right=True),
        Column("moved most"),
    ]
    rows = [
        [
            describe(page.name),
            page.status,
            page.old.score if page.old else None,
            page.new.score if page.new else None,
            format_signed(page.change),
            _describe_move(page),
        ]
        for page in pages
    ]
    return Table(columns, rows)


def _describe_move(page: PageChange) -> str:
    """Name the component that moved most, and a guard or cap that came or went, which changes the score as well."""
    if page.old is None or page.new is None:
        return ""
    name = page.most_moved
    parts = [f"{name} {format_signed(page.moves[name])}"] if name else []
    if page.old.limit != page.new.limit:
        parts.append(f"{page.new.limit} applies" if page.new.limit else f"{page.old.limit} no longer applies")
    return ", ".join(parts)


def _list_places(places: Sequence[QueryPlace], *, describe: Callable[[str], str] = str) -> Table:
    numbers = [Column(name, right=True) for name in ("old place", "new place", "old fit", "new fit")]
    rows = [
        [
            describe(place.path),
            place.old_place,
            place.new_place,
            format_signed(place.old_score),
            format_signed(place.new_score),
        ]
        for place in places
    ]
    return Table([Column("page", keep="end"), *numbers], rows)
