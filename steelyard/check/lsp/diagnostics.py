"""Findings as the diagnostics of the protocol, and what the editor offers to do about them: silence or explain them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lsprotocol.types import (
    CodeAction,
    CodeActionKind,
    CodeDescription,
    Command,
    Diagnostic,
    DiagnosticSeverity,
    OptionalVersionedTextDocumentIdentifier,
    Position,
    TextDocumentEdit,
    TextEdit,
    WorkspaceEdit,
)

from steelyard.check.lsp.documents import CheckedText, CheckFailure, Document
from steelyard.check.lsp.silencing import Insertion, silence_block, silence_file
from steelyard.check.result import CheckedFinding
from steelyard.pages.reading import describe_doubt
from steelyard.support.escape import make_visible

SOURCE = "steelyard"
SEVERITIES = {
    "error": DiagnosticSeverity.Error,
    "warning": DiagnosticSeverity.Warning,
    "note": DiagnosticSeverity.Information,
}
LINE_END = 2**31 - 1  # a column behind the end of every line


def make_diagnostics(checked: CheckedText) -> list[Diagnostic]:
    """Return the diagnostics of a document: its findings, or the reason why there are none."""
    match checked.outcome:
        case None:
            return []
        case CheckFailure() as failure:
            return [_describe_failure(failure, checked)]
        case page:
            doubt = describe_doubt(page.reading)
            doubts = [_describe_doubt(doubt, checked)] if doubt else []
            return doubts + [_describe_finding(finding, checked) for finding in page.reported]


def _describe_failure(failure: CheckFailure, checked: CheckedText) -> Diagnostic:
    start, end = (checked.to_offset(Position(failure.place[0], column)) for column in (failure.place[1], LINE_END))
    return Diagnostic(
        range=checked.to_range(start, end),
        message=make_visible(failure.reason),
        severity=DiagnosticSeverity.Error,
        code="configuration" if failure.is_configuration else "page",
        source=SOURCE,
    )


def _describe_doubt(doubt: str, checked: CheckedText) -> Diagnostic:
    start, end = (checked.to_offset(Position(0, column)) for column in (0, LINE_END))
    return Diagnostic(
        range=checked.to_range(start, end),
        message=make_visible(doubt),
        severity=DiagnosticSeverity.Warning,
        code="reading",
        source=SOURCE,
    )


def _describe_finding(finding: CheckedFinding, checked: CheckedText) -> Diagnostic:
    counted = f"\nWhat counts: {finding.counted}" if finding.counted else ""
    return Diagnostic(
        range=checked.to_range(finding.start, finding.end),
        message=make_visible(finding.text) + counted,
        severity=SEVERITIES[finding.level],
        code=finding.rule,
        code_description=CodeDescription(finding.help),
        source=SOURCE,
        data={"fingerprint": finding.fingerprint, "rule": finding.rule},
    )


EXPLAIN = "steelyard.explain"
MAX_FINDINGS = 20  # that actions are made for; a selection can span the whole page


def make_actions(
    document: Document,
    checked: CheckedText,
    findings: Sequence[CheckedFinding],
    diagnostics: Sequence[Diagnostic],
    *,
    versioned: bool,
) -> list[CodeAction]:
    """Return the actions for some findings, each once.

    Args:
        document: The document they are on.
        checked: What was found on it.
        findings: The findings in question.
        diagnostics: The diagnostics that the editor asks about.
        versioned: Whether the editor understands edits of a certain version.
    """
    actions: dict[str, CodeAction] = {}
    for finding in findings[:MAX_FINDINGS]:
        asked = [d for d in diagnostics if d.source == SOURCE and d.code == finding.rule]
        for title, insertion in _list_insertions(document, checked, finding):
            key = f"{title} {insertion}"
            if key not in actions:
                edit = _make_edit(document, checked, insertion, versioned=versioned)
                actions[key] = CodeAction(title, kind=CodeActionKind.QuickFix, diagnostics=asked, edit=edit)
        title = f"Explain {finding.rule}"
        command = Command(title, EXPLAIN, arguments=[document.uri, finding.rule])
        actions.setdefault(title, CodeAction(title, kind=CodeActionKind.QuickFix, diagnostics=asked, command=command))
    return list(actions.values())


def _list_insertions(
    document: Document, checked: CheckedText, finding: CheckedFinding
) -> Iterator[tuple[str, Insertion]]:
    if here := silence_block(checked.text, document.path, finding):
        yield f"Ignore this {finding.rule} here", here
    if anywhere := silence_file(checked.text, document.path, finding):
        yield f"Ignore {finding.rule} in the whole file", anywhere


def _make_edit(document: Document, checked: CheckedText, insertion: Insertion, *, versioned: bool) -> WorkspaceEdit:
    place = checked.to_range(insertion.offset, insertion.offset)
    edit = TextEdit(place, insertion.text)
    if not versioned:
        return WorkspaceEdit(changes={document.uri: [edit]})
    identifier = OptionalVersionedTextDocumentIdentifier(uri=document.uri, version=document.version)
    return WorkspaceEdit(document_changes=[TextDocumentEdit(identifier, [edit])])
