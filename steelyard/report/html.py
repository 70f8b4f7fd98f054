"""The report as one self-contained HTML file: no script, no request, page text escaped everywhere."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from datetime import date
from importlib import resources

from steelyard.components.base import Evidence
from steelyard.pipeline import PageError, PageResult
from steelyard.report import descriptions
from steelyard.report.listing import abbreviate_flags, sort_by_score, summarise
from steelyard.scoring.suggestions import Suggestion
from steelyard.support import escape
from steelyard.support.formatting import format_count

# What is highlighted; where spans overlap, the first of these gives the colour.
HIGHLIGHTS = (
    ("quotable_density", "quotable"),
    ("citation_f1", "source"),
    ("statistic_density", "figure"),
    ("entity_density", "entity"),
    ("self_containment", "weak opening"),
)
LONGEST_TEXT = 60_000  # characters of a page shown with its evidence
BINS = 20  # of the distribution, five points each

Highlight = tuple[int, Evidence]  # with its index in HIGHLIGHTS


def render_report(pages: Sequence[PageResult], errors: Sequence[PageError], as_of: date) -> str:
    """Return the whole file."""
    ordered = sort_by_score(pages)
    css = resources.files("steelyard.report").joinpath("html.css").read_text("utf-8")
    settings = f"as of {as_of}" + (f", {descriptions.describe_scoring(pages[0].page)}" if pages else "")
    parts = [
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        f"<title>Steelyard: {format_count(len(pages), 'page')}</title>\n<style>\n{css}</style></head><body><main>",
        f'<header><h1>Steelyard</h1><p class="scope">Each score is {descriptions.SCOPE}.</p>{_dim(settings)}</header>',
        f'<p class="summary">{escape.html(summarise(pages, errors))}</p>',
        _render_distribution(pages),
        _render_index(ordered),
        _render_errors(errors),
        _render_legend(),
        *(_render_page(result, number) for number, result in enumerate(ordered)),
        "</main></body></html>\n",
    ]
    return "\n".join(p for p in parts if p)


def _dim(text: str) -> str:
    return f'<p class="dim">{escape.html(text)}</p>'


def _meter(value: float) -> str:
    return f'<span class="meter"><i style="width:{value:.2f}%"></i></span>'


def _render_distribution(pages: Sequence[PageResult]) -> str:
    if len(pages) < 2:
        return ""
    bins = [0] * BINS
    for result in pages:
        bins[min(BINS - 1, int(result.page.score // 5))] += 1
    bars = "".join(
        f'<i style="height:{100 * n / max(bins):.1f}%" title="{5 * i} to {5 * i + 5}: {format_count(n, "page")}"></i>'
        for i, n in enumerate(bins)
    )
    scale = "<figcaption><span>0</span><span>50</span><span>100</span></figcaption>"
    return f'<figure class="dist" aria-label="distribution of scores"><div>{bars}</div>{scale}</figure>'


def _render_index(ordered: Sequence[PageResult]) -> str:
    if len(ordered) < 2:
        return ""
    detect = any(r.manipulation is not None for r in ordered)
    rows = "".join(
        f'<tr><td><a href="#p{n}">{escape.html(r.source)}</a></td><td>{escape.html(r.page.language)}</td>'
        f'<td class="n">{r.page.words:,}</td><td class="n"><b>{r.page.score:.1f}</b></td>'
        f"<td>{_meter(r.page.score)}</td><td>{escape.html(descriptions.describe_limit(r.page))}</td>"
        f"{f'<td>{escape.html(abbreviate_flags(r))}</td>' if detect else ''}</tr>\n"
        for n, r in enumerate(ordered)
    )
    head = '<th>page</th><th>lang</th><th class="n">words</th><th class="n">score</th><th></th><th>limit</th>'
    head += "<th>flagged</th>" if detect else ""
    return f'<table class="index"><thead><tr>{head}</tr></thead><tbody>\n{rows}</tbody></table>'


def _render_errors(errors: Sequence[PageError]) -> str:
    items = "".join(f"<li>{escape.html(e.message)}</li>" for e in errors)
    return f'<h2>Not scored</h2><ul class="errors">{items}</ul>' if errors else ""


def _render_legend() -> str:
    marks = " ".join(f'<mark class="m{i}">{name}</mark>' for i, (_, name) in enumerate(HIGHLIGHTS))
    return f'<p class="legend">Highlighted: {marks}. Hover over a mark to see its pattern.</p>'


def _render_page(result: PageResult, number: int) -> str:
    page = result.page
    title = f'<p class="title">{escape.html(page.title)}</p>' if page.title else ""
    facts = f"{page.language} · {format_count(page.words, 'word')} · {descriptions.describe_blend(page)}"
    facts += f" · {placed}" if (placed := descriptions.describe_placement(page)) else ""
    notes = "".join(_dim(note) for note, _ in descriptions.list_notes(result))
    opened = " open" if page.guard is None and number == 0 else ""
    return (
        f'<section id="p{number}"><h2>{escape.html(result.source)} <b>{page.score:.1f}</b></h2>{title}{_dim(facts)}'
        f"{_render_components(result)}{_render_suggestions(result)}{notes}"
        f"<details{opened}><summary>The text with its evidence</summary>{_render_text(result)}</details></section>"
    )


def _render_components(result: PageResult) -> str:
    page = result.page
    rows = []
    for name in descriptions.sort_by_potential(page):
        reading, points, most = page.readings[name], page.contributions[name], 100 * page.weights[name]
        reason = f"constant: {reading.degenerate}" if reading.degenerate else ""
        row_class = ' class="constant"' if reason else ""
        rows.append(
            f"<tr{row_class}><td>{name}</td><td>{escape.html(descriptions.LABELS[name])}</td>"
            f'<td>{_meter(reading.value)}</td><td class="n">{reading.value:.1f}</td>'
            f'<td class="n">{points:.2f} of {most:.2f}</td><td class="n">{most - points:.2f}</td>'
            f'<td class="dim">{escape.html(reason)}</td></tr>'
        )
    head = '<th>component</th><th>what it measures</th><th></th><th class="n">value</th>'
    head += '<th class="n">points</th><th class="n">still possible</th><th></th>'
    return f'<table class="components"><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table>'


def _describe(suggestion: Suggestion) -> str:
    place = descriptions.describe_place(suggestion)
    return " ".join(f"{part}." for part in (f"line {suggestion.line}", place, f"counted: {suggestion.counted}") if part)


def _render_suggestions(result: PageResult) -> str:
    items = "".join(
        f"<li><b>{s.gain:+.2f}</b> {escape.html(descriptions.describe_action(s))} "
        f'<span class="dim">{escape.html(_describe(s))}</span></li>'
        for s in descriptions.pick_suggestions(result)
    )
    return f'{_dim(descriptions.describe_gains(result))}<ul class="suggestions">{items}</ul>' if items else ""


def _render_text(result: PageResult) -> str:
    text = result.text or ""
    spans = [
        (rank, evidence)
        for rank, (name, _) in enumerate(HIGHLIGHTS)
        for evidence in result.page.readings[name].evidence
        if name != "self_containment" or evidence.pattern == "opener"
    ]
    more = _dim(f"The rest of {len(text):,} characters is not shown.") if len(text) > LONGEST_TEXT else ""
    return f"<pre>{_highlight(text[:LONGEST_TEXT], spans)}</pre>{more}"


def _highlight(text: str, spans: list[Highlight]) -> str:
    """Cut the text at every edge of a span, and mark each piece with the first kind of evidence that covers it."""
    edges = sorted({0, len(text), *(min(len(text), p) for _, e in spans for p in (e.start, e.end))})
    starting: dict[int, list[Highlight]] = {}
    for rank, evidence in spans:
        starting.setdefault(evidence.start, []).append((rank, evidence))
    active: list[Highlight] = []
    pieces = []
    for start, end in itertools.pairwise(edges):
        active = [(r, e) for r, e in active if e.end > start] + starting.get(start, [])
        piece = escape.html(text[start:end])
        if active:
            rank = min(r for r, _ in active)
            patterns = ", ".join(dict.fromkeys(f"{HIGHLIGHTS[r][0]}: {e.pattern}" for r, e in active))
            piece = f'<mark class="m{rank}" title="{escape.html(patterns)}">{piece}</mark>'
        pieces.append(piece)
    return "".join(pieces)
