"""The check for people: findings by file, then the failing pages, then one line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from steelyard.advice.rule import LEVELS
from steelyard.check.result import CheckedFinding, CheckedPage, CheckRun, show_path
from steelyard.pages.descriptions import SCOPE, Line
from steelyard.pages.reading import describe_doubt
from steelyard.support import escape
from steelyard.support.formatting import format_count
from steelyard.support.table import Column, Table

ALONE = "the points are those of each change alone; together they may gain less"
STYLES = {"error": "error", "warning": "text", "note": "dim"}


def render_human(run: CheckRun, level: str) -> list[Line]:
    """Return the lines, each with its style; findings below the level are counted, not shown."""
    lines: list[Line] = []
    for page in run.pages:
        shown = run.select(page, level)
        doubt = describe_doubt(page.reading)
        if shown or page.failures or doubt:
            lines += [
                (_describe_page(page), "error" if page.failures else "head"),
                *([(doubt, "warn")] if doubt else ()),
                *_list_findings(page, shown),
                ("", "text"),
            ]
    lines += _list_failed(run)
    lines += [(escape.make_visible(note), "text") for note in run.notes]
    return [*lines, (describe_settings(run), "dim"), (summarise(run, level), "error" if run.failed else "head")]


def _describe_page(page: CheckedPage) -> str:
    change = f" (before {page.before.score:.1f})" if page.before else ""
    failures = f": {escape.make_visible('; '.join(page.failures))}" if page.failures else ""
    score = page.held if page.held and page.held not in failures else f"{page.score:.1f}"
    return f"{show_path(page.path)} {score}{change}{failures}"


def _list_findings(page: CheckedPage, findings: Sequence[CheckedFinding]) -> list[Line]:
    lines: list[Line] = []
    for f in findings:
        mark = " new" if f.is_new else " changed line" if f.is_changed else ""
        place = f"{show_path(page.path)}:{f.line}:{f.column}"
        lines.append((f"{place}: {f.level}{mark}: {f.rule}: {escape.make_visible(f.text)}", STYLES[f.level]))
        if f.quote:
            lines.append((f"    “{escape.make_visible(f.quote)}”", "dim"))
    if sum(f.cost is not None for f in findings) > 1:
        lines.append((ALONE, "dim"))
    return lines


def _list_failed(run: CheckRun) -> list[Line]:
    if not run.failed:
        return []
    columns = [
        Column("failing page"),
        Column("score", ".1f", right=True),
        Column("fails"),
        Column("margin", "+.1f", right=True),
        Column("begin with"),
    ]
    rows = [[show_path(p.path), p.score, p.causes[0].subject, p.causes[0].margin, _begin_with(p)] for p in run.failed]
    head, *rest = Table(columns, rows).to_terminal()
    return [(head, "dim"), *((row, "error") for row in rest), ("", "text")]


def _begin_with(page: CheckedPage) -> str:
    return "; ".join(map(name_finding, page.worst)) or page.causes[0].action or "nothing certain"


def name_finding(finding: CheckedFinding) -> str:
    """Name a finding in a few words, for a list of the worst."""
    gain = "" if finding.cost is None else f" {finding.cost:+.1f}"
    return f"line {finding.line} {finding.rule}{gain}"


def describe_settings(run: CheckRun) -> str:
    """Say what the scores are, and what they depend on."""
    editions = ", ".join(sorted({p.edition for p in run.pages}))
    edition = f", edition {editions}" if editions else ""
    return f"each score is {SCOPE}; as of {run.as_of}{edition}"


def summarise(run: CheckRun, level: str = "note") -> str:
    """Return the numbers of pages and findings in one line."""
    shown = [f for page in run.pages for f in run.select(page, LEVELS[0])]
    counts = Counter(f.level for f in shown)
    seen = Counter(f.level for page in run.pages for f in run.select(page, level))
    known = sum(len(page.reported) for page in run.pages) - len(shown)
    silenced = sum(f.is_silenced for page in run.pages for f in page.findings)
    hidden = [name for name in LEVELS[: LEVELS.index(level)] if counts[name] > seen[name]]
    parts = [format_count(len(run.pages), "page") + " checked", f"{len(run.failed)} failed"]
    parts += [
        format_count(seen[name], name) for name in ("error", "warning", "note") if seen[name] or name not in hidden
    ]
    parts += [
        f"{format_count(counts[name] - seen[name], name)} not shown (--level {name} shows them)" for name in hidden
    ]
    parts += [f"{known} already in the baseline"] if known else []
    parts += [f"{silenced} silenced"] if silenced else []
    parts += [f"{len(run.errors)} could not be read"] if run.errors else []
    return ", ".join(parts)
