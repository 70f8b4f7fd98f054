"""Results and comparisons for the templates: every number with the formula and the quantities behind it."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from steelyard.advice.gains import ADDED_WORDS, gains_of_one_more
from steelyard.components import COMPONENTS
from steelyard.pages import descriptions, section_list
from steelyard.pages.compare_listing import MAX_PIECES
from steelyard.pages.descriptions import LABELS
from steelyard.pages.explain import explain_freshness, explain_score
from steelyard.pages.html.marks import render_legend
from steelyard.pages.html.text import render_text
from steelyard.pages.page_change import PATTERNED, PageChange
from steelyard.pages.reading import describe_doubt, describe_reading, render_outline
from steelyard.pipeline import PageResult
from steelyard.scoring.page import transform
from steelyard.scoring.sections import Section
from steelyard.support.formatting import format_count, format_signed

MAX_SHOWN = 60_000  # characters shown with their evidence
MAX_VALUES = 20  # of a quantity that is a list
_BY_NAME = {component.name: component for component in COMPONENTS}


def describe_result(result: PageResult) -> dict[str, Any]:
    """Return what the template of a result needs."""
    page, sections = result.page, section_list.list_shown(result)
    words = format_count(page.words, "word")
    facts = [
        page.language,
        words,
        descriptions.describe_kind(result),
        descriptions.describe_dates(result),
        f"as of {page.as_of}",
        descriptions.describe_scoring(page),
    ]
    return {
        "score": page.score,
        "held": page.held,
        "source": result.source,
        "title": page.title,
        "facts": " · ".join(facts),
        "reading": describe_reading(result.reading),
        "doubt": describe_doubt(result.reading),
        "outline": Markup(render_outline(result.outline)),  # noqa: S704 - escaped there
        "blend": descriptions.describe_blend(page),
        "meaning": page.meaning,
        "gains": descriptions.describe_gains(result),
        "suggestions": [
            {
                "gain": format_signed(s.gain) if s.gain is not None and s.has_gain else "",
                "action": descriptions.describe_action(s),
                "place": descriptions.describe_place(s),
                "line": None if result.extracted else s.line,
                "counted": s.counted,
                "rule": s.rule,
                "help": s.help,
            }
            for s in descriptions.pick_suggestions(result)
        ],
        "one_more": [] if page.guard else list(gains_of_one_more(page).items()),
        "added_words": ADDED_WORDS,
        "components": [_describe_component(result, name) for name in descriptions.sort_by_potential(page)],
        "sections": [_describe_section(section, has_lines=not result.extracted) for section in sections],
        "section_notes": [section_list.describe_extremes(sections), section_list.describe_gaps(sections)],
        "freshness": page.freshness,
        "freshness_steps": explain_freshness(page),
        "steps": explain_score(page),
        "notes": [note for note, _ in descriptions.list_notes(result)],
        "legend": Markup(render_legend(detect=bool(result.flagged))),  # noqa: S704 - escaped by the report
        "text": _render_evidence(result),
    }


def _render_evidence(result: PageResult) -> Markup:
    """Return a page's text with its evidence marked, as the report shows it."""
    return Markup(render_text(result, MAX_SHOWN, only_evidence=False))  # noqa: S704 - escaped by the report


def _describe_component(result: PageResult, name: str) -> dict[str, Any]:
    """Return the points of a component, and how they follow from what was counted."""
    page, component = result.page, _BY_NAME[name]
    reading, weight = page.readings[name], page.weights[name]
    calculation = f"{weight:.4f} × {transform(reading.value):.2f} = {page.contributions[name]:.2f}"
    return {
        "name": name,
        "label": component.label,
        "value": reading.value,
        "points": page.contributions[name],
        "most": 100 * weight,
        "formula": component.formula,
        "parts": [(symbol, _format_part(value)) for symbol, value in reading.parts.items()],
        "calculation": calculation,
        "degenerate": reading.degenerate,
        "evidence": len(reading.evidence),
    }


def _describe_section(section: Section, *, has_lines: bool) -> dict[str, Any]:
    return {
        "name": section_list.name_section(section),
        "line": section.line if has_lines else None,
        "words": section.words,
        "content": section.content,
        "evidence": section_list.describe_evidence(section),
    }


def _format_part(value: Any) -> str:
    if value is None:
        return "undefined"
    if isinstance(value, list | tuple):
        more = f", and {len(value) - MAX_VALUES:,} more" if len(value) > MAX_VALUES else ""
        return ", ".join(_format_part(v) for v in value[:MAX_VALUES]) + more
    return f"{value:.4g}" if isinstance(value, float) else str(value)


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
        "legend": Markup(render_legend(detect=False)),  # noqa: S704 - escaped by the report
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
