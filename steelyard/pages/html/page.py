"""One page of the report: its components, suggestions, notes and text, folded away until it is opened."""

from __future__ import annotations

from steelyard.advice.finding import Finding
from steelyard.pages import descriptions, section_list
from steelyard.pages.html.parts import Cell, render_table
from steelyard.pages.reading import describe_doubt, describe_reading, render_outline
from steelyard.pipeline import PageResult
from steelyard.support import escape
from steelyard.support.formatting import format_count


def render_page(result: PageResult, number: int, text: str, *, is_open: bool) -> str:
    """Return a page; `text` is its text as HTML. The link to it leads inside, which makes browsers open it."""
    page = result.page
    title = f'<p class="title">{escape.html(page.title)}</p>' if page.title else ""
    facts = f"{page.language} · {format_count(page.words, 'word')} · {descriptions.describe_kind(result)} · "
    facts += f"{descriptions.describe_dates(result)} · {descriptions.describe_blend(page)}"
    facts += f" · {placed}" if (placed := page.meaning) else ""
    shown = page.held or f"{page.score:.1f}"
    return (
        f'<details class="page"{" open" if is_open else ""}><summary><h3>{escape.html(result.source)}</h3> '
        f'<b>{escape.html(shown)}</b></summary><div id="p{number}">{title}<p class="dim">{escape.html(facts)}</p>'
        f"{_render_reading(result)}{_render_suggestions(result)}{_render_components(result)}{_render_sections(result)}"
        f"{_render_notes(result)}<h4>Text with its evidence</h4>{text}{render_outline(result.outline)}</div></details>"
    )


def _render_reading(result: PageResult) -> str:
    doubt = describe_doubt(result.reading)
    if doubt:
        return f'<p class="note">{escape.html(doubt)}</p>'
    return f'<p class="dim">{escape.html(describe_reading(result.reading))}</p>' if result.reading else ""


def _render_components(result: PageResult) -> str:
    page = result.page
    rows = []
    for name in descriptions.sort_by_potential(page):
        reading, points, most = page.readings[name], page.contributions[name], 100 * page.weights[name]
        reason = f"constant: {reading.degenerate}" if reading.degenerate else ""
        measured = f"{escape.html(descriptions.LABELS[name])}{f' <i>({escape.html(reason)})</i>' if reason else ''}"
        rows.append([name, measured, Cell(f"{reading.value:.1f}", reading.value), f"{points:.2f} of {most:.2f}"])
    heads = ("component", "what it measures", "value", "points")
    return f"<h4>Components</h4>{render_table('components', '', heads, rows, numbers='23')}"


def _render_sections(result: PageResult) -> str:
    sections = section_list.list_shown(result)
    if not sections:
        return ""
    rows = []
    for section in sections:
        name, evidence = section_list.name_section(section), section_list.describe_evidence(section)
        content = "–" if section.content is None else Cell(f"{section.content:.1f}", section.content)
        rows.append([escape.html(name), f"{section.words:,}", content, escape.html(evidence)])
    table = render_table("sections", "", ("section", "words", "content", "evidence"), rows, numbers="12")
    notes = (section_list.describe_extremes(sections), section_list.describe_gaps(sections))
    about = "".join(f'<p class="dim">{escape.html(note)}</p>' for note in notes if note)
    return f"<h4>Sections</h4>{table}{about}"


def _render_suggestions(result: PageResult) -> str:
    items = "".join(
        f"<li>{_render_gain(s)}{escape.html(descriptions.describe_action(s))} "
        f'<span class="dim">{escape.html(_describe(s, extracted=result.extracted))}</span> {_render_help(s)}</li>'
        for s in descriptions.pick_suggestions(result)
    )
    if not items:
        return ""
    about = f'<p class="dim">{escape.html(descriptions.describe_gains(result))}</p>'
    return f'<h4>Suggestions</h4>{about}<ul class="suggestions">{items}</ul>'


def _render_gain(suggestion: Finding) -> str:
    return f"<b>{suggestion.gain:+.2f}</b> " if suggestion.has_gain else ""


def _render_help(suggestion: Finding) -> str:
    return f'<a href="{escape.html(suggestion.help)}" rel="noreferrer">{escape.html(suggestion.rule)}</a>'


def _describe(suggestion: Finding, *, extracted: bool) -> str:
    line = "" if extracted else f"line {suggestion.line}"  # lines of extracted text are in no file
    place = descriptions.describe_place(suggestion)
    counted = f"counted: {suggestion.counted}" if suggestion.counted else ""
    return " ".join(f"{part}." for part in (line, place, counted) if part)


def _render_notes(result: PageResult) -> str:
    notes = "".join(f"<li>{escape.html(note)}</li>" for note, _ in descriptions.list_notes(result))
    return f'<h4>Notes</h4><ul class="notes">{notes}</ul>'
