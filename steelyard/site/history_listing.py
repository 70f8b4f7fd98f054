"""Sites, audits and their differences as tables, lines and Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from steelyard.pages.compare_listing import MAX_ROWS, count_rest, fit_names, list_changes
from steelyard.pages.descriptions import SCOPE, Line
from steelyard.pages.page_change import MIN_SHOWN_CHANGE
from steelyard.site.model import FAILED
from steelyard.site.scorings import Scorings, Trend
from steelyard.site.visit_changes import describe_advice, group_access
from steelyard.support import escape
from steelyard.support.formatting import format_count, format_signed
from steelyard.support.table import Column, Table

if TYPE_CHECKING:
    from steelyard.site.history import AuditDiff
    from steelyard.site.store import AuditRow, SiteRow

STEPS = "▁▂▃▄▅▆▇█"
MAX_ADVISED = 15  # pages whose suggestions are listed
MAX_TREND = 40  # audits
MIN_SPAN = 5.0  # points: a flat history must not look like a range of mountains


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


def list_audits(audits: Sequence[AuditRow], scorings: Scorings, *, exact: bool = False) -> Table:
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
            audit.counts.get(FAILED, 0), audit.mean,
            _show_change(find_change(audits[: number + 1], scorings), exact=exact), audit.median, audit.edition,
        ]
        for number, audit in enumerate(audits)
    ]  # fmt: skip
    return Table(columns, rows)


def find_change(audits: Sequence[AuditRow], scorings: Scorings) -> float | None:
    """Return the change of the mean of the last of these audits from the one before under the same scoring, or None."""
    *others, last = audits
    if last.mean is None or last.state != "done":
        return None
    previous = scorings.find_previous(others, last)
    return None if previous is None or previous.mean is None else last.mean - previous.mean


def draw_trend(trend: Trend) -> str:
    """Return the mean scores of audits as a line of bars, and the number of those that cannot be compared."""
    means = [audit.mean for audit in trend.audits if audit.mean is not None][-MAX_TREND:]
    left_out = describe_left_out(trend)
    if len(means) < 2:
        return left_out
    low, top, span = min(means), len(STEPS) - 1, max(max(means) - min(means), MIN_SPAN)
    heights = [round((value - low) / span * top) for value in means]  # from the lowest, so that no edge is near it
    middle = (top - max(heights)) // 2
    bars = "".join(STEPS[middle + height] for height in heights)
    line = f"{bars}  mean {means[0]:.1f} → {means[-1]:.1f} over {format_count(len(means), 'finished audit')}"
    return f"{line}; {left_out}" if left_out else line


def describe_left_out(trend: Trend) -> str:
    """Return how many finished audits a trend leaves out, and why; an empty string where it has all of them."""
    if not trend.left_out:
        return ""
    audits = format_count(trend.left_out, "audit under another scoring is", "audits under other scorings are")
    return f"{audits} left out of the trend" + (f"; {trend.advice}" if trend.advice else "")


def render_audits(site: str, audits: Sequence[AuditRow], scorings: Scorings) -> list[Line]:
    """Return the audits of a site for a terminal."""
    head, *rows = list_audits(audits, scorings).to_terminal()
    lines: list[Line] = [(escape.make_visible(site), "head"), (head, "dim"), *((row, "text") for row in rows)]
    trend = draw_trend(scorings.find_trend(audits))
    return [*lines, ("", "text"), *([(trend, "text")] if trend else []), (f"each score is {SCOPE}", "dim")]


def render_diff(diff: AuditDiff) -> list[Line]:
    """Return the comparison of two audits for a terminal."""
    lines: list[Line] = [(_name_pair(diff), "head"), ("", "text")]
    if diff.comparable:
        head, *rows = fit_names(list_changes(diff.comparable, of_audits=True)).to_terminal()
        lines += [(head, "dim"), *((row, "text") for row in rows), ("", "text")]
    lines += [(escape.make_visible(text), "warn") for text in list_access_changes(diff)]
    lines += [(escape.make_visible(text), "text") for text in list_advice_changes(diff)]
    lines += [(text, "text") for text in (describe_components(diff), describe_causes(diff)) if text]
    lines += [(note, "warn") for note in diff.notes]
    return [*lines, (f"each score is {SCOPE}", "dim"), (describe_counts(diff), "head")]


def render_diff_markdown(diff: AuditDiff) -> str:
    """Return the comparison of two audits in Markdown."""
    text = f"## {escape.markdown(_name_pair(diff))}\n\n{describe_counts(diff)}\n"
    if diff.comparable:
        text += f"\n{list_changes(diff.comparable[:MAX_ROWS], of_audits=True).to_markdown()}"
        text += count_rest(len(diff.comparable) - MAX_ROWS)
    for title, listed in (("Access", list_access_changes(diff)), ("Suggestions", list_advice_changes(diff))):
        if listed:
            text += f"\n### {title}\n\n" + "".join(f"- {escape.markdown(line)}\n" for line in listed)
    for sentence in (describe_components(diff), describe_causes(diff), *diff.notes):
        text += f"\n{escape.prose(sentence)}\n" if sentence else ""
    return f"{text}\nEach score is {SCOPE}.\n"


def describe_counts(diff: AuditDiff) -> str:
    """Return the number of pages by their status, and the mean change, in one line."""
    counts = ", ".join(f"{n:,} {status}" for status, n in diff.counts.items() if n) or "no page in either"
    change = f"; mean change {format_signed(diff.mean_change)} over {format_count(diff.in_both, 'page')}"
    advice = describe_advice(diff.visits)
    return counts + (change if diff.mean_change is not None else "") + (f"; {advice}" if advice else "")


def list_access_changes(diff: AuditDiff) -> list[str]:
    """Return what changed of the access to the pages, each change with how many pages it is on and the first."""
    groups = group_access(diff.visits)
    lines = [
        f"access of {format_count(len(urls), 'page')}: {text} ({'for example ' if len(urls) > 1 else ''}{urls[0]})"
        for text, urls in groups[:MAX_ROWS]
    ]
    more = len(groups) - MAX_ROWS
    return [*lines, f"and {format_count(more, 'other change')} of access"] if more > 0 else lines


def list_advice_changes(diff: AuditDiff) -> list[str]:
    """Return the suggestions that were resolved and that are new, by page."""
    changed = [change for change in diff.visits if change.advice]
    lines = [f"suggestions for {change.url}: {change.advice}" for change in changed[:MAX_ADVISED]]
    more = len(changed) - MAX_ADVISED
    return [*lines, f"and for {format_count(more, 'other page')}"] if more > 0 else lines


def describe_components(diff: AuditDiff) -> str:
    """Return the mean change of each component that moved, the largest first; empty where none did."""
    moved = [(name, points) for name, points in diff.components.items() if abs(points) >= MIN_SHOWN_CHANGE]
    ordered = sorted(moved, key=lambda item: (-abs(item[1]), item[0]))
    listed = ", ".join(f"{name} {format_signed(points)}" for name, points in ordered)
    return f"mean change by component: {listed}" if listed else ""


def describe_causes(diff: AuditDiff) -> str:
    """Return how many of the pages that improved or worsened did so for which cause."""
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
