"""Results and comparisons for the templates: every number with the formula and the quantities behind it."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from steelyard.errors import ReadingFailed
from steelyard.pages import reading
from steelyard.pages.compare_listing import MAX_PIECES
from steelyard.pages.descriptions import LABELS
from steelyard.pages.html.marks import list_spans
from steelyard.pages.html.page import MAX_TEXT, render_body
from steelyard.pages.html.text import render_text
from steelyard.pages.page_change import PATTERNED, PageChange
from steelyard.pipeline import PageResult
from steelyard.text.html import confidence

FIELD = "name the main part under Settings, in “CSS selector”"
PREFIX = "place"  # of the ids of the places of suggestions
LEVEL = 3  # of the headings in a result


def describe_result(result: PageResult) -> dict[str, Any]:
    """Return what the template of a result needs."""
    return {
        "score": result.page.score,
        "title": result.page.title,
        "has_text": result.text is not None,
        "body": Markup(name_field(render_body(result, PREFIX, LEVEL))),  # noqa: S704 - escaped by the report
        "marks": [] if result.extracted or result.text is None else list_spans(result),
    }


def name_field(text: str) -> str:
    """Return a text with the field that names the main part of a page, where it names options of the command line."""
    for remedy in (reading.REMEDY, confidence.REMEDY, ReadingFailed.REMEDY):
        text = text.replace(remedy, FIELD)
    return text


def _render_evidence(result: PageResult) -> Markup:
    """Return a page's text with its evidence marked, as the report shows it; empty where it was not kept."""
    if result.text is None:
        return Markup()
    legend, text = render_text(result, MAX_TEXT, only_evidence=False)
    return Markup(f'<div class="marked">{legend}{text}</div>')  # noqa: S704 - escaped there


def describe_comparison(old: PageResult, new: PageResult) -> dict[str, Any]:
    """Return what the template of a comparison needs."""
    page = PageChange.from_results(old, new)
    components = page.sort_components()
    return {
        "old": old,
        "new": new,
        "change": page.change,
        "components": [{"name": name, "label": LABELS[name], **component} for name, component in components],
        "steps": page.list_shown_steps(),
        "gained": _list_pieces(dict(components), "gained"),
        "lost": _list_pieces(dict(components), "lost"),
        "old_text": _render_evidence(old),
        "new_text": _render_evidence(new),
    }


def _list_pieces(components: dict[str, dict[str, Any]], key: str) -> list[dict[str, Any]]:
    """Return the pieces of evidence by component, a few of each."""
    return [
        {"label": LABELS[name], "pieces": pieces[:MAX_PIECES], "more": max(0, len(pieces) - MAX_PIECES)}
        for name in PATTERNED
        if (pieces := components[name][key])
    ]
