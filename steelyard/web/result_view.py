"""Results and comparisons for the templates: every number with the formula and the quantities behind it."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from steelyard.advice.gains import ADDED_WORDS, gains_of_one_more
from steelyard.components import COMPONENTS
from steelyard.pages import descriptions
from steelyard.pages.compare_listing import MAX_PIECES
from steelyard.pages.descriptions import LABELS
from steelyard.pages.explain import explain_freshness, explain_score
from steelyard.pages.html.marks import list_spans, render_legend
from steelyard.pages.html.page import render_flags, render_notes, render_sections, render_suggestions
from steelyard.pages.html.text import render_text
from steelyard.pages.page_change import PATTERNED, PageChange
from steelyard.pages.reading import describe_doubt, describe_reading, render_outline
from steelyard.pages.symbols import name_symbol
from steelyard.pipeline import PageResult
from steelyard.scoring.page import PageScore, transform
from steelyard.support.formatting import format_count

PREFIX = "place"  # of the ids of the places of suggestions
LEVEL = 3  # of the headings in a result
MAX_SHOWN = 60_000  # characters shown with their evidence
SHOWN_GAIN = 0.005  # points, as two decimals show them
MAX_VALUES = 20  # of a quantity that is a list
_BY_NAME = {component.name: component for component in COMPONENTS}


def describe_result(result: PageResult) -> dict[str, Any]:
    """Return what the template of a result needs."""
    page, text = result.page, _render_evidence(result, PREFIX)
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
        "flags": Markup(render_flags(result, LEVEL)),  # noqa: S704 - escaped by the report, as are the following
        "suggestions": Markup(render_suggestions(result, PREFIX, text, LEVEL)),  # noqa: S704
        "one_more": _list_gains(page),
        "added_words": ADDED_WORDS,
        "components": [_describe_component(result, name) for name in descriptions.sort_by_potential(page)],
        "sections": Markup(render_sections(result, LEVEL)),  # noqa: S704
        "freshness": page.freshness,
        "freshness_steps": explain_freshness(page),
        "steps": explain_score(page),
        "notes": Markup(render_notes(result, LEVEL)),  # noqa: S704
        "legend": Markup(render_legend(detect=bool(result.flagged))),  # noqa: S704 - escaped by the report
        "has_text": result.text is not None,
        "text": text,
        "marks": [] if result.extracted or result.text is None else list_spans(result),
    }


def _list_gains(page: PageScore) -> list[tuple[str, float]]:
    """Return what one more piece of each kind would add; empty where a guard or a cap lets nothing count."""
    gains = {} if page.guard else gains_of_one_more(page)
    return list(gains.items()) if any(abs(gain) >= SHOWN_GAIN for gain in gains.values()) else []


def _render_evidence(result: PageResult, prefix: str = "") -> Markup:
    """Return a page's text with its evidence marked, as the report shows it; empty where it was not kept."""
    if result.text is None:
        return Markup()
    return Markup(render_text(result, MAX_SHOWN, only_evidence=False, prefix=prefix))  # noqa: S704 - escaped there


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
        "parts": [(symbol, name_symbol(name, symbol), _format_part(value)) for symbol, value in reading.parts.items()],
        "calculation": calculation,
        "degenerate": reading.degenerate,
        "evidence": len(reading.evidence),
    }


def _format_part(value: Any) -> str:
    if value is None:
        return "not measured here"
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
        "legend": Markup(render_legend(detect=False, places=False)),  # noqa: S704 - escaped by the report
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
