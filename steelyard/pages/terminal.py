"""One page on one screen, as wide as the terminal."""

from __future__ import annotations

import textwrap
from dataclasses import replace

from steelyard.advice.finding import Finding
from steelyard.advice.places import locate_in_html
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
INDENT = 8


def render_page(
    result: PageResult, columns: int | None = None, *, show_text: bool = False, html: str | None = None
) -> list[Line]:
    """Return the screen as lines, each with its style.

    Args:
        columns: The width of the terminal. Without one (a pipe, a file) no name is shortened.
        show_text: Whether to show what was read of HTML, and what was left out.
        html: The file of a page that was extracted from one, in which the places of suggestions are.
    """
    width = PIPE_COLUMNS if columns is None else max(MIN_COLUMNS, min(MAX_COLUMNS, columns))
    page = result.page
    settings = f"as of {page.as_of} · {descriptions.describe_scoring(page)}"
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
        *_render_suggestions(result, width, html, is_terminal=columns is not None),
        *_render_sections(result, width),
    ]
    for note, style in (*_list_constants(result), *descriptions.list_notes(result)):
        lines += _wrap(note, width, style)
    if result.extracted and not doubt:
        lines += _wrap(describe_reading(result.reading), width, "dim")
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
    if width >= FULL and escape.width(facts) <= width:
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


def _render_suggestions(result: PageResult, width: int, html: str | None, *, is_terminal: bool) -> list[Line]:
    if html is not None:
        result = replace(result, findings=tuple(locate_in_html(result.findings, html)))
    has_lines = html is not None or not result.extracted  # lines of extracted text are in no file
    lines: list[Line] = []
    for suggestion in descriptions.pick_suggestions(result):
        place = f"{result.source}:{suggestion.line}:{suggestion.column} " if has_lines else ""
        lines += _render_suggestion(suggestion, place, width, is_terminal=is_terminal)
    about = descriptions.describe_gains(result)
    return [*_wrap(about, width, "dim"), *lines] if about else []


def _render_suggestion(suggestion: Finding, place: str, width: int, *, is_terminal: bool) -> list[Line]:
    """Return what is wrong and what to do, then the place, the rule by its name, and the words it is about."""
    gain = f"{suggestion.gain:+6.2f}  " if suggestion.has_gain else " " * INDENT
    indent = " " * INDENT
    what = escape.make_visible(descriptions.describe_change(suggestion))
    lines: list[Line] = [(line, "good") for line in textwrap.wrap(gain + what, width, subsequent_indent=indent)]
    where = f"{indent}{escape.make_visible(place)}[{suggestion.rule}]"
    about = escape.make_visible(descriptions.describe_words(suggestion))
    if is_terminal:  # which has one line for it
        shown = where if escape.width(where) <= width - MIN_NAME else f"{indent}[{suggestion.rule}]"
        return [*lines, (escape.fit(f"{shown} {about}".rstrip(), width).rstrip(), "dim")]
    if not about or escape.width(where) + escape.width(about) < width:
        return [*lines, (f"{where} {about}".rstrip(), "dim")]
    return [
        *lines,
        (where, "dim"),
        *((line, "dim") for line in textwrap.wrap(indent + about, width, subsequent_indent=indent)),
    ]


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
