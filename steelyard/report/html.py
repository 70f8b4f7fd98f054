"""The report as one self-contained HTML file: no script, no request, page text escaped everywhere."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from datetime import date

from steelyard.components.base import Evidence
from steelyard.pipeline import PageError, PageResult
from steelyard.report import steps
from steelyard.report.html_style import CSS
from steelyard.report.listing import brief, summary, worst_first
from steelyard.report.scope import SCOPE
from steelyard.report.terminal import manipulation_lines
from steelyard.support import escape
from steelyard.support.wording import counted

# What is highlighted; where spans overlap, the first of these gives the colour.
MARKED = (
    ("quotable_density", "quotable"),
    ("citation_f1", "source"),
    ("statistic_density", "figure"),
    ("entity_density", "entity"),
    ("self_containment", "weak opening"),
)
LONGEST_TEXT = 60_000  # characters of a page shown with its evidence
SHOWN_MOVES = 3


def report(pages: Sequence[PageResult], errors: Sequence[PageError], as_of: date) -> str:
    """The whole file."""
    ordered = worst_first(pages)
    parts = [
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        f"<title>Steelyard: {counted(len(pages), 'page')}</title><style>{CSS}</style></head><body><main>",
        f'<header><h1>Steelyard</h1><p class="scope">Each figure is {SCOPE}.</p>',
        f'<p class="dim">{escape.html(_how(pages, as_of))}</p></header>',
        f'<p class="summary">{escape.html(summary(pages, errors))}</p>',
        _distribution(pages),
        _index(ordered),
        _errors(errors),
        _legend(),
        *(_page(result, f"p{number}") for number, result in enumerate(ordered)),
        "</main></body></html>\n",
    ]
    return "\n".join(p for p in parts if p)


def _how(pages: Sequence[PageResult], as_of: date) -> str:
    if not pages:
        return f"as of {as_of}"
    how = pages[0].page.scoring
    return f"as of {as_of}, weights {how.weights}"


def _distribution(pages: Sequence[PageResult]) -> str:
    """Twenty bins of five points."""
    if len(pages) < 2:
        return ""
    bins = [0] * 20
    for result in pages:
        bins[min(19, int(result.page.score // 5))] += 1
    top = max(bins)
    bars = "".join(
        f'<i style="height:{100 * n / top:.1f}%" title="{5 * i} to {5 * i + 5}: {counted(n, "page")}"></i>'
        for i, n in enumerate(bins)
    )
    scale = "<figcaption><span>0</span><span>50</span><span>100</span></figcaption>"
    return f'<figure class="dist" aria-label="distribution of scores"><div>{bars}</div>{scale}</figure>'


def _index(ordered: Sequence[PageResult]) -> str:
    if len(ordered) < 2:
        return ""
    detect = any(r.manipulation is not None for r in ordered)
    rows = "".join(
        f'<tr><td><a href="#p{n}">{escape.html(r.source)}</a></td><td>{escape.html(r.page.language)}</td>'
        f'<td class="n">{r.page.words:,}</td><td class="n"><b>{r.page.score:.1f}</b></td>'
        f"<td>{_meter(r.page.score)}</td><td>{escape.html(steps.limit(r.page))}</td>"
        f"{f'<td>{escape.html(brief(r))}</td>' if detect else ''}</tr>\n"
        for n, r in enumerate(ordered)
    )
    head = '<th>page</th><th>lang</th><th class="n">words</th><th class="n">score</th><th></th><th>limit</th>'
    head += "<th>flagged</th>" if detect else ""
    return f'<table class="index"><thead><tr>{head}</tr></thead><tbody>\n{rows}</tbody></table>'


def _errors(errors: Sequence[PageError]) -> str:
    if not errors:
        return ""
    items = "".join(f"<li>{escape.html(e.message)}</li>" for e in errors)
    return f'<h2>Not scored</h2><ul class="errors">{items}</ul>'


def _legend() -> str:
    marks = " ".join(f'<mark class="m{i}">{label}</mark>' for i, (_, label) in enumerate(MARKED))
    return f'<p class="legend">Highlighted: {marks}. Hover over a mark for its pattern.</p>'


def _meter(value: float) -> str:
    return f'<span class="meter"><i style="width:{value:.2f}%"></i></span>'


def _page(result: PageResult, anchor: str) -> str:
    page = result.page
    title = f'<p class="title">{escape.html(page.title)}</p>' if page.title else ""
    opened = " open" if page.guard is None and anchor == "p0" else ""
    return (
        f'<section id="{anchor}"><h2>{escape.html(result.source)} <b>{page.score:.1f}</b></h2>{title}'
        f'<p class="dim">{escape.html(page.language)} · {counted(page.words, "word")} · '
        f"{escape.html(steps.blend(page))}</p>"
        f"{_components(result)}{_moves(result)}{_notes(result)}"
        f"<details{opened}><summary>The text with its evidence</summary>{_text(result)}</details></section>"
    )


def _components(result: PageResult) -> str:
    page = result.page
    rows = []
    for name in steps.most_to_be_had(page):
        reading = page.readings[name]
        most = 100 * page.weights[name]
        dim = ' class="constant"' if reading.degenerate else ""
        why = f'<span class="dim">constant: {escape.html(reading.degenerate)}</span>' if reading.degenerate else ""
        points = page.contributions[name]
        cells = f'<td>{name}</td><td>{_meter(reading.value)}</td><td class="n">{reading.value:.1f}</td>'
        cells += f'<td class="n">{points:.2f} of {most:.2f}</td><td class="n">{most - points:.2f}</td><td>{why}</td>'
        rows.append(f"<tr{dim}>{cells}</tr>")
    head = '<tr><th>component</th><th></th><th class="n">value</th><th class="n">points</th>'
    head += '<th class="n">to be had</th><th></th></tr>'
    return f'<table class="components"><thead>{head}</thead><tbody>{"".join(rows)}</tbody></table>'


def _moves(result: PageResult) -> str:
    best: dict[str, str] = {}
    for move in result.suggestions:
        best.setdefault(
            move.component,
            f'<li><b>{move.gain:+.2f}</b> {escape.html(move.action)} <span class="dim">line {move.line}</span></li>',
        )
    items = "".join(list(best.values())[:SHOWN_MOVES])
    return f'<p class="dim">Worth most, by the formulas themselves:</p><ul class="moves">{items}</ul>' if items else ""


def _notes(result: PageResult) -> str:
    page = result.page
    notes = []
    if page.guard:
        notes.append(f"Guard {page.guard}: {page.guard_reason}. The components are shown but do not count.")
    if page.detected != page.language:
        notes.append(
            f"The text looks like {page.detected!r} and was scored as {page.language!r} because that was asked."
        )
    if result.manipulation is not None:
        notes += [text for text, _ in manipulation_lines(result.manipulation)]
    notes.append(page.unvalidated.line())
    return "".join(f'<p class="dim">{escape.html(n)}</p>' for n in notes)


def _text(result: PageResult) -> str:
    text = result.text or ""
    body = _highlighted(text[:LONGEST_TEXT], _spans(result))
    more = f'<p class="dim">The rest of {len(text):,} characters is not shown.</p>' if len(text) > LONGEST_TEXT else ""
    return f"<pre>{body}</pre>{more}"


def _spans(result: PageResult) -> list[tuple[int, Evidence]]:
    spans = []
    for rank, (name, _) in enumerate(MARKED):
        for evidence in result.page.readings[name].evidence:
            if name != "self_containment" or evidence.pattern == "opener":
                spans.append((rank, evidence))
    return spans


def _highlighted(text: str, spans: list[tuple[int, Evidence]]) -> str:
    """The text cut at every edge of a span; each piece marked by the first rank that covers it."""
    edges = sorted({0, len(text), *(min(len(text), p) for _, e in spans for p in (e.start, e.end))})
    opening: dict[int, list[tuple[int, Evidence]]] = {}
    for rank, evidence in spans:
        opening.setdefault(evidence.start, []).append((rank, evidence))
    active: list[tuple[int, Evidence]] = []
    out = []
    for start, end in itertools.pairwise(edges):
        active = [(r, e) for r, e in active if e.end > start] + opening.get(start, [])
        piece = escape.html(text[start:end])
        if active:
            rank, _ = min(active, key=lambda item: item[0])
            label = ", ".join(dict.fromkeys(f"{MARKED[r][0]}: {e.pattern}" for r, e in active))
            piece = f'<mark class="m{rank}" title="{escape.html(label)}">{piece}</mark>'
        out.append(piece)
    return "".join(out)
