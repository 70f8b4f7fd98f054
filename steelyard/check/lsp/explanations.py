"""What an editor shows on request: the score of a page for a status bar, and why a line is as it is."""

from __future__ import annotations

import textwrap
from typing import Any

from steelyard.check.lsp.hover import explain_rule
from steelyard.check.result import CheckedPage
from steelyard.components import COMPONENTS
from steelyard.pages.descriptions import SCOPE
from steelyard.pipeline import PageResult
from steelyard.support.escape import make_visible

MAX_WORDS = 60  # characters of a piece of evidence
WIDTH = 100  # columns


def describe_score(page: CheckedPage) -> dict[str, Any]:
    """Return what a status bar needs to know of a page."""
    return {
        "score": page.score,
        "held": page.held or None,
        "words": page.words,
        "language": page.language,
        "edition": page.edition,
        "failures": list(page.failures),
        "findings": len(page.reported),
        "scope": SCOPE,
    }


def explain_line(page: CheckedPage, result: PageResult, text: str, line: int) -> list[str]:
    """Return what is found on a line, with the formulas behind it, and what on it the components count.

    Args:
        page: The page with its findings.
        result: Its score. The evidence of HTML is in the text that was read, so its lines are not those of the file.
        text: The page as written.
        line: The number of the line, from 1.
    """
    findings = [finding for finding in page.reported if finding.line <= line <= finding.end_line]
    lines = [f"line {line}: {len(findings)} to improve" if findings else f"line {line}: nothing to improve was found"]
    for rule in dict.fromkeys(finding.rule for finding in findings):
        texts = [make_visible(f"{rule}: {finding.text}") for finding in findings if finding.rule == rule]
        lines += ["", *(part for words in texts for part in textwrap.wrap(words, WIDTH, subsequent_indent="  "))]
        lines += [f"  {shown}" for shown in explain_rule(rule, result.page)]
    if not result.extracted:
        counted = _list_counted(result, text, line)
        lines += ["", "counted on this line:", *(counted or ["  nothing"])]
    return lines


def _list_counted(result: PageResult, text: str, line: int) -> list[str]:
    counted = []
    for component in COMPONENTS:
        for evidence in result.page.readings[component.name].evidence:
            if evidence.line == line:
                words = make_visible(text[evidence.start : evidence.end])
                shown = words if len(words) <= MAX_WORDS else f"{words[: MAX_WORDS - 1]}…"
                counted.append(f"  {component.name}: “{shown}” ({evidence.pattern})")
    return list(dict.fromkeys(counted))
