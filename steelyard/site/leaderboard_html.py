"""The leaderboard as one file to publish: the ranks with their intervals, and the method below them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from steelyard import __version__
from steelyard.pages.descriptions import SCOPE
from steelyard.pages.html.document import render_document
from steelyard.scoring.domains import PRIOR, STRENGTH
from steelyard.site.domain_pages import SAMPLE
from steelyard.site.leaderboard import ATTACK_WORDS, SMALL, Board, Leaderboard, Standing
from steelyard.site.leaderboard_listing import describe_needed, list_notes, name_board
from steelyard.support import escape
from steelyard.support.formatting import format_count

SHOWN = 50  # domains before the rest is folded
STEP = 10  # points, to which the scale of the intervals is rounded
HEIGHT = 12  # of the picture of an interval, in the units of its own
METHOD = (
    (
        "What is ranked",
        f"The pages of each domain are scored from 0 to 100 by their words alone. A score is {SCOPE}; it follows no "
        "link and knows no fact. Which domains are here, and which pages of them, was decided by who made the list.",
    ),
    (
        "Score",
        f"The mean over the n pages of a domain, drawn towards {PRIOR:g} as if {STRENGTH} more pages had scored that: "
        f"({STRENGTH} · {PRIOR:g} + n · mean) / ({STRENGTH} + n). So one good page is not enough for a high rank. With "
        f"fewer than {SMALL} pages (“few”) those {STRENGTH} weigh most. Equal scores share a rank.",
    ),
    (
        "Interval",
        "95% interval of the score, from how much the pages of the domain differ; undefined for one page. A heavy line "
        "below a domain says that its interval is above that of the next one: only such ranks are told apart.",
    ),
    ("Needed", "Pages of each domain that would separate it from the next (two-sided 5%, power 80%)."),
    (
        "Rise",
        f"Ranks that the domain would gain if {ATTACK_WORDS} words written for the score alone were added to each of "
        f"its pages, and nothing to the others'; measured on at most {SAMPLE} pages of a domain.",
    ),
    (
        "Flagged",
        "Pages that a detector of manipulation flags, of those that were read well. Honest ones are, too, sometimes.",
    ),
)


def render_html(leaderboard: Leaderboard) -> str:
    """Return the leaderboard as one file for a browser."""
    domains = sum(len(board.rows) for board in leaderboard.boards)
    pages = sum(standing.row.n for board in leaderboard.boards for standing in board.rows)
    counts = f"{format_count(domains, 'domain')}, {format_count(pages, 'page')}{_describe_days(leaderboard)}."
    head = [f'<header><h1>Leaderboard</h1><p class="dim">{escape.html(counts)} Each score is {SCOPE}.</p></header>']
    parts = [f"<p>{escape.html(note)}</p>" for note in leaderboard.notes]
    parts += [_render_board(board) for board in leaderboard.boards]
    method = "".join(f"<dt>{escape.html(name)}</dt><dd>{escape.html(text)}</dd>" for name, text in METHOD)
    by = f'<p class="dim">Made by steelyard {__version__}; the same pages give the same list.</p>'
    parts.append(f"<section><h2>Method</h2><dl>{method}</dl>{by}</section>")
    return render_document("Steelyard: leaderboard", head, parts, styles=("base.css", "leaderboard.css"))


def _describe_days(leaderboard: Leaderboard) -> str:
    days = sorted({row.as_of for board in leaderboard.boards for row in board.rows if row.as_of})
    if not days:
        return ""
    return f", as of {days[0]}" + (f" to {days[-1]}" if len(days) > 1 else "")


def _render_board(board: Board) -> str:
    ends = [end for row in board.rows for end in (row.row.low, row.row.high, row.row.shrunk) if end is not None]
    scale = (STEP * (min(ends) // STEP), min(100.0, STEP * (max(ends) // STEP + 1)))
    extra = [name for name, cell in _EXTRA.items() if any(cell(row) is not None for row in board.rows)]
    table = _render_table(board.rows[:SHOWN], scale, extra)
    if rest := board.rows[SHOWN:]:
        summary = f"{format_count(len(rest), 'more domain')}, to rank {rest[-1].row.rank}"
        table += f"<details><summary>{summary}</summary>{_render_table(rest, scale, extra)}</details>"
    if extra:
        table += f'<p class="dim narrow">A wider screen also shows {", ".join(extra)}.</p>'
    notes = "".join(f"<li>{escape.html(note)}</li>" for note in list_notes(board))
    return (
        f"<section><h2>{escape.html(name_board(board))}</h2>\n{table}{f'<ul>{notes}</ul>' if notes else ''}</section>"
    )


def _render_table(rows: Sequence[Standing], scale: tuple[float, float], extra: Sequence[str]) -> str:
    ends = "".join(f"<span>{end:g}</span>" for end in scale)
    more = "".join(f'<th scope="col" class="n more">{name}</th>' for name in extra)
    head = (
        '<th scope="col" class="n rank">rank</th><th scope="col">domain</th><th scope="col" class="n score">score</th>'
        f'<th scope="col" class="interval">interval<div>{ends}</div></th>'
        f'<th scope="col" class="n pages">pages</th>{more}'
    )
    body = "\n".join(_render_row(row, scale, extra) for row in rows)
    return f"<table><thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table>\n"


def _render_row(standing: Standing, scale: tuple[float, float], extra: Sequence[str]) -> str:
    row = standing.row
    few, apart = " (few)" if row.n < SMALL else "", ' class="apart"' if standing.separated else ""
    cells = "".join(f'<td class="n more">{escape.html(_EXTRA[name](standing) or "–")}</td>' for name in extra)
    return (
        f'<tr{apart}><td class="n">{row.rank}</td><td class="domain">{escape.html(row.domain)}</td>'
        f'<td class="n">{row.shrunk:.1f}</td><td class="interval">{_draw_interval(standing, scale)}</td>'
        f'<td class="n">{row.n:,}{few}</td>{cells}</tr>'
    )


def _draw_interval(standing: Standing, scale: tuple[float, float]) -> str:
    """Return the picture of an interval, which says its ends to who cannot see it."""
    row, (start, end) = standing.row, scale

    def place(value: float) -> float:
        return round(100 * (min(max(value, start), end) - start) / (end - start), 2)

    drawn = '<rect class="track" y="5" width="100" height="2"/>'
    words = "undefined"
    if row.low is not None and row.high is not None:
        words = f"{row.low:.1f} to {row.high:.1f}" + (", above the next" if standing.separated else "")
        width = max(0.5, round(place(row.high) - place(row.low), 2))
        drawn += f'<rect class="range" x="{place(row.low)}" y="2" width="{width}" height="8"/>'
    drawn += f'<rect class="mean" x="{max(0.0, place(row.shrunk) - 0.6):g}" width="1.2" height="{HEIGHT}"/>'
    return (
        f'<svg viewBox="0 0 100 {HEIGHT}" preserveAspectRatio="none" role="img" aria-label="{words}">'
        f"<title>{words}</title>{drawn}</svg>"
    )


def _show_count(value: int | str | None, form: str) -> str | None:
    return format(value, form) if isinstance(value, int) else value


# Columns that a narrow screen leaves out, and any screen where no domain has a value.
_EXTRA: dict[str, Callable[[Standing], str | None]] = {
    "mean": lambda s: f"{s.row.mean:.1f}",
    "needed": lambda s: _show_count(describe_needed(s), ","),
    "rise": lambda s: _show_count(s.rise, "+d"),
    "flagged": lambda s: s.flagged_of,
}
