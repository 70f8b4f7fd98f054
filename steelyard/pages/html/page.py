"""One page of the report: its components, suggestions, notes and text, folded away until it is opened."""

from __future__ import annotations

from steelyard.advice.finding import Finding
from steelyard.detectors import BY_NAME as DETECTORS
from steelyard.pages import descriptions, section_list
from steelyard.pages.html.parts import Cell, render_table
from steelyard.pages.reading import describe_doubt, describe_reading, render_outline
from steelyard.pipeline import PageResult
from steelyard.support import escape
from steelyard.support.formatting import format_count

LEVEL = 4  # of the headings in a page of the report


def render_page(result: PageResult, number: int, text: str, *, is_open: bool, extra: str = "") -> str:
    """Return a page; the link to it leads inside, which makes browsers open it.

    Args:
        result: The page.
        number: Its number in the report, from which its ids are made.
        text: Its text as HTML, in which suggestions have their places.
        is_open: Whether it is unfolded.
        extra: HTML that a report of several pages adds below the facts.
    """
    page = result.page
    title = f'<p class="title">{escape.html(page.title)}</p>' if page.title else ""
    facts = f"{page.language} · {format_count(page.words, 'word')} · {descriptions.describe_kind(result)} · "
    facts += f"{descriptions.describe_dates(result)} · {descriptions.describe_blend(page)}"
    facts += f" · {placed}" if (placed := page.meaning) else ""
    shown = page.held or f"{page.score:.1f}"
    suggestions = render_suggestions(result, f"p{number}", text)
    return (
        f'<details class="page"{" open" if is_open else ""}><summary><h3>{escape.html(result.source)}</h3> '
        f'<b>{escape.html(shown)}</b></summary><div id="p{number}">{title}<p class="dim">{escape.html(facts)}</p>'
        f"{_render_reading(result)}{render_flags(result)}{extra}{suggestions}{_render_components(result)}"
        f"{render_sections(result)}{render_notes(result)}<h4>Text with its evidence</h4>{text}"
        f"{render_outline(result.outline)}</div></details>"
    )


def _render_reading(result: PageResult) -> str:
    doubt = describe_doubt(result.reading)
    if doubt:
        return f'<p class="note">{escape.html(doubt)}</p>'
    return f'<p class="dim">{escape.html(describe_reading(result.reading))}</p>' if result.reading else ""


def render_flags(result: PageResult, level: int = LEVEL) -> str:
    """Return what the detectors that flag the page have found, in words."""
    items = "".join(f"<li>{escape.html(explain_flag(name))}</li>" for name in result.flagged)
    return f'<h{level}>Please check</h{level}><ul class="flags">{items}</ul>' if items else ""


def explain_flag(name: str) -> str:
    """Name a detector and say what it finds."""
    return f"{name.replace('_', ' ')}: {DETECTORS[name].about.rstrip('.')}" if name in DETECTORS else name


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


def render_sections(result: PageResult, level: int = LEVEL) -> str:
    """Return the table of a page's sections; an empty string where there are none to show."""
    sections = section_list.list_shown(result)
    if not sections:
        return ""
    rows = []
    for section in sections:
        name, evidence = section_list.name_section(section), section_list.describe_evidence(section)
        content = "–" if section.content is None else Cell(f"{section.content:.1f}", section.content)
        line = "" if result.extracted else f' <span class="dim">line {section.line}</span>'
        rows.append([f"{escape.html(name)}{line}", f"{section.words:,}", content, escape.html(evidence)])
    table = render_table("sections", "", ("section", "words", "content", "evidence"), rows, numbers="12")
    notes = (section_list.describe_extremes(sections), section_list.describe_gaps(sections))
    about = "".join(f'<p class="dim">{escape.html(note)}</p>' for note in notes if note)
    return f"<h{level}>Sections</h{level}>{table}{about}"


def render_suggestions(result: PageResult, prefix: str, text: str, level: int = LEVEL) -> str:
    """Return the suggestions, each as a link to its place where the text shows that.

    Args:
        result: The page.
        prefix: How the ids of the places begin.
        text: The page's text as HTML.
        level: Of the heading.
    """
    items = "".join(
        f"<li{_describe_span(s, extracted=result.extracted)}>{_render_gain(s)}{_render_action(s, place, text)} "
        f'<span class="dim">{escape.html(_describe(s, extracted=result.extracted))}</span> {_render_help(s)}</li>'
        for place, s in ((f"{prefix}-{at}", s) for at, s in enumerate(descriptions.pick_suggestions(result), start=1))
    )
    about = descriptions.describe_gains(result)
    if not about:
        return ""
    listed = f'<ol class="suggestions">{items}</ol>' if items else ""
    return f'<h{level}>Suggestions</h{level}><p class="dim">{escape.html(about)}</p>{listed}'


def _describe_span(suggestion: Finding, *, extracted: bool) -> str:
    """Return where a suggestion's words are in the text as it was written, for editors that can select them."""
    if extracted or not suggestion.quote:
        return ""
    return f' data-start="{suggestion.start}" data-end="{suggestion.end}"'


def _render_action(suggestion: Finding, place: str, text: str) -> str:
    action = escape.html(descriptions.describe_action(suggestion))
    return f'<a class="jump" href="#{place}">{action}</a>' if f'id="{place}"' in text else action


def _render_gain(suggestion: Finding) -> str:
    return f"<b>{suggestion.gain:+.2f}</b> " if suggestion.has_gain else ""


def _render_help(suggestion: Finding) -> str:
    return f'<a href="{escape.html(suggestion.help)}" rel="noreferrer">{escape.html(suggestion.rule)}</a>'


def _describe(suggestion: Finding, *, extracted: bool) -> str:
    line = "" if extracted else f"line {suggestion.line}"  # lines of extracted text are in no file
    place = descriptions.describe_place(suggestion)
    counted = f"counted: {suggestion.counted}" if suggestion.counted else ""
    return " ".join(f"{part}." for part in (line, place, counted) if part)


def render_notes(result: PageResult, level: int = LEVEL) -> str:
    """Return what a reader of the score must know besides the components."""
    notes = "".join(f"<li>{escape.html(note)}</li>" for note, _ in descriptions.list_notes(result))
    return f'<h{level}>Notes</h{level}><ul class="notes">{notes}</ul>'
