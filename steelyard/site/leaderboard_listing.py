"""The leaderboard as tables, lines and Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from steelyard.pages.descriptions import SCOPE, Line
from steelyard.scoring.domains import PRIOR, STRENGTH
from steelyard.site.domain_pages import SAMPLE
from steelyard.site.leaderboard import ATTACK_WORDS, SMALL, Board, Leaderboard, Standing
from steelyard.support import escape
from steelyard.support.formatting import format_count
from steelyard.support.table import Column, Table

FORMULA = f"shrunk = ({STRENGTH}·{PRIOR:g} + n·mean) / ({STRENGTH} + n); low and high: its 95% interval"
NEEDED = "needed: pages of each domain that would separate it from the next (two-sided 5%, power 80%)"
RISE = (
    f"rise: ranks gained if {ATTACK_WORDS} words written for the score alone were added to each of its pages, and "
    f"nothing to the others'; measured on at most {SAMPLE} pages of a domain"
)
MAX_NAMES = 10
FLAGGED = "flagged: by a detector of manipulation, of its pages that were read well, those with the same text once"


def list_domains(board: Board, *, with_notes: bool = False) -> Table:
    """Return a row for each domain; with notes for CSV, where nothing else says what a missing number means."""
    columns = [
        Column("rank", right=True), Column("domain"), Column("pages", ",", right=True),
        *(Column(name, ".2f", right=True) for name in ("mean", "shrunk", "low", "high")),
        Column("separated"), Column("needed", ",", right=True), Column("rise", "+d", right=True),
        Column("flagged", ".1%" if with_notes else "", right=True),
    ]  # fmt: skip
    rows = [
        [
            *(s.row.rank, s.row.domain, s.row.n, s.row.mean, s.row.shrunk, s.row.low, s.row.high),
            _describe_separation(s), describe_needed(s), s.rise, s.manipulation if with_notes else s.flagged_of,
        ]
        for s in board.rows
    ]  # fmt: skip
    if not with_notes:
        return Table(columns, rows)
    columns += [Column(name) for name in ("edition", "as_of", "audit", "attack", "notes")]
    rows = [
        [*row, s.edition, None if s.as_of is None else str(s.as_of), s.audit, s.rise_note, "; ".join(s.notes)]
        for row, s in zip(rows, board.rows, strict=True)
    ]
    return Table(columns, rows)


def render_csv(leaderboard: Leaderboard) -> str:
    """Return all boards under one line of headings, each row with its board's number."""
    tables = [list_domains(board, with_notes=True) for board in leaderboard.boards]
    if not tables:
        tables = [list_domains(Board("", ()), with_notes=True)]
    rows = [[number, *row] for number, table in enumerate(tables, start=1) for row in table.rows]
    return Table([Column("table", right=True), *tables[0].columns], rows).to_csv()


def render_terminal(leaderboard: Leaderboard) -> list[Line]:
    """Return the leaderboard for a terminal."""
    lines: list[Line] = []
    for board in leaderboard.boards:
        head, *rows = list_domains(board).to_terminal()
        lines += [(name_board(board), "head"), (head, "dim"), *((row, "text") for row in rows), ("", "text")]
        lines += [*((escape.make_visible(note), "warn") for note in list_notes(board)), ("", "text")]
    lines += [(note, "warn") for note in leaderboard.notes]
    return [*lines, *((text, "dim") for text in (FORMULA, NEEDED, RISE, FLAGGED, f"each score is {SCOPE}"))]


def render_markdown(leaderboard: Leaderboard) -> str:
    """Return the leaderboard in Markdown."""
    parts = []
    for board in leaderboard.boards:
        notes = "".join(f"- {escape.markdown(note)}\n" for note in list_notes(board))
        parts.append(f"## {escape.markdown(name_board(board))}\n\n{list_domains(board).to_markdown()}\n{notes}")
    ending = [*leaderboard.notes, FORMULA, NEEDED, RISE, FLAGGED, f"Each score is {SCOPE}."]
    return "\n".join([*parts, *(f"{escape.prose(text)}\n" for text in ending)])


def list_notes(board: Board) -> list[str]:
    """Return what must be known about the domains of a board, in few sentences; each domain has its own in JSON."""
    rows = board.rows
    notes = []
    small = [s.row.domain for s in rows if s.row.n < SMALL]
    if small:
        notes.append(f"small samples, with fewer than {SMALL} pages the prior weighs most: {_list_names(small)}")
    shared = Counter(s.row.rank for s in rows)
    tied = [f"rank {rank} ({n:,} domains)" for rank, n in shared.items() if n > 1]
    if tied:
        notes.append(f"ties: {_list_names(tied)}")
    apart = sum(s.separated is True for s in rows)
    if len(rows) > 1 and apart < len(rows) - 1:
        pairs = format_count(len(rows) - 1, "pair of neighbours", "pairs of neighbours")
        notes.append(f"not separated: {len(rows) - 1 - apart:,} of {pairs}, whose intervals overlap or are undefined")
    missing = Counter(s.rise_note for s in rows if s.rise is None)
    return [*notes, *(f"rise of {format_count(n, 'domain')} undefined: {why}" for why, n in missing.items())]


def _list_names(names: Sequence[str]) -> str:
    return ", ".join(names[:MAX_NAMES]) + (f" and {len(names) - MAX_NAMES:,} more" if len(names) > MAX_NAMES else "")


def name_board(board: Board) -> str:
    """Return the heading of a board."""
    edition = f", edition {board.edition}" if board.edition else ", edition unknown"
    return format_count(len(board.rows), "domain") + edition


def _describe_separation(standing: Standing) -> str | None:
    return None if standing.separated is None else "yes" if standing.separated else "no"


def describe_needed(standing: Standing) -> int | str | None:
    """Return how many pages would separate a domain from the next: a number, a word, or None where nobody can say."""
    if standing.pages_needed is not None:
        return standing.pages_needed
    return "never" if standing.pages_note.startswith("never") else None
