"""The check as GitHub's workflow commands, which become annotations on the lines of a pull request."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.check.formats.human import describe_settings, summarise
from steelyard.check.result import CheckedFinding, CheckRun, sort_by_weight
from steelyard.pages.reading import describe_doubt
from steelyard.support.escape import make_visible

COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}
FAILS = "steelyard: the page fails"
MAX_ANNOTATIONS = 10  # annotations of a level that GitHub shows for one step


def render_github(run: CheckRun, level: str) -> str:
    """Return one command for each failing page, then the weightiest findings of each level, then a summary."""
    lines = [
        _command("error", run.locate(page.path), _place(page.worst), FAILS, page.explain_failures())
        for page in run.failed
    ][:MAX_ANNOTATIONS]
    lines += [
        _command("error", run.locate(e.source), (1, 1, 1, 1), "steelyard: not checked", e.message) for e in run.errors
    ][:MAX_ANNOTATIONS]
    lines += [
        _command("warning", run.locate(page.path), (1, 1, 1, 1), "steelyard: doubtful reading", doubt)
        for page in run.pages
        if (doubt := describe_doubt(page.reading))
    ][:MAX_ANNOTATIONS]
    findings = [(f, run.locate(page.path)) for page in run.pages for f in run.select(page, level)]
    order = {id(f): at for at, f in enumerate(sort_by_weight([f for f, _ in findings]))}
    findings.sort(key=lambda pair: order[id(pair[0])])
    for name in COMMANDS:
        lines += [
            _annotate(f, path) for f, path in [pair for pair in findings if pair[0].level == name][:MAX_ANNOTATIONS]
        ]
    lines += [
        f"steelyard: {_defuse(make_visible(note))}"
        for note in (*run.notes, describe_settings(run), summarise(run, level))
    ]
    return "\n".join(lines) + "\n"


def _annotate(finding: CheckedFinding, path: str) -> str:
    mark = " (new)" if finding.is_new else ""
    words = f"\n“{finding.quote}”" if finding.quote else ""
    counted = f"\nCounts: {finding.counted}" if finding.counted else ""
    return _command(
        COMMANDS[finding.level],
        path,
        _place([finding]),
        f"steelyard: {finding.rule}{mark}",
        f"{finding.text}{words}{counted}",
    )


def _place(findings: Sequence[CheckedFinding]) -> tuple[int, int, int, int]:
    """Return the place of the first finding, or that of the whole page."""
    return next(((f.line, f.end_line, f.column, f.end_column) for f in findings), (1, 1, 1, 1))


def _command(name: str, path: str, place: tuple[int, int, int, int], title: str, message: str) -> str:
    line, end_line, column, end_column = place
    fields = {"file": path, "line": line, "endLine": end_line, "title": title}
    if line == end_line:  # columns of several lines are refused
        fields |= {"col": column, "endColumn": end_column}
    properties = ",".join(f"{key}={_escape_property(make_visible(str(value)))}" for key, value in fields.items())
    shown = "\n".join(make_visible(part) for part in message.split("\n"))
    return f"::{name} {properties}::{_escape(_defuse(shown))}"


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape(_defuse(text)).replace(":", "%3A").replace(",", "%2C")


def _defuse(text: str) -> str:
    """Break the older form of a command, which is obeyed anywhere in a line."""
    return text.replace("##[", "## [")
