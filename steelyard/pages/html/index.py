"""The table of pages: a plain table, which the script makes sortable and filterable."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.pages.descriptions import describe_limit
from steelyard.pages.html.parts import describe_bar
from steelyard.pages.listing import abbreviate_flags
from steelyard.pipeline import PageResult
from steelyard.support import escape
from steelyard.support.formatting import format_count

# Each column with how it is sorted. The pages come sorted by score.
COLUMNS = (
    ("page", "text"),
    ("score", "number"),
    ("words", "number"),
    ("language", "text"),
    ("limit", "text"),
    ("best change", "number"),
)
FLAGGED = ("flagged", "text")


def render_index(ordered: Sequence[PageResult]) -> str:
    """Return the table, with a field to filter it; an empty string for a single page."""
    if len(ordered) < 2:
        return ""
    detect = any(r.manipulation is not None for r in ordered)
    heads = "".join(
        f'<th scope="col" data-sort="{kind}"{_describe_order(name)}>{name}</th>'
        for name, kind in (*COLUMNS, *([FLAGGED] if detect else []))
    )
    rows = "\n".join(_render_row(number, result, detect=detect) for number, result in enumerate(ordered))
    count = format_count(len(ordered), "page")
    return (
        '<section aria-labelledby="pages"><h2 id="pages" tabindex="-1">Pages</h2>'
        '<p id="filter" hidden><label for="wanted">Filter the pages</label> <input id="wanted" type="search" '
        f'autocomplete="off" aria-describedby="shown"> <span id="shown" role="status">{count} shown</span></p>'
        '<table class="pages"><caption>Every page, with the change that would raise its score most</caption>'
        f"<thead><tr>{heads}</tr></thead><tbody>\n{rows}\n</tbody></table></section>"
    )


def _describe_order(name: str) -> str:
    return ' aria-sort="ascending"' if name == "score" else ""


def _render_row(number: int, result: PageResult, *, detect: bool) -> str:
    page = result.page
    best = next(iter(result.suggestions), None)
    change = f"{best.gain:+.1f} {best.topic}" if best else ""
    cells = [page.language, describe_limit(page), change, *([abbreviate_flags(result)] if detect else [])]
    return (
        f'<tr><td><a href="#p{number}">{escape.html(result.source)}</a></td>'
        f'<td class="{describe_bar(page.score)}"><b>{page.score:.1f}</b></td><td class="n">{page.words:,}</td>'
        f"{''.join(f'<td>{escape.html(cell)}</td>' for cell in cells)}</tr>"
    )
