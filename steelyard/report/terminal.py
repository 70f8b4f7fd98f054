"""One page on one screen of 80 columns."""

from __future__ import annotations

import textwrap

from steelyard.pipeline import PageResult
from steelyard.report import descriptions
from steelyard.report.descriptions import LABELS, SCOPE, Line
from steelyard.support import escape
from steelyard.support.formatting import format_count
from steelyard.support.table import draw_bar

WIDTH = 80


def render_page(result: PageResult) -> list[Line]:
    """Return the screen as lines, each with its style."""
    page = result.page
    name = escape.fit(result.source, 22, keep="end").rstrip()
    settings = f"as of {page.as_of} · {descriptions.describe_scoring(page)} {page.scoring.hash}"
    title = f" · {page.title}" if page.title else ""
    facts = f"{page.language} · {format_count(page.words, 'word')} · {settings}{title}"
    lines: list[Line] = [
        (f"{name}  {page.score:.1f} of 100: {SCOPE}", "head"),
        (escape.fit(facts, WIDTH).rstrip(), "dim"),
        ("", "text"),
        (f"{'component':<20}{'what it measures':<26}{'value':>12} {'points':>6} still possible", "dim"),
    ]
    for component in descriptions.sort_by_potential(page):
        reading, points = page.readings[component], page.contributions[component]
        value = f"{draw_bar(reading.value, 6)}{reading.value:6.1f}{'*' if reading.degenerate else ' '}"
        possible = 100 * page.weights[component] - points
        row = f"{component:<20}{LABELS[component]:<26}{value}{points:6.2f}{possible:15.2f}"
        lines.append((row, "warn" if reading.degenerate else "text"))
    lines += [
        (descriptions.describe_blend(page), "dim"),
        (descriptions.describe_placement(page), "text"),
        *_render_suggestions(result),
    ]
    for note, style in (*_list_constants(result), *descriptions.list_notes(result)):
        lines += [(text, style) for text in textwrap.wrap(note, WIDTH, subsequent_indent="  ")]
    if result.extracted:
        lines.append(("lines are those of the text extracted from the HTML (see --with-text)", "dim"))
    return lines


def _render_suggestions(result: PageResult) -> list[Line]:
    lines: list[Line] = []
    for suggestion in descriptions.pick_suggestions(result):
        action = descriptions.describe_action(suggestion)
        where = "" if result.extracted else f"{result.source}:{suggestion.line}"  # lines of extracted text are nowhere
        fitted = escape.fit(where, 21, keep="end").rstrip()
        lines.append((f"{suggestion.gain:+6.2f}  {escape.fit(action, 50)} {fitted}".rstrip(), "good"))
        if suggestion.quote:
            place = descriptions.describe_place(suggestion)
            lines.append((f"{'':8}{escape.fit(place, WIDTH - 8).rstrip()}", "dim"))
    return [(descriptions.describe_gains(result), "dim"), *lines] if lines else []


def _list_constants(result: PageResult) -> list[Line]:
    """List the components that could not be measured, by reason."""
    names: dict[str, list[str]] = {}
    for name, reading in result.page.readings.items():
        if reading.degenerate:
            names.setdefault(reading.degenerate, []).append(name)
    return [(f"* not measured: {', '.join(group)} ({reason})", "warn") for reason, group in names.items()]
