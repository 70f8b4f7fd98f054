"""A comparison as its template shows it: the points before and after, and the evidence gained and lost."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from steelyard.pipeline import PageResult
from steelyard.report.compare import PATTERNED, SHOWN, compare_pages
from steelyard.report.descriptions import LABELS
from steelyard.report.html.marks import render_legend
from steelyard.support.formatting import format_number
from steelyard.web.result_view import render_evidence

STEPS = ("content", "freshness", "words", "cap", "guard", "language")


def describe_comparison(old: PageResult, new: PageResult) -> dict[str, Any]:
    """Return what the template of a comparison needs."""
    data = compare_pages(old, new)
    ordered = sorted(data["components"].items(), key=lambda item: (-abs(item[1]["change"]), item[0]))
    return {
        "old": old,
        "new": new,
        "change": data["change"],
        "components": [{"name": name, "label": LABELS[name], **component} for name, component in ordered],
        "steps": [(name, _format(data[name]["old"]), _format(data[name]["new"])) for name in STEPS],
        "gained": _list_pieces(data, "gained"),
        "lost": _list_pieces(data, "lost"),
        "legend": Markup(render_legend(detect=False)),  # noqa: S704 - escaped by the report
        "old_text": render_evidence(old),
        "new_text": render_evidence(new),
    }


def _list_pieces(data: dict[str, Any], key: str) -> list[dict[str, Any]]:
    """Return the pieces of evidence by component, a few of each."""
    found = []
    for name in PATTERNED:
        pieces = data["components"][name][key]
        if pieces:
            found.append({"label": LABELS[name], "pieces": pieces[:SHOWN], "more": max(0, len(pieces) - SHOWN)})
    return found


def _format(value: Any) -> str:
    return "none" if value is None else format_number(value) if isinstance(value, float) else str(value)
