"""From a page to its advice: what the rules find, in the order in which an editor would act on it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace

from steelyard.advice.context import Context
from steelyard.advice.finding import Finding
from steelyard.advice.rules import ORDER
from steelyard.advice.rules.duplicate_text import DuplicateText

DUPLICATES = DuplicateText.name
MAX_LINES = 10  # of other findings, listed with a suggestion


def find_improvements(context: Context, *, uncertain: bool = False) -> list[Finding]:
    """Return every finding of the page, in the order of the rules; of each rule the one to begin with comes first.

    There is none while a guard applies. On passages that stand on the page before, only that is found.

    Args:
        context: The page.
        uncertain: Whether to return also what the page's own words do not make certain.
    """
    if context.score.guard is not None:
        return []
    found = [f for rule in ORDER if rule.suits(context.kind_name) for f in rule.find(context) if f.certain or uncertain]
    copied = [f for f in found if f.rule == DUPLICATES]
    return [f for f in found if f.rule == DUPLICATES or not f.quote or not _lies_in(f, copied)]


def _lies_in(finding: Finding, copied: Sequence[Finding]) -> bool:
    """Return whether a finding begins inside a passage that stood on the page before."""
    at = bisect_right(copied, finding.start, key=lambda c: c.start) - 1
    return at >= 0 and finding.start < copied[at].end


def suggest(findings: Sequence[Finding]) -> list[Finding]:
    """Return the best finding of each rule, with the lines of the others."""
    rules: dict[str, list[Finding]] = {}
    for finding in findings:
        rules.setdefault(finding.rule, []).append(finding)
    return [replace(best, more=_list_lines(best, others)) if others else best for best, *others in rules.values()]


def _list_lines(best: Finding, others: Sequence[Finding]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(other.line for other in others if other.line != best.line))[:MAX_LINES]
