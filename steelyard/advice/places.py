"""Where the words of a finding are in the file that a page was read from."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from steelyard.advice.finding import Finding
from steelyard.text.html.positions import HtmlWords
from steelyard.text.lines import Span
from steelyard.text.positions import Lines

_WORD = re.compile(r"\w+")
_FIRST_LINE = re.compile(r"\s*+(\S[^\n]*)")


def identify(rule: str, words: str, seen: Counter[tuple[str, str]]) -> tuple[str, int]:
    """Return words without their marks and blanks, and how many findings of the rule had them before."""
    plain = " ".join(_WORD.findall(words.lower()))
    seen[rule, plain] += 1
    return plain, seen[rule, plain] - 1


def locate_in_html(findings: Sequence[Finding], html: str) -> list[Finding]:
    """Return findings on an extracted text at their places in its HTML; those about the page, or whose words are not
    found there, on its first line.
    """
    words, lines = HtmlWords(html), Lines(html)
    seen: Counter[tuple[str, str]] = Counter()
    located = []
    for finding in findings:
        _, number = identify(finding.rule, finding.quote, seen)
        span = words.find(finding.quote, number) or first_line(html)
        located.append(replace(finding, **lines.locate(*span)._asdict()))
    return located


def first_line(text: str) -> Span:
    """Return the span of the first line that is not blank, with the blanks before it on that line."""
    match = _FIRST_LINE.match(text)
    return (text.rfind("\n", 0, match.start(1)) + 1, match.end()) if match else (0, 0)
