"""Findings as the diagnostics of the protocol."""

from __future__ import annotations

from lsprotocol.types import Diagnostic, DiagnosticSeverity, Position

from steelyard.check.lsp.documents import Checked, Trouble
from steelyard.check.result import CheckedFinding
from steelyard.support.escape import make_visible

SOURCE = "steelyard"
SEVERITIES = {
    "error": DiagnosticSeverity.Error,
    "warning": DiagnosticSeverity.Warning,
    "note": DiagnosticSeverity.Information,
}
LINE_END = 2**31 - 1  # a column behind the end of every line


def make_diagnostics(checked: Checked) -> list[Diagnostic]:
    """Return the diagnostics of a document: its findings, or the reason why there are none."""
    match checked.outcome:
        case None:
            return []
        case Trouble() as trouble:
            return [_describe_trouble(trouble, checked)]
        case page:
            return [_describe_finding(finding, checked) for finding in page.reported]


def _describe_trouble(trouble: Trouble, checked: Checked) -> Diagnostic:
    start, end = (checked.to_offset(Position(trouble.place[0], column)) for column in (trouble.place[1], LINE_END))
    return Diagnostic(
        range=checked.to_range(start, end),
        message=make_visible(trouble.reason),
        severity=DiagnosticSeverity.Error,
        code="configuration" if trouble.is_configuration else "page",
        source=SOURCE,
    )


def _describe_finding(finding: CheckedFinding, checked: Checked) -> Diagnostic:
    counted = f"\nWhat counts: {finding.counted}" if finding.counted else ""
    return Diagnostic(
        range=checked.to_range(finding.start, finding.end),
        message=make_visible(finding.text) + counted,
        severity=SEVERITIES[finding.level],
        code=finding.rule,
        source=SOURCE,
        data={"fingerprint": finding.fingerprint, "rule": finding.rule},
    )
