"""What access logs say of the pages of an audit: for the terminal and the browser, from the JSON of the audit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from steelyard.pages.html.parts import render_table
from steelyard.site.access.agents import name_agents
from steelyard.site.logs.report import FORGED
from steelyard.site.report.page_links import PageLinks
from steelyard.support import escape
from steelyard.support.escape import make_visible
from steelyard.support.formatting import format_count, format_number
from steelyard.support.table import Column, Table

Line = tuple[str, str]
PLACES = ("page", "address")  # columns with addresses
LISTED = 8  # rows of a list in the terminal
Logs = Mapping[str, Any]


def describe_logs(logs: Logs) -> list[str]:
    """Return what was read, as sentences."""
    parts = [format_count(logs["lines"], "line"), f"{logs['visits']:,} of known AI agents"]
    parts += [f"{logs['malformed']:,} malformed"] if logs["malformed"] else []
    parts += [f"{logs['nameless']:,} without a user agent, so of nobody known"] if logs["nameless"] else []
    lines = [f"{format_count(len(logs['files']), 'access log')}: {', '.join(parts)}"]
    if logs["first"]:
        lines.append(f"first line {logs['first']}, last line {logs['last']}, as given")
    lines.append(FORGED)
    if any(one["forbidden"] for one in logs["agents"]):
        lines.append("forbidden: visits to pages that robots.txt, as this audit found it, forbids the agent to ask for")
    counted = (
        ("assets", "for images, styles and the like"),
        ("elsewhere", "for another site or for no address"),
        ("left_out", "for addresses that were too many to count"),
    )
    rest = [f"{logs[name]:,} {about}" for name, about in counted if logs[name]]
    asked = ((path, sum(agents.values())) for path, agents in logs["for_programs"].items())
    rest += [f"{total:,} for {path}" for path, total in asked if total]
    if rest:
        lines.append(f"also asked for: {', '.join(rest)}")
    return lines


def list_log_lines(logs: Logs) -> list[Line]:
    """Return the lines for the terminal."""
    first, *others = describe_logs(logs)
    lines: list[Line] = [(make_visible(first), "head"), *((make_visible(text), "dim") for text in others)]
    lines += [(make_visible(f"{f['file']}: not read to its end: {f['reason']}"), "warn") for f in logs["faults"]]
    for title, heads, rows, _ in _list_tables(logs):
        if rows:
            columns = [_make_column(head) for head in heads]
            head, *body = Table(columns, rows[:LISTED]).to_terminal()
            more = f" (the first {LISTED} of {len(rows):,})" if len(rows) > LISTED else ""
            lines += [("", "text"), (title + more, "head"), (head, "dim"), *((row, "text") for row in body)]
    return [*lines, ("", "text")]


def render_logs(logs: Logs, links: PageLinks) -> str:
    """Return the part of a section for the browser."""
    first, *others = describe_logs(logs)
    lines = [f"<h3>{escape.html(first)}</h3>", *(f'<p class="dim">{escape.html(text)}</p>' for text in others)]
    lines += [
        f'<p class="note">{escape.html(f["file"])}: not read to its end: {escape.html(f["reason"])}</p>'
        for f in logs["faults"]
    ]
    for title, heads, rows, numbers in _list_tables(logs):
        if rows:
            cells = [
                [
                    links.render(value) if head in PLACES else _write_cell(value)
                    for head, value in zip(heads, row, strict=True)
                ]
                for row in rows
            ]
            table = render_table("facts", "", heads, cells, numbers=numbers)
            lines.append(f"<details><summary>{escape.html(title)}: {len(rows):,}</summary>{table}</details>")
    return "".join(lines)


def _list_tables(logs: Logs) -> list[tuple[str, tuple[str, ...], Sequence[Sequence[Any]], str]]:
    """Return each table: its title, heads and rows, and which of the columns are numbers."""
    known = name_agents()
    agents = []
    for one in logs["agents"]:
        agent = known.get(one["name"].lower())
        about = f"{one['name']} ({one['owner']}, {agent.aim if agent else one['purpose']})"
        agents.append(
            (one["visits"], one["read"], one["not_found"], one["refused"] + one["failed"], one["forbidden"], about)
        )
    low = [(p["read"], p["score"], p["url"], _name(p)) for p in logs["pages"] if p["low"] and p["read"]]
    others = [(p["visits"], p["state"], p["url"], _name(p)) for p in logs["pages"] if p["score"] is None]
    unknown = [(a["visits"], a["read"], a["address"], _name(a)) for a in logs["unknown"]]
    lost = [(a["not_found"], a["address"], _name(a), a["last"]) for a in logs["not_found"]]
    median = "–" if logs["median"] is None else f"{logs['median']:.1f}"
    return [
        ("visits by agent", ("visits", "read", "not found", "failed", "forbidden", "agent"), agents, "01234"),
        (f"read most, of the pages that score below the median of {median}",
         ("read", "score", "page", "agents"), low, "01"),
        ("asked for, in the audit without a score", ("visits", "outcome", "address", "agents"), others, "0"),
        ("asked for, and not found by the audit", ("visits", "read", "address", "agents"), unknown, "01"),
        ("not found (404 or 410) for agents", ("times", "address", "agents", "last, as given"), lost, "0"),
    ]  # fmt: skip


def _name(entry: Mapping[str, Any]) -> str:
    """Return the agents of an entry, the most frequent first."""
    names = list(entry["agents"])
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _make_column(head: str) -> Column:
    if head in PLACES:
        return Column(head, width=56, keep="end")
    forms = {
        "score": ".1f",
        "visits": ",",
        "read": ",",
        "times": ",",
        "not found": ",",
        "failed": ",",
        "forbidden": ",",
    }
    return Column(head, forms.get(head, ""), right=head in forms)


def _write_cell(value: Any) -> str:
    if isinstance(value, float):
        return format_number(value, 1)
    return f"{value:,}" if isinstance(value, int) else escape.html(str(value))
