"""Render the text beside the pointer: the score on the first line, and the formula behind a finding."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.check.result import CheckedFinding, CheckedPage
from steelyard.components import COMPONENTS
from steelyard.pages.descriptions import SCOPE
from steelyard.pages.explain import explain_component, explain_freshness, explain_score
from steelyard.pipeline import PageResult
from steelyard.scoring.page import PageScore
from steelyard.support import escape
from steelyard.support.formatting import format_count, format_signed

MAX_FINDINGS = 8  # shown at one place; more would not fit


def find_at(page: CheckedPage, offset: int) -> list[CheckedFinding]:
    """Return the findings at an offset."""
    return [f for f in page.reported if f.start <= offset <= f.end]


def render_hover(
    page: CheckedPage, result: PageResult, findings: Sequence[CheckedFinding], *, is_first_line: bool
) -> str:
    """Return the text for a place, as Markdown."""
    parts = [_render_score(page)] if is_first_line else []
    explained: set[str] = set()
    for finding in findings[:MAX_FINDINGS]:
        parts.append(_render_finding(finding))
        lines = [] if finding.rule in explained else explain_rule(finding.rule, result.page)
        explained.add(finding.rule)
        if lines:
            parts.append("\n".join(["```text", *lines, "```"]))
    if len(findings) > MAX_FINDINGS:
        parts.append(f"… and {format_count(len(findings) - MAX_FINDINGS, 'more finding')}")
    return "\n\n".join(parts)


def explain_rule(rule: str, page: PageScore) -> list[str]:
    """Return the formula behind a rule with the page's numbers; nothing for detectors and comments, which have none."""
    for component in COMPONENTS:
        if component.name == rule:
            return explain_component(component, page)
    if rule == "freshness":
        return explain_freshness(page)
    return explain_score(page) if rule in ("cap", "guard") else []


def _render_score(page: CheckedPage) -> str:
    about = f"edition {page.edition}, {format_count(page.words, 'word')}, language {page.language}"
    lines = [f"**Score {page.score:.2f} of 100** ({about})"]
    lines += [escape.prose(f"{page.held}; {page.lift}")] if page.held else []
    if page.min_score is not None and page.margin is not None:
        lines.append(f"Lowest that passes: {page.min_score:g}; margin {format_signed(page.margin, 2)}")
    lines += [f"Fails: {escape.prose(reason)}" for reason in page.failures]
    lines.append(f"The score is {SCOPE}.")
    return "  \n".join(lines)


def _render_finding(finding: CheckedFinding) -> str:
    lines = [f"**{escape.markdown(finding.rule)}** ({finding.level}): {escape.markdown(finding.message)}"]
    if finding.action:
        gain = "" if finding.cost is None else f" ({format_signed(finding.cost, 2)} points)"
        lines.append(f"To do: {escape.markdown(finding.action)}{gain}")
    if finding.counted:
        lines.append(f"What counts: {escape.markdown(finding.counted)}")
    return "  \n".join(lines)
