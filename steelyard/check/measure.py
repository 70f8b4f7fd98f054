"""Measure a page: its score and all findings, before any setting decides how serious they are."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace

from steelyard.advice.finding import Finding, Gain
from steelyard.advice.places import first_line, identify, locate_in_html
from steelyard.advice.rules import RULES
from steelyard.check.result import CheckedFinding, CheckedPage
from steelyard.check.silence import find_silences
from steelyard.errors import MissingExtra, PageUnreadable
from steelyard.inputs.page_ref import PageRef
from steelyard.pipeline import PageError, PageResult, analyse
from steelyard.settings import Settings
from steelyard.text.decoding import decode
from steelyard.text.positions import Lines, Location

MAX_QUOTE = 160  # characters of what a detector flags
GUARD_ACTIONS = {
    "near-empty": "write the page, or leave it out with exclude",
    "gibberish": "write words of the page's language",
    "word-salad": "write sentences",
}


@dataclass(frozen=True, slots=True)
class Task:
    """A file to be measured: its path as it is reported, its content, and the settings."""

    path: str
    data: bytes
    settings: Settings


def measure_text(text: str, path: str, settings: Settings) -> CheckedPage:
    """Return a page with its findings at their places in `text`, not judged yet.

    Raises:
        PageUnreadable: It cannot be scored.
        MissingExtra: It is HTML, and the extra that reads HTML is not installed.
    """
    return describe_result(analyse(PageRef.from_text(path, text), settings), text)


def describe_result(result: PageResult, text: str) -> CheckedPage:
    """Return what `measure_text` returns, for a page that is analysed already, with its text kept."""
    page = result.page
    return CheckedPage(
        path=result.source,
        score=page.score,
        content=page.content,
        words=page.words,
        language=page.language,
        edition=page.scoring.edition,
        hash=page.scoring.hash,
        components={
            name: {"value": reading.value, "points": page.contributions[name]}
            for name, reading in page.readings.items()
        },
        held=page.held,
        lift=page.lift,
        reading=result.reading,
        findings=tuple(sorted(_check_findings(result, text), key=lambda f: (f.start, f.rule))),
        kind=result.kind,
    )


def measure_task(task: Task, core: str) -> CheckedPage | PageError:
    """Measure a file with the core of the run; whatever goes wrong with it becomes a PageError."""
    try:
        return measure_text(decode(task.data, task.path), task.path, replace(task.settings, core=core))
    except (PageUnreadable, MissingExtra) as error:
        return PageError.from_error(task.path, error)
    except Exception as error:  # noqa: BLE001 - a bug on one page must not lose the others
        fault = f"{type(error).__name__}: {error}"
        return PageError(task.path, f"{task.path}: checking failed ({fault}); this is a bug, please report the page")


def _check_findings(result: PageResult, text: str) -> Iterator[CheckedFinding]:
    """Yield the findings of a page at their places in the file, each with its fingerprint, and silenced or not."""
    scored = result.text or ""
    on_page = [*_find_guard(result), *result.findings, *_find_manipulation(result)]
    silences = find_silences(text)
    lines = Lines(text)
    in_comments = [
        RULES["comment"].make(lines.locate(m.start, m.end), m.reason, quote=text[m.start : m.end])
        for m in silences.mistakes
    ]
    located = locate_in_html(on_page, text) if result.extracted else on_page
    quoted = [scored[f.start : f.end] if f.quote else "" for f in on_page] + [f.quote for f in in_comments]
    seen: Counter[tuple[str, str]] = Counter()
    for finding, whole in zip((*located, *in_comments), quoted, strict=True):
        words, number = identify(finding.rule, whole, seen)
        is_silenced = silences.cover(finding.rule, finding.start)
        if not finding.quote:  # the whole page
            is_silenced = is_silenced or silences.cover(finding.rule, len(text))
        fingerprint = hashlib.sha256(f"{finding.rule}\0{words}\0{number}".encode()).hexdigest()[:16]
        yield CheckedFinding(**asdict(finding), fingerprint=fingerprint, is_silenced=is_silenced)


def _find_guard(result: PageResult) -> list[Finding]:
    page = result.page
    if page.guard is None:
        return []
    text = result.text or ""
    lost = max(0.0, page.blended - page.score)
    return [
        RULES["guard"].make(
            Lines(text).locate(*first_line(text)),
            f"{page.guard} page, so its score is fixed ({page.guard_reason})",
            gain=Gain(lost, lost),
            action=GUARD_ACTIONS.get(page.guard, ""),
        )
    ]


def _find_manipulation(result: PageResult) -> Iterator[Finding]:
    """Yield what the detectors flag: every place, and the page for a detector that names none."""
    report = result.manipulation
    if report is None or not result.flagged:
        return
    text = result.text or ""
    lines = Lines(text)
    spans = [(e.detector, e.start, e.end) for e in report.evidence if e.detector in result.flagged]
    for detector, start, end in spans:
        quote = " ".join(text[start:end][:MAX_QUOTE].split())
        yield _flag(detector, lines.locate(start, end), quote)
    located = {detector for detector, *_ in spans}
    for detector in result.flagged:
        if detector not in located:
            yield _flag(detector, lines.locate(*first_line(text)))


def _flag(detector: str, location: Location, quote: str = "") -> Finding:
    why = f"a detector flags this as manipulation: {detector.replace('_', ' ')}"
    return RULES["manipulation"].make(location, why, quote=quote)
