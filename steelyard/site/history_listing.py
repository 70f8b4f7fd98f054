"""Sites, audits and their differences as tables, lines and Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from steelyard.report.compare_listing import MAX_ROWS, count_rest, fit_names, list_changes
from steelyard.report.descriptions import SCOPE, Line
from steelyard.report.page_change import MOVED
from steelyard.site.history import AuditDiff
from steelyard.site.model import FAILED
from steelyard.site.store import AuditRow, SiteRow
from steelyard.support import escape
from steelyard.support.formatting import format_count, format_signed
from steelyard.support.table import Column, Table

STEPS = "▁▂▃▄▅▆▇█"
LONGEST_TREND = 40  # audits
SMALLEST_SPAN = 5.0  # points: a flat history must not look like a range of mountains


def list_sites(sites: Sequence[SiteRow]) -> Table:
    """Return a row for each site."""
    columns = [
        Column("site"), Column("audits", ",", right=True), Column("last"), Column("as of"), Column("state"),
        Column("pages", ",", right=True), Column("mean", ".1f", right=True), Column("edition"),
    ]  # fmt: skip
    rows = [
        [r.site, r.audits, f"{r.last.id}", str(r.last.as_of), r.last.state, r.last.pages, r.last.mean, r.last.edition]
        for r in sites
    ]
    return Table(columns, rows)


def list_audits(audits: Sequence[AuditRow], *, exact: bool = False) -> Table:
    """Return a row for each audit, with the change of the mean since the one before under the same scoring.

    Changes have a real minus for people, and are numbers for CSV with `exact`.
    """
    columns = [
        Column("audit", right=True), Column("finished"), Column("as of"), Column("state"),
        Column("pages", ",", right=True), Column("failed", ",", right=True), Column("mean", ".2f", right=True),
        Column("change", right=True), Column("median", ".2f", right=True), Column("edition"),
    ]  # fmt: skip
    rows = [
        [
            audit.id, _format_minute(audit.finished), str(audit.as_of), audit.state, audit.pages,
            audit.counts.get(FAILED, 0), audit.mean, _show_change(find_change(audits[: number + 1]), exact=exact),
            audit.median, audit.edition,
        ]
        for number, audit in enumerate(audits)
    ]  # fmt: skip
    return Table(columns, rows)


def find_change(audits: Sequence[AuditRow]) -> float | None:
    """Return the change of the mean from the last finished audit with the same scoring; None without one."""
    *others, last = audits
    earlier = [audit for audit in others if is_comparable(audit, last)]
    if not earlier or last.mean is None or last.state != "done":
        return None
    before = earlier[-1].mean
    return None if before is None else last.mean - before


def is_comparable(old: AuditRow, new: AuditRow) -> bool:
    """Return whether two audits were both finished and scored in the same way, except for the date."""
    scorings = [{k: v for k, v in audit.scoring.items() if k != "as_of"} for audit in (old, new)]
    return old.state == "done" and old.edition == new.edition and scorings[0] == scorings[1]


def draw_trend(audits: Sequence[AuditRow]) -> str:
    """Return the mean scores of the finished audits as a line of bars, from the lowest to the highest of them."""
    means = [audit.mean for audit in audits if audit.state == "done" and audit.mean is not None][-LONGEST_TREND:]
    if len(means) < 2:
        return ""
    low, high = min(means), max(means)
    low, span = (low + high) / 2 - max(high - low, SMALLEST_SPAN) / 2, max(high - low, SMALLEST_SPAN)
    bars = "".join(STEPS[min(len(STEPS) - 1, int((value - low) / span * len(STEPS)))] for value in means)
    return f"{bars}  mean {means[0]:.1f} → {means[-1]:.1f} over {format_count(len(means), 'finished audit')}"


def render_audits(site: str, audits: Sequence[AuditRow]) -> list[Line]:
    """Return the audits of a site for a terminal."""
    head, *rows = list_audits(audits).to_terminal()
    lines: list[Line] = [(escape.make_visible(site), "head"), (head, "dim"), *((row, "text") for row in rows)]
    trend = draw_trend(audits)
    return [*lines, ("", "text"), *([(trend, "text")] if trend else []), (f"each score is {SCOPE}", "dim")]


def render_diff(diff: AuditDiff) -> list[Line]:
    """Return the comparison of two audits for a terminal."""
    lines: list[Line] = [(_name_pair(diff), "head"), ("", "text")]
    if diff.pages:
        head, *rows = fit_names(list_changes(diff.pages, of_audits=True)).to_terminal()
        lines += [(head, "dim"), *((row, "text") for row in rows), ("", "text")]
    lines += [(text, "text") for text in (describe_components(diff), describe_causes(diff)) if text]
    lines += [(note, "warn") for note in diff.notes]
    return [*lines, (f"each score is {SCOPE}", "dim"), (describe_counts(diff), "head")]


def render_diff_markdown(diff: AuditDiff) -> str:
    """Return the comparison of two audits in Markdown."""
    text = f"## {escape.markdown(_name_pair(diff))}\n\n{describe_counts(diff)}\n"
    if diff.pages:
        text += f"\n{list_changes(diff.pages[:MAX_ROWS], of_audits=True).to_markdown()}"
        text += count_rest(len(diff.pages) - MAX_ROWS)
    for sentence in (describe_components(diff), describe_causes(diff), *diff.notes):
        text += f"\n{escape.prose(sentence)}\n" if sentence else ""
    return f"{text}\nEach score is {SCOPE}.\n"


def describe_counts(diff: AuditDiff) -> str:
    """Return the number of pages by what became of them, and the mean change, in one line."""
    counts = ", ".join(f"{n:,} {status}" for status, n in diff.counts.items() if n) or "no page in either"
    change = f"; mean change {format_signed(diff.mean_change)} over {format_count(diff.in_both, 'page')}"
    return counts + (change if diff.mean_change is not None else "")


def describe_components(diff: AuditDiff) -> str:
    """Return the mean change of each component that moved, the largest first; empty where none did."""
    moved = [(name, points) for name, points in diff.components.items() if abs(points) >= MOVED]
    ordered = sorted(moved, key=lambda item: (-abs(item[1]), item[0]))
    listed = ", ".join(f"{name} {format_signed(points)}" for name, points in ordered)
    return f"mean change by component: {listed}" if listed else ""


def describe_causes(diff: AuditDiff) -> str:
    """Say how many of the pages that improved or worsened did so for which cause."""
    listed = ", ".join(f"the {cause} ({n:,})" for cause, n in diff.causes.items() if n)
    return f"causes of improved and worsened pages: {listed}" if listed else ""


def _show_change(change: float | None, *, exact: bool) -> float | str | None:
    return change if exact or change is None else format_signed(change)


def _name_pair(diff: AuditDiff) -> str:
    one_site = diff.old.site == diff.new.site
    names = [
        f"{'' if one_site else f'{audit.site} '}audit {audit.id} of {audit.as_of}" for audit in (diff.old, diff.new)
    ]
    return (f"{escape.make_visible(diff.old.site)}: " if one_site else "") + escape.make_visible(" → ".join(names))


def _format_minute(moment: datetime | None) -> str | None:
    return None if moment is None else moment.strftime("%Y-%m-%d %H:%M")
