"""One page on one screen of 80 columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from steelyard.pipeline import PageResult
from steelyard.report import steps
from steelyard.report.scope import SCOPE
from steelyard.support import escape
from steelyard.support.bar import bar
from steelyard.support.wording import counted

if TYPE_CHECKING:
    from steelyard.detectors.layered_filter import ManipulationReport

SHOWN_MOVES = 3
WIDTH = 80
Line = tuple[str, str]  # text, style


def lines(result: PageResult) -> list[Line]:
    """The screen, as lines with a style each: head, text, good, dim or warn."""
    page = result.page
    out: list[Line] = [
        (f"{escape.fit(result.source, 22, keep='end').rstrip()}  {page.score:.1f} of 100: {SCOPE}", "head")
    ]
    title = f" · {page.title}" if page.title else ""
    how = f"as of {page.as_of} · weights {page.scoring.weights} {page.scoring.hash}"
    head = f"{page.language} · {counted(page.words, 'word')} · {how}"
    out += [(escape.fit(head + title, WIDTH).rstrip(), "dim"), ("", "text")]
    out.append((f"{'component':<21}{'value':<28}{'points':>14}{'to be had':>12}", "dim"))
    for name in steps.most_to_be_had(page):
        reading, points, most = page.readings[name], page.contributions[name], 100 * page.weights[name]
        mark = "*" if reading.degenerate else " "
        value = f"{bar(reading.value)} {reading.value:6.1f}{mark}"
        row = f"{name:<21}{value}{points:7.2f} of {most:5.2f}{most - points:10.2f}"
        out.append((row, "warn" if reading.degenerate else "text"))
    out += [(steps.blend(page), "dim"), ("", "text")]
    out += _moves(result)
    out += _notes(result)
    return out


def _moves(result: PageResult) -> list[Line]:
    if result.page.guard is not None:
        return []
    best: dict[str, Line] = {}
    for move in result.suggestions:
        where = f"extracted line {move.line}" if result.extracted else f"{result.source}:{move.line}"
        place = escape.fit(where, 21, keep="end").rstrip()
        best.setdefault(move.component, (f"{move.gain:+6.2f}  {escape.fit(move.action, 50)} {place}", "good"))
    shown = list(best.values())[:SHOWN_MOVES]
    return (
        [("worth most, by the formulas themselves (one sentence of 25 words, or one repair)", "dim"), *shown]
        if shown
        else []
    )


def manipulation_lines(found: ManipulationReport) -> list[Line]:
    """Flagged or not, by which detectors, and where; the score is not touched by it."""
    if not found.flagged:
        rate = f"{found.threshold:.2f} is set at {found.false_positive_rate:.0%} of clean pages"
        return [(f"manipulation: nothing found (suspicion {found.suspicion:.2f}; {rate})", "dim")]
    shown: list[Line] = []
    for name, signal in found.signals.items():
        if signal.flagged:
            places = sorted({e.line for e in found.evidence if e.detector == name})[:4]
            where = f", line {', '.join(map(str, places))}" if places else ""
            figure = f"{signal.statistic:.2f} over {signal.threshold:.2f}"
            shown.append((f"manipulation: {name.replace('_', ' ')} ({figure}{where})", "warn"))
    return shown


def _notes(result: PageResult) -> list[Line]:
    page = result.page
    notes: list[Line] = []
    if page.guard is not None:
        notes.append((f"guard: {page.guard} ({page.guard_reason}); the components are shown but do not count", "warn"))
    if page.cap is not None and page.guard is None:
        state = "binds" if page.blended > page.cap else "does not bind"
        notes.append((f"cap: {page.cap:.0f} points for a page of {counted(page.words, 'word')}; it {state}", "warn"))
    constants: dict[str, list[str]] = {}
    for name, reading in page.readings.items():
        if reading.degenerate:
            constants.setdefault(reading.degenerate, []).append(name)
    notes += [(f"* not measured: {', '.join(names)} ({reason})", "warn") for reason, names in constants.items()]
    if page.detected != page.language:
        notes.append((f"language: looks like {page.detected!r}, scored as {page.language!r} because you asked", "warn"))
    if result.manipulation is not None:
        notes += manipulation_lines(result.manipulation)
    if result.extracted:
        notes.append(("lines are of the text extracted from the HTML; --format json --with-text prints it", "dim"))
    if all(v == 50.0 for v in page.fresh.terms.values()):
        notes.append(("freshness: no evidence in the page, so 50", "warn"))
    return [*((escape.fit(t, WIDTH).rstrip(), s) for t, s in notes), (page.unvalidated.line(), "dim")]
