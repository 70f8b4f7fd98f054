"""One page of the report: its components, suggestions, notes and text, folded away until it is opened."""

from __future__ import annotations

from steelyard.pages import descriptions
from steelyard.pages.html.parts import Cell, render_table
from steelyard.pipeline import PageResult
from steelyard.scoring.finding import Finding
from steelyard.support import escape
from steelyard.support.formatting import format_count


def render_page(result: PageResult, number: int, text: str, *, is_open: bool) -> str:
    """Return a page; `text` is its text as HTML. The link to it leads inside, which makes browsers open it."""
    page = result.page
    title = f'<p class="title">{escape.html(page.title)}</p>' if page.title else ""
    facts = f"{page.language} · {format_count(page.words, 'word')} · {descriptions.describe_blend(page)}"
    facts += f" · {placed}" if (placed := descriptions.describe_placement(page)) else ""
    return (
        f'<details class="page"{" open" if is_open else ""}><summary><h3>{escape.html(result.source)}</h3> '
        f'<b>{page.score:.1f}</b></summary><div id="p{number}">{title}<p class="dim">{escape.html(facts)}</p>'
        f"{_render_suggestions(result)}{_render_components(result)}{_render_notes(result)}"
        f"<h4>Text with its evidence</h4>{text}</div></details>"
    )


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


def _render_suggestions(result: PageResult) -> str:
    items = "".join(
        f"<li><b>{s.gain:+.2f}</b> {escape.html(descriptions.describe_action(s))} "
        f'<span class="dim">{escape.html(_describe(s, extracted=result.extracted))}</span></li>'
        for s in descriptions.pick_suggestions(result)
    )
    if not items:
        return ""
    about = f'<p class="dim">{escape.html(descriptions.describe_gains(result))}</p>'
    return f'<h4>Suggestions</h4>{about}<ul class="suggestions">{items}</ul>'


def _describe(suggestion: Finding, *, extracted: bool) -> str:
    line = "" if extracted else f"line {suggestion.line}"  # lines of extracted text are in no file
    place, counted = descriptions.describe_place(suggestion), f"counted: {suggestion.counted}"
    return " ".join(f"{part}." for part in (line, place, counted) if part)


def _render_notes(result: PageResult) -> str:
    notes = "".join(f"<li>{escape.html(note)}</li>" for note, _ in descriptions.list_notes(result))
    return f'<h4>Notes</h4><ul class="notes">{notes}</ul>'
