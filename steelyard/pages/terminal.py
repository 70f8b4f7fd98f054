"""One page on one screen, as wide as the terminal."""

from __future__ import annotations

import textwrap

from steelyard.pages import descriptions
from steelyard.pages.descriptions import LABELS, SCOPE, Line
from steelyard.pipeline import PageResult
from steelyard.scoring.finding import Finding
from steelyard.support import escape
from steelyard.support.formatting import format_count
from steelyard.support.table import draw_bar

PIPE_COLUMNS = 80  # to which text is wrapped where there is no terminal
MIN_COLUMNS, MAX_COLUMNS = 40, 120  # longer lines are hard to read
FULL = 80  # columns from which everything about a component fits on its line
NO_LABELS = 54  # columns from which it fits without the words that say what is measured
MIN_BAR, MAX_BAR = 6, 30
ACTION = 50  # columns of a suggestion's action beside its place
INDENT = 8


def render_page(result: PageResult, columns: int | None = None) -> list[Line]:
    """Return the screen as lines, each with its style.

    Args:
        columns: The width of the terminal. Without one (a pipe, a file) no name is shortened.
    """
    width = PIPE_COLUMNS if columns is None else max(MIN_COLUMNS, min(MAX_COLUMNS, columns))
    page = result.page
    settings = f"as of {page.as_of} · {descriptions.describe_scoring(page)} {page.scoring.hash}"
    facts = f"{page.language} · {format_count(page.words, 'word')} · {settings}"
    lines: list[Line] = [
        *_render_head(result, width, is_terminal=columns is not None),
        *_render_facts(facts, page.title or "", width),
        ("", "text"),
        *_render_components(result, width),
        *_wrap(descriptions.describe_blend(page), width, "dim"),
        *_wrap(descriptions.describe_placement(page), width, "text"),
        *_render_suggestions(result, width, is_terminal=columns is not None),
    ]
    for note, style in (*_list_constants(result), *descriptions.list_notes(result)):
        lines += _wrap(note, width, style)
    if result.extracted:
        lines += _wrap("lines are those of the text extracted from the HTML (see --with-text)", width, "dim")
    return lines


def _wrap(text: str, width: int, style: str) -> list[Line]:
    return [(line, style) for line in textwrap.wrap(text, width, subsequent_indent="  ") or [""]]


def _render_head(result: PageResult, width: int, *, is_terminal: bool) -> list[Line]:
    """Return the page's name and its score, on one line where there is room."""
    score = f"{result.page.score:.1f} of 100: {SCOPE}"
    name = escape.make_visible(result.source)
    room = width - len(score) - 2
    if escape.width(name) <= room or (is_terminal and width >= FULL):
        return [(f"{escape.fit(name, room, keep='end').rstrip()}  {score}", "head")]
    shown = escape.fit(name, width, keep="end").rstrip() if is_terminal else name
    return [(shown, "head"), *_wrap(score, width, "head")]


def _render_facts(facts: str, title: str, width: int) -> list[Line]:
    if width >= FULL:
        return [(escape.fit(f"{facts} · {title}" if title else facts, width).rstrip(), "dim")]
    titles: list[Line] = [(escape.fit(title, width).rstrip(), "dim")] if title else []
    return [*_wrap(facts, width, "dim"), *titles]


def _render_components(result: PageResult, width: int) -> list[Line]:
    page = result.page
    bar = min(MAX_BAR, MIN_BAR + max(0, width - FULL)) if width >= NO_LABELS else 0
    label = 26 if width >= FULL else 0
    measured, value = f"{'what it measures':<{label}}" if label else "", f"{'value':>{bar + 6}}"
    possible = "still possible" if bar else "left"
    last = 15 if bar else 7
    lines: list[Line] = [(f"{'component':<20}{measured}{value} {'points':>6}{possible:>{last}}", "dim")]
    for name in descriptions.sort_by_potential(page):
        reading, points = page.readings[name], page.contributions[name]
        words = f"{LABELS[name]:<{label}}" if label else ""
        drawn = draw_bar(reading.value, bar) if bar else ""
        figures = f"{reading.value:6.1f}{'*' if reading.degenerate else ' '}{points:6.2f}"
        row = f"{name:<20}{words}{drawn}{figures}{100 * page.weights[name] - points:{last}.2f}"
        lines.append((row, "warn" if reading.degenerate else "text"))
    return lines


def _render_suggestions(result: PageResult, width: int, *, is_terminal: bool) -> list[Line]:
    lines: list[Line] = []
    for suggestion in descriptions.pick_suggestions(result):
        lines += _render_suggestion(result, suggestion, width, is_terminal=is_terminal)
    return [*_wrap(descriptions.describe_gains(result), width, "dim"), *lines] if lines else []


def _render_suggestion(result: PageResult, suggestion: Finding, width: int, *, is_terminal: bool) -> list[Line]:
    """Return what to do, where, and the words it is about; the place has its own line where it does not fit."""
    gain = f"{suggestion.gain:+6.2f}  "
    action = descriptions.describe_action(suggestion)
    # Lines of extracted text are in no file.
    where = "" if result.extracted else escape.make_visible(f"{result.source}:{suggestion.line}")
    room = width - INDENT - ACTION - 1
    if width >= FULL and (is_terminal or escape.width(where) <= room):
        place = escape.fit(where, room, keep="end").rstrip()
        lines: list[Line] = [(f"{gain}{escape.fit(action, ACTION)} {place}".rstrip(), "good")]
    else:
        indent = " " * INDENT
        lines = [(line, "good") for line in textwrap.wrap(gain + action, width, subsequent_indent=indent)]
        if where:
            place = escape.fit(where, width - INDENT, keep="end").rstrip() if is_terminal else where
            lines.append((indent + place, "good"))
    if suggestion.quote:
        quoted = escape.fit(descriptions.describe_place(suggestion), width - INDENT).rstrip()
        lines.append((f"{'':{INDENT}}{quoted}", "dim"))
    return lines


def _list_constants(result: PageResult) -> list[Line]:
    """List the components that could not be measured, by reason."""
    names: dict[str, list[str]] = {}
    for name, reading in result.page.readings.items():
        if reading.degenerate:
            names.setdefault(reading.degenerate, []).append(name)
    return [(f"* not measured: {', '.join(group)} ({reason})", "warn") for reason, group in names.items()]
