"""What to do first on several pages: each change with what it gains, and the pages that need it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from steelyard.advice.finding import MIN_GAIN
from steelyard.pages.html.parts import Cell, render_fold, render_table
from steelyard.support import escape
from steelyard.support.formatting import format_count

FIRST = 5  # changes that are shown; the others are folded
RANKED = "Ranked by how many pages need the change."


@dataclass(frozen=True, slots=True)
class Change:
    """A change: what to do, what that is about, on how many pages, what it gains on all of them, and their list."""

    action: str
    about: str
    pages: int
    total: float
    listed: str  # the pages as HTML


def render_changes(changes: Sequence[Change], total: int) -> str:
    """Return the ranked changes of so many pages; an empty string where there are none."""
    if not changes:
        return ""
    first = _render_table(changes[:FIRST], total)
    rest = changes[FIRST:]
    more = render_fold(format_count(len(rest), "more change"), _render_table(rest, total)) if rest else ""
    return f'<h2>What to do first</h2><p class="dim">{RANKED}</p>{first}{more}'


def _render_table(changes: Sequence[Change], total: int) -> str:
    rows = [
        [
            f"{escape.html(change.about)}: <b>{escape.html(change.action)}</b>{_describe_gain(change)}"
            + render_fold("show the pages" if change.pages > 1 else "show the page", change.listed),
            Cell(f"{change.pages:,}", 100 * change.pages / total),
        ]
        for change in changes
    ]
    return render_table("todo", "", ("change", "pages"), rows, numbers="1")


def _describe_gain(change: Change) -> str:
    """Return what the change gains on a page now; a cap can hide it, and many changes no formula measures."""
    gain = change.total / change.pages
    if gain < MIN_GAIN:
        return ' <span class="dim">no points now</span>'
    return f' <b class="gain">{gain:+.1f} points a page</b>'
