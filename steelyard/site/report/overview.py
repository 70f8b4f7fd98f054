"""The first screen of an audit: one sentence, one picture, what to do first, and what could not be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from steelyard.pages.html.changes import Change, render_changes
from steelyard.pages.html.parts import Cell, render_table
from steelyard.pages.html.site import describe_pages, render_distribution
from steelyard.site.lines import Gap, PageLine
from steelyard.site.model import EXCLUDED, FAILED, NOT_MEASURED
from steelyard.site.report.page_links import PageLinks, render_list
from steelyard.site.report.problems import render_problems
from steelyard.site.report.terminal import list_limits
from steelyard.site.summary import Summary
from steelyard.support import escape
from steelyard.support.formatting import format_count

WORST = 8  # pages
MAX_LISTED = 500  # pages of a list, so that a browser opens the file at once


def render_overview(summary: Summary, links: PageLinks) -> str:
    """Return the first screen."""
    picture = render_distribution([(p.score, p.rating) for p in summary.pages]) if len(summary.pages) > 1 else ""
    parts = (
        f'<p class="summary">{escape.html(describe_pages(summary.scores, summary.ratings))}</p>',
        f'<div class="first-screen"><div>{picture}</div>'
        f"<div>{render_problems(summary, links)}"
        f"{render_changes(_list_changes(summary, links), len(summary.pages))}</div>"
        f"<div>{_render_unread(summary, links)}</div></div>",
        _render_pages(summary, links),
    )
    return f'<section class="tab" id="overview" aria-label="Overview">{"".join(parts)}</section>'


def _render_pages(summary: Summary, links: PageLinks) -> str:
    """Return the pages to begin with: the lowest scores with anything to do."""
    useful = [p for p in summary.compared if p.action and not p.guard]
    pages = (useful or summary.compared)[:WORST]
    if not pages:
        return ""
    heads: Sequence[str] = ("page", "score", "what to change")
    title = "Begin with these pages"
    about = "Ranked by score, the lowest first, of the pages on which something certain can be changed."
    if not useful:
        heads, title, about = heads[:2], "The lowest scores", "Nothing certain was found to change first."
    rows = [
        [links.render(p.url), Cell(f"{p.score:.1f}", p.score), _describe_first(p, links)][: len(heads)] for p in pages
    ]
    table = render_table("begin", "", heads, rows, numbers="1")
    more = f'<p><a href="{escape.html(links.base)}#pages">All {format_count(len(summary.pages), "page")}</a></p>'
    return f'<h2>{title}</h2><p class="dim">{about}</p>{table}{more}'


def _describe_first(page: PageLine, links: PageLinks) -> str:
    if page.passage is None:
        text = f"{page.first}: {page.action}" if page.action and page.why else page.first
        return links.render_place(page.url, 1, text)
    number, words, why, action = page.passage
    about = escape.html(f"{why}: {action}" if why else action)
    return f'{links.render_place(page.url, number, f"“{words}”")} <span class="dim">{about}</span>'


def _list_changes(summary: Summary, links: PageLinks) -> list[Change]:
    return [
        Change(gap.action or gap.about, gap.about, gap.pages, gap.total, _list_pages(gap, summary, links))
        for gap in summary.gaps
    ]


def _list_pages(gap: Gap, summary: Summary, links: PageLinks) -> str:
    pages = [page for page in summary.pages if gap.rule in page.rules]
    return render_lines(pages, links, {page.url: page.rules.index(gap.rule) + 1 for page in pages[:MAX_LISTED]})


def render_lines(pages: Sequence[PageLine], links: PageLinks, places: Mapping[str, int] | None = None) -> str:
    """Return a list of pages, the worst of very many; `places` has the suggestion to which each one's link leads."""
    items = [render_line(page, links, (places or {}).get(page.url)) for page in pages[:MAX_LISTED]]
    if (more := len(pages) - MAX_LISTED) > 0:
        items.append(f"and {format_count(more, 'page')} with higher scores")
    return render_list(items)


def render_line(page: PageLine, links: PageLinks, place: int | None = None) -> str:
    """Return a page in a list: its link, its score and its length."""
    about = f"{page.score:.1f}, {format_count(page.words, 'word')}"
    name = links.render(page.url) if place is None else links.render_place(page.url, place, links.name(page.url))
    return f'{name} <span class="dim">{escape.html(about)}</span>'


def _render_unread(summary: Summary, links: PageLinks) -> str:
    """Return what could not be read, each with a link to its list."""
    states = summary.states
    items = []
    if failed := sum(other.state == FAILED for other in summary.unread):
        items.append(("unread", f"{format_count(failed, 'address', 'addresses')} failed"))
    if count := states[NOT_MEASURED]:
        items.append(("unread", f"{format_count(count, 'address', 'addresses')} without a page to score"))
    if count := states[EXCLUDED]:
        items.append(("unread", f"{format_count(count, 'address', 'addresses')} not asked for"))
    if count := len(summary.doubtful):
        items.append(("check", f"{format_count(count, 'page')} of which it is doubtful that the main text was read"))
    base = escape.html(links.base)
    shown = [f'<li><a href="{base}#{place}">{escape.html(text)}</a></li>' for place, text in items]
    shown += [f"<li>{escape.html(note)}</li>" for note in list_limits(summary.end)]
    return f"<h2>What could not be read</h2><ul>{''.join(shown) or '<li>nothing: every address was read</li>'}</ul>"
