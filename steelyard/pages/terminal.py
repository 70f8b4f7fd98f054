"""One page on one screen, as wide as the terminal."""

from __future__ import annotations

import textwrap

from steelyard.advice.finding import Finding
from steelyard.pages import descriptions, section_list
from steelyard.pages.descriptions import LABELS, SCOPE, Line
from steelyard.pages.reading import describe_doubt, describe_reading, list_outline
from steelyard.pipeline import PageResult
from steelyard.support import escape
from steelyard.support.formatting import format_count
from steelyard.support.table import draw_bar

PIPE_COLUMNS = 80  # to which text is wrapped where there is no terminal
MIN_COLUMNS, MAX_COLUMNS = 40, 120  # longer lines are hard to read
FULL = 80  # columns from which everything about a component fits on its line
NO_LABELS = 54  # columns from which it fits without the words that say what is measured
MIN_BAR, MAX_BAR = 6, 30
MAX_SECTIONS = 8  # that are listed
MIN_SECTION, MAX_SECTION = 12, 40  # columns of a heading
OTHER_COLUMNS = 34  # of a line with a section
MIN_NAME = 18  # columns of a page's name beside its score
ACTION = 50  # columns of a suggestion's action beside its place
INDENT = 8


def render_page(result: PageResult, columns: int | None = None, *, show_text: bool = False) -> list[Line]:
    """Return the screen as lines, each with its style.

    Args:
        columns: The width of the terminal. Without one (a pipe, a file) no name is shortened.
        show_text: Whether to show what was read of HTML, and what was left out.
    """
    width = PIPE_COLUMNS if columns is None else max(MIN_COLUMNS, min(MAX_COLUMNS, columns))
    page = result.page
    settings = f"as of {page.as_of} · {descriptions.describe_scoring(page)} {page.scoring.hash}"
    facts = f"{page.language} · {format_count(page.words, 'word')} · {descriptions.describe_kind(result)} · {settings}"
    lines: list[Line] = [
        *_render_head(result, width, is_terminal=columns is not None),
        *((_wrap(doubt, width, "warn")) if (doubt := describe_doubt(result.reading)) else ()),
        *_render_facts(facts, page.title or "", width),
        *_wrap(descriptions.describe_dates(result), width, "dim"),
        ("", "text"),
        *_render_components(result, width),
        *_wrap(descriptions.describe_blend(page), width, "dim"),
        *(_wrap(page.meaning, width, "text") if page.meaning else ()),
        *_render_suggestions(result, width, is_terminal=columns is not None),
        *_render_sections(result, width),
    ]
    for note, style in (*_list_constants(result), *descriptions.list_notes(result)):
        lines += _wrap(note, width, style)
    if result.extracted:
        read = "" if doubt else f"{describe_reading(result.reading)}; "
        lines += _wrap(f"{read}lines are those of the text extracted from the HTML (see --with-text)", width, "dim")
    if show_text:
        lines += [("", "text"), *list_outline(result.outline, width)]
    return lines


def _wrap(text: str, width: int, style: str) -> list[Line]:
    return [(line, style) for line in textwrap.wrap(text, width, subsequent_indent="  ") or [""]]


def _render_head(result: PageResult, width: int, *, is_terminal: bool) -> list[Line]:
    """Return the page's name and its score, on one line where there is room."""
    score = f"{result.page.held or f'{result.page.score:.1f} of 100'}: {SCOPE}"
    name = escape.make_visible(result.source)
    room = width - len(score) - 2
    if escape.width(name) <= room or (is_terminal and width >= FULL and room >= MIN_NAME):
        return [(f"{escape.fit(name, room, keep='end').rstrip()}  {score}", "head")]
    shown = escape.fit(name, width, keep="end").rstrip() if is_terminal else name
    return [(shown, "head"), *_wrap(score, width, "head")]


def _render_facts(facts: str, title: str, width: int) -> list[Line]:
    if width >= FULL and escape.width(facts) <= width:  # the hash is never cut
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
    about = descriptions.describe_gains(result)
    return [*_wrap(about, width, "dim"), *lines] if about else []


def _render_suggestion(result: PageResult, suggestion: Finding, width: int, *, is_terminal: bool) -> list[Line]:
    """Return what to do, where, and the words it is about; the place has its own line where it does not fit."""
    gain = f"{suggestion.gain:+6.2f}  " if suggestion.has_gain else " " * INDENT
    action = descriptions.describe_action(suggestion)
    # Lines of extracted text are in no file.
    where = "" if result.extracted else escape.make_visible(f"{result.source}:{suggestion.line}")
    room = width - INDENT - ACTION - 1
    if where and width >= FULL and (is_terminal or escape.width(where) <= room):
        place = escape.fit(where, room, keep="end").rstrip()
        lines: list[Line] = [(f"{gain}{escape.fit(action, ACTION)} {place}".rstrip(), "good")]
    else:
        indent = " " * INDENT
        lines = [(line, "good") for line in textwrap.wrap(gain + action, width, subsequent_indent=indent)]
        if where:
            place = escape.fit(where, width - INDENT, keep="end").rstrip() if is_terminal else where
            lines.append((indent + place, "good"))
    indent, why = " " * INDENT, descriptions.describe_place(suggestion)
    if suggestion.quote:  # the words may be cut
        return [*lines, (indent + escape.fit(why, width - INDENT).rstrip(), "dim")]
    return [*lines, *((line, "dim") for line in textwrap.wrap(indent + why, width, subsequent_indent=indent))]


def _render_sections(result: PageResult, width: int) -> list[Line]:
    """Return a few sections as a table, and which of all is the weakest and the strongest."""
    sections = section_list.list_shown(result)
    if not sections:
        return []
    room = max(MIN_SECTION, min(MAX_SECTION, width - OTHER_COLUMNS))
    table = section_list.make_table(
        sections[:MAX_SECTIONS], width=room, with_lines=not result.extracted, with_kinds=False
    )
    head, *rows = (escape.fit(line, width).rstrip() for line in table.to_terminal())
    rest = section_list.describe_rest(len(sections), MAX_SECTIONS)
    return [
        (head, "dim"),
        *((row, "text") for row in rows),
        *([(rest, "dim")] if rest else []),
        *_wrap(section_list.describe_extremes(sections), width, "text"),
    ]


def _list_constants(result: PageResult) -> list[Line]:
    """List the components that could not be measured, by reason."""
    names: dict[str, list[str]] = {}
    for name, reading in result.page.readings.items():
        if reading.degenerate:
            names.setdefault(reading.degenerate, []).append(name)
    return [(f"* not measured: {', '.join(group)} ({reason})", "warn") for reason, group in names.items()]
