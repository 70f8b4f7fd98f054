"""A comparison as its template shows it: the points before and after, and the evidence gained and lost."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from steelyard.pages.compare_listing import MAX_PIECES
from steelyard.pages.descriptions import LABELS
from steelyard.pages.html.marks import render_legend
from steelyard.pages.page_change import PATTERNED, STEPS, PageChange, format_step
from steelyard.pipeline import PageResult
from steelyard.web.result_view import render_evidence


def describe_comparison(old: PageResult, new: PageResult) -> dict[str, Any]:
    """Return what the template of a comparison needs."""
    page = PageChange.from_results(old, new)
    components = page.sort_components()
    steps = page.list_steps(STEPS[1:])
    return {
        "old": old,
        "new": new,
        "change": page.change,
        "components": [{"name": name, "label": LABELS[name], **component} for name, component in components],
        "steps": [(name, format_step(step["old"]), format_step(step["new"])) for name, step in steps.items()],
        "gained": _list_pieces(dict(components), "gained"),
        "lost": _list_pieces(dict(components), "lost"),
        "legend": Markup(render_legend(detect=False)),  # noqa: S704 - escaped by the report
        "old_text": render_evidence(old),
        "new_text": render_evidence(new),
    }


def _list_pieces(components: dict[str, dict[str, Any]], key: str) -> list[dict[str, Any]]:
    """Return the pieces of evidence by component, a few of each."""
    return [
        {"label": LABELS[name], "pieces": pieces[:MAX_PIECES], "more": max(0, len(pieces) - MAX_PIECES)}
        for name in PATTERNED
        if (pieces := components[name][key])
    ]
