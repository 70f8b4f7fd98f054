"""Where the points of a page come from: a row for each component that opens to its formula and what was counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from steelyard.components import BY_NAME
from steelyard.components.base import Evidence
from steelyard.pages import descriptions
from steelyard.pages.explain import explain_freshness, explain_score
from steelyard.pages.html.parts import describe_bar
from steelyard.pages.symbols import COMPUTED, COUNTED, name_symbol
from steelyard.pipeline import PageResult
from steelyard.scoring.page import FRESHNESS_SHARE, PageScore, transform
from steelyard.support import escape
from steelyard.support.formatting import format_count

MAX_VALUES = 20  # of a quantity that is a list
MAX_EXAMPLE = 120  # characters of the words that were found


def render_points(result: PageResult, *, is_brief: bool = False) -> str:
    """Return the components, those with the most points still possible first; then freshness, and the way to the score.

    Args:
        result: The page.
        is_brief: Whether they do not open, which keeps a report of many pages small.
    """
    page = result.page
    names = descriptions.sort_by_potential(page)
    if is_brief:
        rows = [_render_row(name, *_describe_component(result, name)) for name in names]
        return f'<div class="points-list">{"".join(rows)}</div>'
    rows = [_render_component(result, name) for name in names]
    most = 100 * FRESHNESS_SHARE
    fresh = f"{FRESHNESS_SHARE * page.freshness:.1f} of {most:.1f}"
    name = f"freshness, {FRESHNESS_SHARE:.0%} of the score"
    rows.append(_render_row("freshness", name, fresh, page.freshness, _render_steps(explain_freshness(page))))
    rows.append(_render_row("steps", "from the points to the score", "", None, _render_steps(explain_score(page))))
    return f'<div class="points-list">{"".join(rows)}</div>'


def _describe_component(result: PageResult, name: str) -> tuple[str, str, float]:
    """Return what is measured, the points for it, and how much of the bar is filled."""
    page = result.page
    points = f"{page.contributions[name]:.1f} of {100 * page.weights[name]:.1f}"
    return BY_NAME[name].label, points, page.readings[name].value


def _render_component(result: PageResult, name: str) -> str:
    page, component = result.page, BY_NAME[name]
    reading = page.readings[name]
    constant = f": a documented constant, since {reading.degenerate}" if reading.degenerate else ""
    facts = [
        ("Component", f"<code>{name}</code>"),
        *([("What counts", escape.html(COUNTED[name]))] if name in COUNTED else []),
        ("Formula", escape.html(component.formula)),
        *((f"<code>{symbol}</code>", escape.html(about)) for symbol, about in COMPUTED.get(name, {}).items()),
        *(_describe_part(name, symbol, value) for symbol, value in reading.parts.items()),
        ("Value", escape.html(f"{reading.value:.4f} of 100{constant}")),
        ("Points", f"weight × 100 √(value / 100) = {_calculate(page, name)}"),
    ]
    if result.text is not None:
        facts.append(("Found", _describe_evidence(result.text, reading.evidence)))
    inside = "".join(f"<dt>{term}</dt><dd>{about}</dd>" for term, about in facts)
    return _render_row(name, *_describe_component(result, name), f"<dl>{inside}</dl>")


def _render_row(key: str, label: str, points: str, value: float | None, inside: str = "") -> str:
    bar = f'<span class="{describe_bar(value)}"></span>' if value is not None else ""
    shown = f'{bar}<span class="points">{points}</span>' if points else ""
    if not inside:
        return f'<p class="component"><span class="what">{escape.html(label)}</span>{shown}</p>'
    head = f'<summary><span class="what">{escape.html(label)}</span>{shown}</summary>'
    return f'<details class="component" data-key="{key}">{head}{inside}</details>'


def _describe_evidence(text: str, evidence: Sequence[Evidence]) -> str:
    """Return how many pieces of evidence there are, and the words of the first as an example."""
    if not evidence:
        return "nothing"
    words = " ".join(text[evidence[0].start : evidence[0].end][:MAX_EXAMPLE].split())
    example = f", the first of them “{words}”" if words else ""
    return escape.html(f"{format_count(len(evidence), 'piece')} of evidence{example}")


def _calculate(page: PageScore, name: str) -> str:
    return f"{page.weights[name]:.4f} × {transform(page.readings[name].value):.2f} = {page.contributions[name]:.2f}"


def _describe_part(component: str, symbol: str, value: Any) -> tuple[str, str]:
    about = name_symbol(component, symbol)
    words = f' <span class="dim">{escape.html(about)}</span>' if about != symbol else ""
    return f"<code>{escape.html(symbol)}</code>", f"{escape.html(_format_part(value))}{words}"


def _format_part(value: Any) -> str:
    if value is None:
        return "not measured here"
    if isinstance(value, list | tuple):
        more = f", and {len(value) - MAX_VALUES:,} more" if len(value) > MAX_VALUES else ""
        return ", ".join(_format_part(v) for v in value[:MAX_VALUES]) + more
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _render_steps(lines: list[str]) -> str:
    return "".join(f'<p class="step">{escape.html(line)}</p>' for line in lines)
