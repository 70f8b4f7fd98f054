"""A page's score and everything found on it, before any setting decides how serious that is."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

from steelyard.errors import MissingExtra, PageUnreadable
from steelyard.inputs.page_ref import HTML_SUFFIXES, PageRef
from steelyard.pipeline import PageError, PageResult, analyse
from steelyard.scoring.suggestions import SMALLEST_GAIN, WORDING, Finding
from steelyard.settings import Settings
from steelyard.text.decoding import decode
from steelyard.text.html import looks_like_html
from steelyard.workflow.html_places import HtmlPlaces
from steelyard.workflow.silence import find_silences

Measure = dict[str, Any]

_WORD = re.compile(r"\w+")
_FIRST_LINE = re.compile(r"\s*+(\S[^\n]*)")
GUARD_ACTIONS = {
    "near-empty": "write the page, or leave it out with exclude",
    "gibberish": "write words of the page's language",
    "word-salad": "write sentences",
}


@dataclass(frozen=True, slots=True)
class Place:
    """Lines and columns of a span, both from 1."""

    start: int
    end: int
    line: int
    column: int
    end_line: int
    end_column: int


class Lines:
    """Where the lines of a text begin."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(m.end() for m in re.finditer("\n", text))]

    def place(self, start: int, end: int) -> Place:
        """Return the place of a span."""
        return Place(start, end, *self._locate(start), *self._locate(max(start, end)))

    def _locate(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1


@dataclass(frozen=True, slots=True)
class Task:
    """A file to be measured: its path as it is reported, its content, and how."""

    path: str
    data: bytes
    settings: Settings


def measure_text(text: str, path: str, settings: Settings) -> Measure:
    """Return what is known of a page: its numbers, and its findings with their places in `text`, as plain data.

    Raises:
        PageUnreadable: It cannot be scored.
        MissingExtra: It is HTML, and the extra that reads HTML is not installed.
    """
    is_html = path.lower().endswith(HTML_SUFFIXES) or looks_like_html(text)
    return describe_result(analyse(PageRef(path, text=text, html=is_html), settings), text)


def describe_result(result: PageResult, text: str) -> Measure:
    """Return what `measure_text` returns, for a page that is analysed already, with its text kept."""
    page = result.page
    writer = _Writer(result, text)
    found = [*_find_guard(result), *result.findings, *_find_manipulation(result)]
    found += [
        Finding("comment", "", 0.0, 0.0, m.start, m.end, 0, text[m.start : m.end], m.reason, "")
        for m in writer.silences.mistakes
    ]
    return {
        "score": page.score,
        "content": page.content,
        "words": page.words,
        "language": page.language,
        "edition": page.scoring.edition,
        "hash": page.scoring.hash,
        "components": {
            name: {"value": reading.value, "points": page.contributions[name]}
            for name, reading in page.readings.items()
        },
        "findings": sorted((writer.write(finding) for finding in found), key=lambda f: (f["start"], f["rule"])),
    }


def measure_task(task: Task, core: str) -> Measure | PageError:
    """Measure a file with the core of the run; whatever goes wrong with it becomes a PageError."""
    try:
        return measure_text(decode(task.data, task.path), task.path, replace(task.settings, core=core))
    except (PageUnreadable, MissingExtra) as error:
        return PageError(task.path, str(error))
    except Exception as error:  # noqa: BLE001 - a bug on one page must not lose the others
        fault = f"{type(error).__name__}: {error}"
        return PageError(task.path, f"{task.path}: checking failed ({fault}); this is a bug, please report the page")


class _Writer:
    """Writes the findings of one page as plain data."""

    def __init__(self, result: PageResult, text: str) -> None:
        self._scored = result.text or ""
        self._text = text
        self._places = HtmlPlaces(text) if result.extracted else None
        self._seen: Counter[tuple[str, str]] = Counter()
        self.lines = Lines(text)
        self.silences = find_silences(text)

    def write(self, finding: Finding) -> dict[str, Any]:
        """Return a finding with its place in the file, its fingerprint, and whether a comment silences it."""
        rule, span = finding.component, (finding.start, finding.end)
        in_file = self._places is None or rule == "comment"
        quoted = (self._text if in_file else self._scored)[slice(*span)] if finding.quote else ""
        words = " ".join(_WORD.findall(quoted.lower()))
        number = self._seen[rule, words]
        self._seen[rule, words] += 1
        if self._places is not None and not in_file:
            span = self._places.find(finding.quote, number) or _first_line(self._text)
        is_silenced = self.silences.cover(rule, span[0])
        if not finding.quote:  # the whole page
            is_silenced = is_silenced or self.silences.cover(rule, len(self._text))
        return {
            "rule": rule,
            "message": finding.why or "the page is short",
            "action": finding.action,
            "counted": finding.counted,
            "cost": finding.uncapped if rule in WORDING or rule == "guard" else None,
            "is_capped": finding.gain < finding.uncapped - SMALLEST_GAIN,
            "quote": finding.quote,
            "fingerprint": hashlib.sha256(f"{rule}\0{words}\0{number}".encode()).hexdigest()[:16],
            "is_silenced": is_silenced,
            **_span(self.lines.place(*span)),
        }


def _span(place: Place) -> dict[str, int]:
    return {name: getattr(place, name) for name in Place.__slots__}


def _first_line(text: str) -> tuple[int, int]:
    """Return the span of the first line that is not blank, with the blanks before it on that line."""
    found = _FIRST_LINE.match(text)
    return (text.rfind("\n", 0, found.start(1)) + 1, found.end()) if found else (0, 0)


def _find_guard(result: PageResult) -> list[Finding]:
    page = result.page
    if page.guard is None:
        return []
    why = f"{page.guard} page, so its score is fixed ({page.guard_reason})"
    lost = max(0.0, page.blended - page.score)
    span = _first_line(result.text or "")
    return [Finding("guard", GUARD_ACTIONS.get(page.guard, ""), lost, lost, *span, 1, "", why, "")]


def _find_manipulation(result: PageResult) -> list[Finding]:
    """Return the places that the detectors flag."""
    report = result.manipulation
    if report is None:
        return []
    flagged = set(result.flagged)
    located = {e.detector for e in report.evidence}
    text = result.text or ""
    found = [
        Finding(
            "manipulation", "", 0.0, 0.0, e.start, e.end, e.line, " ".join(text[e.start : e.end][:160].split()), why, ""
        )
        for e in report.evidence
        if e.detector in flagged and (why := _describe_detector(e.detector))
    ]
    nowhere = [name for name in result.flagged if name not in located]
    top = _first_line(text)
    return [
        *found,
        *(Finding("manipulation", "", 0.0, 0.0, *top, 1, "", _describe_detector(name), "") for name in nowhere),
    ]


def _describe_detector(name: str) -> str:
    return f"a detector flags this as manipulation: {name.replace('_', ' ')}"
