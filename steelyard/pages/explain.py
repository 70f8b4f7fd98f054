"""How the score of one page was computed, step by step, so that every line can be recomputed by hand."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Mapping
from typing import Any

from steelyard.advice.gains import ADDED_WORDS, gains_of_one_more
from steelyard.components import COMPONENTS
from steelyard.components.base import Component, Evidence
from steelyard.pages import section_list
from steelyard.pages.descriptions import SCOPE, describe_prose
from steelyard.pages.reading import describe_reading
from steelyard.pipeline import PageResult
from steelyard.scoring.freshness import FORMULA
from steelyard.scoring.page import CONTENT_SHARE, FRESHNESS_SHARE, PageScore
from steelyard.support import escape
from steelyard.support.formatting import format_count, format_signed

MAX_SHOWN = 12  # pieces of evidence per component, unless all are requested
WIDTH = 80
MAX_HEADING, MAX_EVIDENCE = 26, 30  # columns
MIN_EXCERPT = 20  # columns, after a long name of a pattern


def render_explanation(result: PageResult, *, everything: bool = False, only: Collection[str] = ()) -> list[str]:
    """Return the explanation as lines.

    Args:
        result: The page, with its text.
        everything: Whether to show all evidence.
        only: The components to show; all of them and the steps to the score when empty.
    """
    page, text = result.page, result.text or ""
    title = escape.make_visible(page.title or "(none)")
    held = f" ({page.held}; {page.lift})" if page.held else ""
    lines = [
        f"{escape.make_visible(result.source)}: {page.score:.4f} of 100{held}",
        f"the score is {SCOPE}",
        f"language {page.language}, {format_count(page.words, 'word')}, title {title!r}, as of {page.as_of}",
        f"edition {page.scoring.edition}, weights {page.scoring.weights}, scoring hash {page.scoring.hash}",
    ]
    if result.reading is not None:
        lines.insert(1, describe_reading(result.reading))
    because = f": {'; '.join(result.kind.because)}" if result.kind.because else ""
    lines += _wrap(escape.make_visible(f"kind {result.kind.describe()}{because}"))
    if result.extracted:
        lines.append("lines are those of the text extracted from the HTML (--format json prints it)")
    for component in COMPONENTS:
        if not only or component.name in only:
            lines += ["", *explain_component(component, page)]
            lines += _list_evidence(page.readings[component.name].evidence, text, everything)
    if only:
        return lines
    lines += ["", *explain_freshness(page), *_list_evidence(page.fresh.evidence, text, everything)]
    lines += ["", *explain_score(page)]
    if sections := section_list.list_shown(result):
        table = section_list.make_table(
            sections, width=MAX_HEADING, evidence_width=MAX_EVIDENCE, with_lines=not result.extracted
        )
        lines += ["", *table.to_terminal(), *_wrap(section_list.describe_extremes(sections))]
        lines += _wrap(section_list.describe_gaps(sections))
    if page.guard is None:
        lines += ["", f"points that one more would add, in one added sentence of {ADDED_WORDS} words"]
        lines.append(f"(W + {ADDED_WORDS}, n_s + 1; a named entity is added without new words):")
        lines += [f"  {name:<16} {format_signed(gain, 4)}" for name, gain in gains_of_one_more(page).items()]
    return lines


def explain_component(component: Component, page: PageScore) -> list[str]:
    """Return a component's formula with the page's numbers, and its points, as lines."""
    reading = page.readings[component.name]
    symbols = {s: reading.parts[s] for s in component.symbols if s in reading.parts}
    others = {s: value for s, value in reading.parts.items() if s not in component.symbols}
    lines = [f"{component.name} = {reading.value:.4f} ({component.label})", f"  {component.formula}"]
    lines.append(f"  with {_format_parts(symbols)}")
    if others:
        lines.append(f"  from {_format_parts(others)}")
    if reading.degenerate:
        lines.append(f"  not measured: {reading.degenerate}, so the documented constant {reading.value:g}")
    factors = f"weight {page.weights[component.name]:.6f} × 100 × √({reading.value:.4f} / 100)"
    lines.append(f"  points = {factors} = {page.contributions[component.name]:.4f}")
    return [part for line in lines for part in textwrap.wrap(line, WIDTH, subsequent_indent=" " * 7)]


def explain_freshness(page: PageScore) -> list[str]:
    """Return how the freshness of a page was computed, as lines."""
    return [f"freshness = {page.freshness:.4f}", f"  {FORMULA}", f"  with {_format_parts(page.fresh.terms)}"]


def explain_score(page: PageScore) -> list[str]:
    """Return the steps from the points to the score, as lines."""
    sides = f"{CONTENT_SHARE} × {page.content:.4f} + {FRESHNESS_SHARE} × {page.freshness:.4f}"
    cap = "none" if page.cap is None else f"{page.cap:g}"
    guard = f"{page.guard} ({page.guard_reason})" if page.guard else "none"
    return [
        f"content = sum of the points = {page.content:.4f}",
        f"blend   = {sides} = {page.blended:.4f}",
        f"cap     = {cap} ({format_count(page.words, 'word')})",
        *([] if page.prose is None else [f"prose   = {describe_prose(page.prose)}"]),
        f"guard   = {guard}",
        f"score   = {page.score:.4f}",
    ]


def _wrap(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, subsequent_indent="  ")


def _format_parts(parts: Mapping[str, Any]) -> str:
    return ", ".join(f"{symbol} = {_format_part(value)}" for symbol, value in parts.items())


def _format_part(value: Any) -> str:
    if value is None:
        return "undefined"
    if isinstance(value, list):
        return f"[{', '.join(f'{v:g}' for v in value[:20])}{', …' if len(value) > 20 else ''}]"
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def _list_evidence(evidence: tuple[Evidence, ...], text: str, everything: bool) -> list[str]:
    shown = evidence if everything else evidence[:MAX_SHOWN]
    lines = []
    for e in shown:
        start = f"  line {e.line:>4}  {e.pattern:<24} "
        excerpt = " ".join(text[e.start : min(e.end, e.start + 4 * WIDTH)].split())
        lines.append(start + escape.fit(excerpt, max(MIN_EXCERPT, WIDTH - len(start))).rstrip())
    if len(shown) < len(evidence):
        lines.append(f"  … and {len(evidence) - len(shown)} more (--all shows them)")
    return lines
