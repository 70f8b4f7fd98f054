"""Who may read the pages of an audit, and what access logs say of them: for the terminal and the browser."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from steelyard.pages.html.parts import Cell, render_table
from steelyard.site.access.summary import (
    FAULTS,
    AccessSummary,
    AgentCount,
    CheckCount,
    describe_llms,
    describe_passing,
    describe_purposes,
    describe_robots,
)
from steelyard.site.report.logs import list_log_lines, render_logs
from steelyard.site.report.page_links import PageLinks
from steelyard.support import escape
from steelyard.support.escape import make_visible
from steelyard.support.formatting import format_count
from steelyard.support.table import Column, Table

Line = tuple[str, str]
EXAMPLES = 3  # pages that fail a check, in the terminal
MAX_ROWS = 200  # of a list in the browser
ABOUT = "Facts, no part of any score."


def list_access(access: AccessSummary, logs: Mapping[str, Any] | None) -> list[Line]:
    """Return the lines for the terminal; none for an audit of an earlier version."""
    lines: list[Line] = []
    if access.pages or access.site.robots:
        lines = [(f"access: {ABOUT[0].lower()}{ABOUT[1:-1]}", "head"), *_list_checks(access)]
        lines += [(make_visible(text), "text") for text in describe_robots(access)]
        if access.limited:
            purposes = ", ".join(f"{purpose} {free}" for purpose, free in describe_purposes(access).items())
            lines.append((f"  by purpose: {purposes}", "text"))
            lines += [(f"  {_describe_agent(agent)}", "text") for agent in access.limited]
        lines += [(describe_llms(access.site.llms_txt), "text"), ("", "text")]
    return lines + (list_log_lines(logs) if logs else [])


def _list_checks(access: AccessSummary) -> Iterator[Line]:
    if not access.pages:
        return
    yield describe_passing(access), "text"
    columns = [Column("passed", ",", right=True), Column("of", ",", right=True), Column("a page that passes")]
    head, *body = Table(columns, [[check.passed, check.pages, check.about] for check in access.checks]).to_terminal()
    yield head, "dim"
    for row, check in zip(body, access.checks, strict=True):
        yield row, "text"
        for fault, urls in check.faults.items():
            for url in urls[:EXAMPLES]:
                yield f"    {make_visible(url)}: {make_visible(check.failed[url])}", "warn"
            if (more := len(urls) - EXAMPLES) > 0:
                yield f"    and {format_count(more, 'other')}: {fault}", "dim"


def _describe_agent(one: AgentCount) -> str:
    named = "named in robots.txt" if one.is_named else "by the rules for everybody"
    return f"{one.allowed:,} of {one.pages:,}  {one.agent.name} ({one.agent.owner}, {one.agent.aim}), {named}"


def render_access(access: AccessSummary, logs: Mapping[str, Any] | None, links: PageLinks) -> str:
    """Return what a section shows in the browser; an empty string for an audit of an earlier version."""
    inside = ""
    if access.pages or access.site.robots:
        sentences = "".join(f"<p>{escape.html(text)}</p>" for text in describe_robots(access))
        inside = "".join((_render_checks(access, links), sentences, _render_agents(access.agents)))
        inside += f"<p>{escape.html(describe_llms(access.site.llms_txt))}</p>"
    if logs:
        inside += render_logs(logs, links)
    return f'<div class="access"><p class="dim">{ABOUT}</p>{inside}</div>' if inside else ""


def _render_checks(access: AccessSummary, links: PageLinks) -> str:
    if not access.pages:
        return ""
    rows = [
        [
            escape.html(check.about) + _describe_faults(check),
            Cell(f"{check.passed:,} of {check.pages:,}", 100 * check.passed / check.pages),
        ]
        for check in access.checks
    ]
    failed = [
        [links.render(url), escape.html(f"{check.name}: {reason}")]
        for check in access.checks
        for url, reason in check.failed.items()
    ]
    table = render_table("checks", "", ("a page that passes", "pages"), rows, numbers="1")
    summary = f"<p>{escape.html(describe_passing(access))}</p>"
    return summary + table + _fold("What does not pass", ("page", "why"), failed)


def _describe_faults(check: CheckCount) -> str:
    if check.name not in FAULTS or not check.failed:
        return ""
    listed = "; ".join(f"{fault}: {len(urls):,}" for fault, urls in check.faults.items())
    return f' <span class="dim">{escape.html(listed)}</span>'


def _render_agents(agents: Sequence[AgentCount]) -> str:
    rows = [
        [
            f'<a href="{escape.html(one.agent.source)}" rel="noreferrer">{escape.html(one.agent.name)}</a>',
            escape.html(f"{one.agent.owner}, {one.agent.aim}"),
            f"{one.allowed:,} of {one.pages:,}{', named there' if one.is_named else ''}",
        ]
        for one in sorted(agents, key=lambda one: one.allowed)
    ]
    heads = ("agent", "whose, for what", "pages it may ask for")
    return _fold("Agents and robots.txt", heads, rows)


def _fold(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table of cells that are HTML already, folded away; an empty string without rows."""
    if not rows:
        return ""
    more = f" (the first {MAX_ROWS:,})" if len(rows) > MAX_ROWS else ""
    table = render_table("facts", "", heads, rows[:MAX_ROWS])
    return f"<details><summary>{escape.html(title)}: {len(rows):,}{more}</summary>{table}</details>"
