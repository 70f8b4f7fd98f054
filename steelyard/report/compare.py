"""Compare two versions of a page: points per component, and the evidence gained and lost."""

from __future__ import annotations

from collections import Counter
from typing import Any

from steelyard.components import NAMES
from steelyard.pipeline import PageResult
from steelyard.report.descriptions import LABELS, SCOPE, describe_scoring
from steelyard.support import escape
from steelyard.support.formatting import format_signed
from steelyard.support.table import Column, Table

PATTERNED = ("quotable_density", "entity_density", "statistic_density", "citation_f1")
SHOWN = 8  # pieces of evidence gained or lost per component
Pieces = list[dict[str, Any]]


def compare_pages(old: PageResult, new: PageResult) -> dict[str, Any]:
    """Return the comparison as data."""
    a, b = old.page, new.page
    components: dict[str, dict[str, Any]] = {
        n: {
            "old_value": a.readings[n].value,
            "new_value": b.readings[n].value,
            "old_points": a.contributions[n],
            "new_points": b.contributions[n],
            "change": b.contributions[n] - a.contributions[n],
        }
        for n in NAMES
    }
    for name in PATTERNED:
        before, after = _list_evidence(old, name), _list_evidence(new, name)
        components[name] |= {"gained": _subtract(after, before), "lost": _subtract(before, after)}
    steps = {
        key: {"old": getattr(a, key), "new": getattr(b, key)}
        for key in ("score", "content", "freshness", "words", "cap", "guard", "language")
    }
    return {"old": old.source, "new": new.source, **steps, "change": b.score - a.score, "components": components}


def _list_evidence(result: PageResult, name: str) -> Pieces:
    text = result.text or ""
    return [
        {"line": e.line, "pattern": e.pattern, "text": " ".join(text[e.start : e.end].split())}
        for e in result.page.readings[name].evidence
    ]


def _subtract(pieces: Pieces, others: Pieces) -> Pieces:
    """Return the pieces whose words are not among the others, each of which cancels one piece."""
    left = Counter(other["text"].lower() for other in others)
    remaining = []
    for piece in pieces:
        key = piece["text"].lower()
        if left[key] > 0:
            left[key] -= 1
        else:
            remaining.append({**piece, "text": piece["text"][:200]})
    return remaining


def render_comparison(old: PageResult, new: PageResult) -> list[str]:
    """Return the comparison as lines, the component with the largest change first."""
    data = compare_pages(old, new)
    change = "no change" if abs(data["change"]) < 0.005 else f"{format_signed(data['change'])} points"
    names = f"{escape.make_visible(old.source)} → {escape.make_visible(new.source)}"
    lines = [f"{names}: {old.page.score:.2f} → {new.page.score:.2f} ({change})", ""]
    columns = [Column(f"{'component':<20}what it measures"), *(Column(c, right=True) for c in ("value", "points"))]
    rows = [
        [
            f"{n:<20}{LABELS[n]}",
            f"{c['old_value']:.1f}→{c['new_value']:.1f}",
            f"{c['old_points']:.2f}→{c['new_points']:.2f}",
            format_signed(c["change"]),
        ]
        for n, c in sorted(data["components"].items(), key=lambda item: (-abs(item[1]["change"]), item[0]))
    ]
    lines += [*Table([*columns, Column("change", right=True)], rows).to_terminal(), ""]
    for key in ("content", "freshness", "words", "cap", "guard"):
        lines.append(f"{key:<10} {_format_value(data[key]['old'])} → {_format_value(data[key]['new'])}")
    for name in PATTERNED:
        lines += _render_changes(data["components"][name], name)
    scoring = new.page.scoring
    settings = f"as of {new.page.as_of}, {describe_scoring(new.page)} {scoring.hash}"
    return [*lines, "", settings, f"each score is {SCOPE}"]


def _render_changes(component: dict[str, Any], name: str) -> list[str]:
    lines: list[str] = []
    for sign, pieces in (("+", component["gained"]), ("-", component["lost"])):
        for piece in pieces[:SHOWN]:
            start = f"{sign} {name} line {piece['line']}: "
            lines.append(start + escape.fit(piece["text"], 80 - len(start)).rstrip())
        if len(pieces) > SHOWN:
            lines.append(f"{sign} {name}: and {len(pieces) - SHOWN} more (--format json lists all)")
    return ["", *lines] if lines else []


def _format_value(value: Any) -> str:
    return "none" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value)
