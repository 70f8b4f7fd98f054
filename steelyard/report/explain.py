"""The whole audit trail of one page: formula, numbers, text with its lines, and what one more would add."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from steelyard.components import COMPONENTS
from steelyard.components.base import Component, Evidence
from steelyard.lab.study.wording import signed
from steelyard.pipeline import PageResult
from steelyard.report.scope import SCOPE
from steelyard.scoring.freshness import TERMS
from steelyard.scoring.page import CONTENT_SHARE, FRESHNESS_SHARE
from steelyard.scoring.suggestions import ADDED_WORDS, one_more
from steelyard.support import escape
from steelyard.support.wording import counted

SHOWN = 12  # pieces of evidence per component, unless all are asked for
CONTEXT = 60


def lines(result: PageResult, text: str, *, everything: bool = False, only: Collection[str] = ()) -> list[str]:
    """The trail, for people, or that of some components; `text` is what the evidence points into."""
    page = result.page
    out = [f"{escape.visible(result.source)}: {page.score:.4f} of 100, {SCOPE}"]
    title = escape.visible(page.title or "(none)")
    out += [f"language {page.language}, {counted(page.words, 'word')}, title {title!r}, as of {page.as_of}"]
    out += [f"weights {page.scoring.weights}, scoring hash {page.scoring.hash}"]
    if result.extracted:
        out += ["lines are of the text extracted from the HTML (--format json prints it)"]
    out += [""]
    for component in COMPONENTS:
        if not only or component.name in only:
            out += _component(component, result, text, everything)
    if only:
        return out[:-1]
    out += _steps(result)
    out += _freshness(result, text, everything)
    if page.guard is None:
        out += [
            "",
            f"one more, in one added sentence of {ADDED_WORDS} words (W + {ADDED_WORDS}, n_s + 1; an entity in place):",
        ]
        out += [f"  {name:<16} {signed(gain, 4)}" for name, gain in one_more(page).items()]
    return out


def _component(component: Component, result: PageResult, text: str, everything: bool) -> list[str]:
    page = result.page
    reading = page.readings[component.name]
    points, weight = page.contributions[component.name], page.weights[component.name]
    out = [f"{component.name} = {reading.value:.4f}   weight {weight:.4f}   points {points:.4f}"]
    out.append(f"  {component.formula}")
    out.append(f"  with {_numbers(component, reading.parts)}")
    if reading.degenerate:
        out.append(f"  not measured: {reading.degenerate}, so the documented constant {reading.value:g}")
    more = {k: v for k, v in reading.parts.items() if k not in component.symbols}
    if more:
        out.append(f"  from {', '.join(f'{k} = {_number(v)}' for k, v in more.items())}")
    out += _evidence(reading.evidence, text, everything)
    return [*out, ""]


def _numbers(component: Component, parts: Mapping[str, Any]) -> str:
    return ", ".join(f"{s} = {_number(parts[s])}" for s in component.symbols if s in parts)


def _number(value: Any) -> str:
    if value is None:
        return "undefined"
    if isinstance(value, list):
        shown = ", ".join(f"{v:g}" for v in value[:20])
        return f"[{shown}{', …' if len(value) > 20 else ''}]"
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def _evidence(evidence: tuple[Evidence, ...], text: str, everything: bool) -> list[str]:
    shown = evidence if everything else evidence[:SHOWN]
    out = [f"  line {e.line:>4}  {e.pattern:<24} {_excerpt(text, e)}" for e in shown]
    if len(shown) < len(evidence):
        out.append(f"  … and {len(evidence) - len(shown)} more (--all shows them)")
    return out


def _excerpt(text: str, e: Evidence) -> str:
    piece = " ".join(text[e.start : min(e.end, e.start + 4 * CONTEXT)].split())
    return escape.fit(piece, min(CONTEXT, max(1, escape.width(escape.visible(piece))))).rstrip()


def _steps(result: PageResult) -> list[str]:
    page = result.page
    out = [f"content = sum of the points = {page.content:.4f}"]
    sides = f"{CONTENT_SHARE} × {page.content:.4f} + {FRESHNESS_SHARE} × {page.freshness:.4f}"
    out.append(f"blend   = {sides} = {page.blended:.4f}")
    limit = "none" if page.cap is None else f"{page.cap:g}"
    out.append(f"cap     = {limit} ({counted(page.words, 'word')})")
    out.append(f"guard   = {page.guard or 'none'}" + (f" ({page.guard_reason})" if page.guard_reason else ""))
    return [*out, f"score   = {page.score:.4f}"]


def _freshness(result: PageResult, text: str, everything: bool) -> list[str]:
    fresh = result.page.fresh
    terms = ", ".join(f"{weight:.2f} × F_{name} {fresh.terms[name]:.2f}" for name, weight in TERMS)
    return ["", f"freshness = {fresh.value:.4f}: {terms}", *_evidence(fresh.evidence, text, everything)]
