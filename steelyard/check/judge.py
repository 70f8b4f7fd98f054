"""Decide whether a page passes, by its settings and by its earlier version."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from steelyard.advice.rule import is_at_least
from steelyard.advice.rules import RULES
from steelyard.check.result import CheckedFinding, CheckedPage, Failure, Previous
from steelyard.configuration.file import PageSettings
from steelyard.support.formatting import format_count

CAP, NEW, ERRORS = "cap", "new findings", "errors"  # what a failure is about, where that is no component


def judge(
    page: CheckedPage, settings: PageSettings, previous: Previous | None = None, changed: Sequence[range] | None = None
) -> CheckedPage:
    """Return a page with the levels of its findings and the reasons why it fails.

    Args:
        page: What `measure_text` returned.
        settings: Its thresholds and levels.
        previous: The page in the baseline or at a revision.
        changed: The lines that changed since a revision.
    """
    judged = replace(
        page,
        findings=tuple(_rate_findings(page.findings, settings, previous, changed)),
        min_score=settings["min_score"],
        before=previous,
    )
    causes = tuple(_list_failures(judged, settings, previous))
    return replace(judged, causes=causes, findings=tuple(_explain_failures(judged.findings, causes)))


def _rate_findings(
    findings: Iterable[CheckedFinding],
    settings: PageSettings,
    previous: Previous | None,
    changed: Sequence[range] | None,
) -> Iterator[CheckedFinding]:
    changes = Changes(changed or ())
    for finding in findings:
        level = settings.level(finding.rule)
        if level != "off":
            lines = range(finding.line, finding.end_line + 1)
            yield replace(
                finding,
                level=level,
                is_new=None if previous is None else finding.fingerprint not in previous.findings,
                is_changed=None if changed is None else changes.overlap(lines),
            )


class Changes:
    """Changed lines of a file, of which there may be as many parts as lines; no two parts overlap."""

    def __init__(self, parts: Iterable[range]) -> None:
        self._parts = sorted(parts, key=lambda part: (part.start, part.stop))
        self._starts = [part.start for part in self._parts]

    def overlap(self, lines: range) -> bool:
        """Return whether some lines were changed; the last part that begins before their end reaches furthest."""
        before = bisect_left(self._starts, lines.stop)
        return before > 0 and lines.start < self._parts[before - 1].stop


def _list_failures(page: CheckedPage, settings: PageSettings, previous: Previous | None) -> Iterator[Failure]:
    """Yield why a page fails: components that are too low, then the score, then findings."""
    is_known = previous is not None and previous.is_baseline  # such a page only has to be no worse
    if not is_known:
        for name, minimum in settings.minimums.items():
            value = page.components[name]["value"] if name in page.components else None
            if value is not None and value < minimum.value:
                margin = value - minimum.value
                reason = f"{name} is {value:.1f}, below {minimum.value:g} by {-margin:.1f}"
                yield Failure(reason, name, margin, _find_action(name))
        if page.margin is not None and page.margin < 0:
            score = page.held or f"{page.score:.2f}"
            reason = f"the score {score}{',' if page.held else ''} is below {page.min_score:g} by {-page.margin:.2f}"
            yield Failure(reason, CAP if page.held else "", page.margin, page.lift)
    if previous is not None:
        drop, allowed = previous.score - page.score, settings["max_drop"]
        if drop > allowed:
            scores = f"{previous.score:.2f} to {page.score:.2f}"
            verb = "is" if allowed == 1 else "are"
            reason = f"the score fell from {scores}, by {drop:.2f} points; {allowed:g} {verb} allowed"
            yield Failure(reason, margin=allowed - drop)
    if is_known:
        new = [f for f in page.reported if _is_new_warning(f)]
        if new:
            yield Failure(format_count(len(new), "new finding"), NEW)
        return
    errors = sum(f.level == "error" for f in page.reported)
    if errors:
        yield Failure(format_count(errors, "finding of level error", "findings of level error"), ERRORS)


def _find_action(component: str) -> str:
    """Return what to do about a component of which no place on the page is known."""
    rule = RULES[component]
    return rule.anywhere or rule.action or "`steelyard explain` shows how it is computed"


def _explain_failures(findings: Iterable[CheckedFinding], causes: Sequence[Failure]) -> Iterator[CheckedFinding]:
    """Yield the findings, each with the first failure that it explains."""
    for finding in findings:
        explained = (number for number, cause in enumerate(causes) if _explains(finding, cause))
        yield finding if finding.is_silenced else replace(finding, failure=next(explained, None))


def _explains(finding: CheckedFinding, cause: Failure) -> bool:
    if cause.rule == NEW:
        return _is_new_warning(finding)
    return finding.level == "error" if cause.rule == ERRORS else finding.rule == cause.rule


def _is_new_warning(finding: CheckedFinding) -> bool:
    return bool(finding.is_new) and is_at_least(finding.level, "warning")
