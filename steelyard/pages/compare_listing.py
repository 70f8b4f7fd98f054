"""Changes of pages as lines for a terminal, as tables, and for a comment on a pull request."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from steelyard.pages.compare import QueryRank, QueryView, SiteComparison
from steelyard.pages.descriptions import LABELS, SCOPE, Line, describe_scoring
from steelyard.pages.page_change import FRESHNESS, MIN_SHOWN_CHANGE, PATTERNED, PageChange
from steelyard.pipeline import PageResult
from steelyard.scoring.page import CONTENT_SHARE, FRESHNESS_SHARE
from steelyard.support import escape
from steelyard.support.formatting import format_count, format_signed
from steelyard.support.table import Column, Table

MIN_NAME = 24  # columns of the terminal for a page's name
MAX_PIECES = 8  # of evidence gained or lost that people are shown, per component
# A comment on GitHub has at most 65,536 characters, so a report in Markdown is cut, whatever the pages are called.
MAX_CHARACTERS = 120
MAX_ROWS = 80
MAX_RANKS = 30
MAX_ERRORS = 20


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
        head, *rows = fit_names(list_changes(comparison.rows)).to_terminal()
        lines += [(head, "dim"), *((row, "text") for row in rows), ("", "text")]
    if comparison.view is not None:
        lines += [*render_view(comparison.view), ("", "text")]
    return [
        *lines,
        (f"each score is {SCOPE}", "dim"),
        (_describe_settings(comparison.scoring), "dim"),
        (describe_counts(comparison), "head"),
    ]


def render_pair(old: PageResult, new: PageResult) -> list[str]:
    """Return the comparison of two pages as lines, the component with the largest change first."""
    page = PageChange.from_results(old, new)
    points = page.change or 0.0
    change = "no change" if abs(points) < MIN_SHOWN_CHANGE else f"{format_signed(points)} points"
    lines = [f"{escape.make_visible(page.name)}: {old.page.score:.2f} → {new.page.score:.2f} ({change})", ""]
    columns = [Column(f"{'component':<20}what it measures")]
    columns += [Column(name, right=True) for name in ("value", "points", "change")]
    components = page.sort_components()
    rows = [
        [
            f"{name:<20}{LABELS[name]}",
            f"{c['old_value']:.1f}→{c['new_value']:.1f}",
            f"{c['old_points']:.2f}→{c['new_points']:.2f}",
            format_signed(c["change"]),
        ]
        for name, c in components
    ]
    fresh = [FRESHNESS_SHARE * result.page.freshness for result in (old, new)]
    rows.append(
        [
            f"{FRESHNESS:<20}how recent it says it is",
            f"{old.page.freshness:.1f}→{new.page.freshness:.1f}",
            f"{fresh[0]:.2f}→{fresh[1]:.2f}",
            format_signed(fresh[1] - fresh[0]),
        ]
    )
    lines += [*Table(columns, rows).to_terminal(), ""]
    whole = new.page.blended - old.page.blended
    sides = f"content {format_signed(new.page.content - old.page.content)} × {CONTENT_SHARE}"
    sides += f" + freshness {format_signed(fresh[1] - fresh[0])} = {format_signed(whole)} points"
    is_held = abs(whole - points) >= MIN_SHOWN_CHANGE
    hidden = f"; the score changes by {format_signed(points)}, since a cap or a guard holds it" if is_held else ""
    lines += [f"{sides}{hidden}", ""]
    lines += [f"{name:<10} {before} → {after}" for name, before, after in page.list_shown_steps()]
    for name in PATTERNED:
        lines += _render_evidence(dict(components)[name], name)
    settings = f"as of {new.page.as_of}, {describe_scoring(new.page)} {new.page.scoring.hash}"
    return [*lines, "", settings, f"each score is {SCOPE}"]


def _render_evidence(component: Mapping[str, Any], name: str) -> list[str]:
    lines: list[str] = []
    for sign, pieces in (("+", component["gained"]), ("-", component["lost"])):
        for piece in pieces[:MAX_PIECES]:
            start = f"{sign} {name} line {piece['line']}: "
            lines.append(start + escape.fit(piece["text"], 80 - len(start)).rstrip())
        if len(pieces) > MAX_PIECES:
            lines.append(f"{sign} {name}: and {len(pieces) - MAX_PIECES} more (--format json lists all)")
    return ["", *lines] if lines else []


def render_view(view: QueryView) -> list[Line]:
    """Return a ranker's view as lines for the terminal."""
    head, *rows = fit_names(_list_ranks(view.ranks)).to_terminal()
    top: list[Line] = [(f"query: {escape.make_visible(view.query)}", "head"), (view.scope, "dim"), (head, "dim")]
    return [*top, *((row, "text") for row in rows)]


def render_markdown(comparison: SiteComparison) -> str:
    """Return the comparison for a comment on a pull request, short enough for one."""
    old, new = (escape.markdown(_shorten(name)) for name in (comparison.old, comparison.new))
    text = f"## Steelyard: {old} → {new}\n\n{describe_counts(comparison)}\n"
    if comparison.rows:
        text += f"\n{list_changes(comparison.rows[:MAX_ROWS], describe=_shorten).to_markdown()}"
        text += count_rest(len(comparison.rows) - MAX_ROWS)
    if comparison.view is not None:
        view = comparison.view
        text += f"\n### Query: {escape.markdown(_shorten(view.query))}\n\n{view.scope}\n\n"
        text += _list_ranks(view.ranks[:MAX_RANKS], describe=_shorten).to_markdown()
        text += count_rest(len(view.ranks) - MAX_RANKS)
    if comparison.errors:
        shown = [[_shorten(error.source), _shorten(error.error)] for error in comparison.errors[:MAX_ERRORS]]
        text += f"\n### Not compared\n\n{Table([Column('page'), Column('error')], shown).to_markdown()}"
        text += count_rest(len(comparison.errors) - MAX_ERRORS)
    return f"{text}\nEach score is {SCOPE}; {_describe_settings(comparison.scoring)}.\n"


def _describe_settings(scoring: Mapping[str, str]) -> str:
    return f"as of {scoring['as_of']}, edition {scoring['edition']}, weights {scoring['weights']}"


def fit_names(table: Table) -> Table:
    """Return the table with its first column as wide as the longest name, or as the terminal (or COLUMNS) allows."""
    others = Table(table.columns[1:], [row[1:] for row in table.rows])
    taken = 2 + max(escape.width(line) for line in others.to_terminal())
    room = max(MIN_NAME, shutil.get_terminal_size((80, 24)).columns - taken)
    longest = max((escape.width(escape.make_visible(row[0])) for row in table.rows), default=0)
    name = table.columns[0]
    return Table([replace(name, width=max(len(name.name), min(room, longest))), *table.columns[1:]], table.rows)


def _shorten(text: str) -> str:
    visible = escape.make_visible(text)
    return visible if len(visible) <= MAX_CHARACTERS else f"…{visible[1 - MAX_CHARACTERS :]}"


def count_rest(rest: int) -> str:
    """Return the line below a table in Markdown that was cut; an empty string where it was not."""
    return f"\nand {rest:,} more, which `--format json` lists\n" if rest > 0 else ""


def list_changes(
    pages: Sequence[PageChange],
    *,
    of_audits: bool = False,
    exact: bool = False,
    describe: Callable[[str], str] = str,
) -> Table:
    """Return a row for each page.

    Args:
        pages: The pages, in their order.
        of_audits: Whether to add the cause and the note that two audits have of each.
        exact: Whether changes are numbers, for CSV, instead of text with a real minus.
        describe: Returns the name of a page as it is shown.
    """
    columns = [
        Column("page", keep="end"), Column("status"), Column("old", ".1f", right=True),
        Column("new", ".1f", right=True), Column("change", right=True),
    ]  # fmt: skip
    columns += [Column(name) for name in (("cause", "moved most", "note") if of_audits else ("moved most",))]
    rows = []
    for page in pages:
        scores = [page.old.score if page.old else None, page.new.score if page.new else None]
        change = page.change if exact else format_signed(page.change, 1 if of_audits else 2)
        move = _describe_move(page, freshness=of_audits)
        others = [" and ".join(page.causes), move, page.note] if of_audits else [_add_limit(move, page)]
        rows.append([describe(page.name), page.status, *scores, change, *others])
    return Table(columns, rows)


def _describe_move(page: PageChange, *, freshness: bool) -> str:
    name = page.find_most_moved(freshness=freshness)
    return f"{name} {format_signed(page.point_changes[name])}" if name else ""


def _add_limit(move: str, page: PageChange) -> str:
    """Also name a guard or cap that came or went, which changes the score without any component."""
    if page.old is None or page.new is None or page.old.limit == page.new.limit:
        return move
    limit = page.new.held or f"{page.new.limit} applies" if page.new.limit else f"{page.old.limit} no longer applies"
    return f"{move}, {limit}" if move else limit


def _list_ranks(ranks: Sequence[QueryRank], *, describe: Callable[[str], str] = str) -> Table:
    numbers = [Column(name, right=True) for name in ("old place", "new place", "old fit", "new fit")]
    rows = [
        [
            describe(rank.path),
            rank.old_place,
            rank.new_place,
            format_signed(rank.old_score),
            format_signed(rank.new_score),
        ]
        for rank in ranks
    ]
    return Table([Column("page", keep="end"), *numbers], rows)
