"""Decide whether a page passes, by its settings and by its earlier version."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from steelyard.check.result import CheckedFinding, CheckedPage, Previous
from steelyard.configuration.file import PageSettings
from steelyard.configuration.rules import is_at_least
from steelyard.support.formatting import format_count


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
    return replace(judged, failures=tuple(_list_failures(judged, settings, previous)))


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


def _list_failures(page: CheckedPage, settings: PageSettings, previous: Previous | None) -> Iterator[str]:
    if previous is not None:
        drop, allowed = previous.score - page.score, settings["max_drop"]
        if drop > allowed:
            scores = f"{previous.score:.2f} to {page.score:.2f}"
            verb = "is" if allowed == 1 else "are"
            yield f"the score fell from {scores}, by {drop:.2f} points; {allowed:g} {verb} allowed"
    if previous is not None and previous.is_baseline:
        new = [f for f in page.reported if f.is_new and is_at_least(f.level, "warning")]
        if new:
            yield format_count(len(new), "new finding")
        return
    if page.margin is not None and page.margin < 0:
        yield f"the score {page.score:.2f} is below {page.min_score:g} by {-page.margin:.2f}"
    for name, minimum in settings.minimums.items():
        value = page.components[name]["value"] if name in page.components else None
        if value is not None and value < minimum.value:
            yield f"{name} is {value:.1f}, below {minimum.value:g}"
    errors = sum(f.level == "error" for f in page.reported)
    if errors:
        yield format_count(errors, "finding of level error", "findings of level error")
