"""The check as Markdown: for a comment on a pull request, or the summary of a job."""

from __future__ import annotations

from steelyard.check.formats.human import ALONE, describe_settings, summarise
from steelyard.check.result import CheckedFinding, CheckedPage, CheckRun, sort_by_weight
from steelyard.pages.reading import describe_doubt
from steelyard.support import escape
from steelyard.support.formatting import format_count
from steelyard.support.table import Column, Table

MAX_LENGTH = 60_000  # characters; hosts refuse comments of more than some 65,000
MARK = "<!-- steelyard check -->"  # by which a script finds the comment again
MAX_FINDINGS = 20  # of a page


def render_markdown(run: CheckRun, level: str) -> str:
    """Return the text: what failed, before and after, and the findings by page."""
    failed = run.failed
    title = f"{len(failed)} of {format_count(len(run.pages), 'page')} failed" if run.pages else "no pages checked"
    text = f"{MARK}\n## Steelyard: {title}\n\n"
    shown = sorted(run.pages, key=lambda p: (not p.failures, _change(p), p.score, p.path))
    rest = ""
    if shown:
        text += _make_table([p for p in shown if p.failures or p.before or run.select(p, level)]).to_markdown()
    for error in run.errors:
        rest += f"\n- not checked: {escape.markdown(error.message)}"
    for page in run.pages:
        if doubt := describe_doubt(page.reading):
            rest += f"\n- {escape.markdown(f'{page.path}: {doubt}')}"
    for note in run.notes:
        rest += f"\n- {escape.prose(note)}"
    rest += f"\n\n{escape.prose(summarise(run, level))}. {escape.prose(describe_settings(run))}.\n"
    left = 0
    for page in shown:
        section = _describe_page(page, run.select(page, level))
        if len(text) + len(section) + len(rest) > MAX_LENGTH:
            left += bool(section)
        else:
            text += section
    if left:
        rest = f"\nThe findings of {format_count(left, 'more page')} are left out, since a comment has a limit.\n{rest}"
    return f"{text[:MAX_LENGTH]}{rest}"


def _change(page: CheckedPage) -> float:
    return page.score - page.before.score if page.before else 0.0


def _make_table(pages: list[CheckedPage]) -> Table:
    columns = [Column("page"), *(Column(name, ".1f", right=True) for name in ("before", "now"))]
    columns += [Column("change", "+.1f", right=True), Column("wanted", "g", right=True), Column("fails because")]
    rows = [
        [
            p.path,
            p.before.score if p.before else None,
            p.score,
            _change(p) if p.before else None,
            p.min_score,
            p.explain_failures() or None,
        ]
        for p in pages[:200]
    ]
    return Table(columns, rows)


def _describe_page(page: CheckedPage, shown: list[CheckedFinding]) -> str:
    findings = sort_by_weight(shown)
    if not findings:
        return ""
    count = format_count(len(findings), "finding")
    name = escape.html(page.path).replace("\n", " ")
    text = f"\n<details{' open' if page.failures else ''}><summary><code>{name}</code>: {count}</summary>\n\n"
    for f in findings[:MAX_FINDINGS]:
        mark = " (new)" if f.is_new else " (changed line)" if f.is_changed else ""
        text += f"- line {f.line}, {f.level}{mark}, `{f.rule}`: {escape.markdown(f.text)}\n"
        if f.quote:
            text += f"  > {escape.markdown(f.quote)}\n"
    if sum(f.cost is not None for f in findings) > 1:
        text += f"\n{ALONE}\n\n"
    if len(findings) > MAX_FINDINGS:
        text += f"- and {len(findings) - MAX_FINDINGS} more\n"
    return f"{text}\n</details>\n"
