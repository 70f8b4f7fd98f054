"""The first screen of an audit: one sentence, one picture, what to do first, and what could not be read."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.pages.html.parts import Cell, render_table
from steelyard.pages.html.site import format_gain, render_distribution
from steelyard.pages.listing import NOT_COMPARED
from steelyard.scoring.reference import FAIR, GOOD, POOR
from steelyard.site.model import EXCLUDED, FAILED, NOT_MEASURED
from steelyard.site.report.page_links import PageLinks, render_fold, render_list
from steelyard.site.report.terminal import list_limits
from steelyard.site.summary import Gap, PageLine, Summary
from steelyard.support import escape
from steelyard.support.formatting import format_count
from steelyard.support.quantile import quantile

FIRST = 5  # changes on the first screen
WORST = 8  # pages
MAX_LISTED = 500  # pages of a list, so that a browser opens the file at once


def render_overview(summary: Summary, links: PageLinks) -> str:
    """Return the first screen."""
    picture = render_distribution([(p.score, p.rating) for p in summary.pages]) if len(summary.pages) > 1 else ""
    parts = (
        f'<p class="summary">{escape.html(describe_site(summary))}</p>',
        f'<div class="first-screen"><div>{picture}{_render_unread(summary, links)}</div>'
        f"<div>{_render_changes(summary, links)}</div></div>",
        _render_pages(summary, links),
    )
    return f'<section class="tab" id="overview" aria-label="Overview">{"".join(parts)}</section>'


def describe_site(summary: Summary) -> str:
    """Say in one sentence how good the pages are."""
    scores, ratings = summary.scores, summary.ratings
    if not scores:
        return "No page was scored."
    if len(scores) == 1:
        return f"The page scores {scores[0]:.1f} of 100."
    half = f"Half of the {len(scores):,} pages score {quantile(scores, 0.5):.1f} of 100 or more"
    compared = len(scores) - ratings[NOT_COMPARED]
    if not compared:
        return f"{half}."
    among = "in all" if compared == len(scores) else f"of the {compared:,} that can be compared with other sites"
    return f"{half}; {among}, {ratings[GOOD]:,} are good, {ratings[FAIR]:,} fair and {ratings[POOR]:,} poor."


def _render_pages(summary: Summary, links: PageLinks) -> str:
    """Return the pages to begin with: the lowest scores with words to change, then those with anything to do."""
    useful = [p for p in summary.pages if p.action and not (p.guard or p.doubt)]
    pages = sorted(useful, key=lambda p: p.passage is None)[:WORST] or summary.pages[:WORST]
    if not pages:
        return ""
    heads: Sequence[str] = ("page", "score", "what to change")
    title = "Begin with these pages"
    about = "The lowest scores of pages on which something certain can be changed."
    if not useful:
        heads, title, about = heads[:2], "The lowest scores", "Nothing certain was found to change first."
    rows = [[links.render(p.url), Cell(f"{p.score:.1f}", p.score), _describe_first(p)][: len(heads)] for p in pages]
    table = render_table("begin", "", heads, rows, numbers="1")
    more = f'<p><a href="{escape.html(links.base)}#pages">All {format_count(len(summary.pages), "page")}</a></p>'
    return f'<h2>{title}</h2><p class="dim">{about}</p>{table}{more}'


def _describe_first(page: PageLine) -> str:
    if page.passage is None:
        return escape.html(f"{page.first}: {page.action}" if page.action and page.why else page.first)
    words, why, action = page.passage
    return f'“{escape.html(words)}” <span class="dim">{escape.html(f"{why}: {action}" if why else action)}</span>'


def _render_changes(summary: Summary, links: PageLinks) -> str:
    gaps = summary.rank_gaps()
    if not gaps:
        return ""
    with_points = (
        "What gains most over all pages comes first, in points of the formula. A change for readers alone has none."
    )
    about = f'<p class="dim">{with_points if _have_points(gaps) else "What is found on most pages comes first."}</p>'
    first = _render_gaps(gaps[:FIRST], summary, links)
    rest = gaps[FIRST:]
    more = render_fold(format_count(len(rest), "more change"), _render_gaps(rest, summary, links)) if rest else ""
    return f"<h2>What to do first</h2>{about}{first}{more}"


def _render_gaps(gaps: Sequence[Gap], summary: Summary, links: PageLinks) -> str:
    rows = [
        [
            f'<b>{escape.html(gap.action or gap.about)}</b> <span class="dim">{escape.html(gap.about)}</span>'
            + render_fold(f"the {format_count(gap.pages, 'page')}", _list_pages(gap, summary, links)),
            Cell(f"{gap.pages:,}", 100 * gap.pages / len(summary.pages)),
            *((format_gain(gap.gain), format_gain(gap.total)) if _have_points(gaps) else ()),
        ]
        for gap in gaps
    ]
    heads = ("change", "pages", *(("points a page", "in total") if _have_points(gaps) else ()))
    return render_table("todo", "", heads, rows, numbers="123")


def _have_points(gaps: Sequence[Gap]) -> bool:
    return any(format_gain(gap.total) for gap in gaps)


def _list_pages(gap: Gap, summary: Summary, links: PageLinks) -> str:
    return render_lines([page for page in summary.pages if gap.rule in page.rules], links)


def render_lines(pages: Sequence[PageLine], links: PageLinks) -> str:
    """Return a list of pages, the worst of very many."""
    items = [render_line(page, links) for page in pages[:MAX_LISTED]]
    if (more := len(pages) - MAX_LISTED) > 0:
        items.append(f"and {format_count(more, 'page')} with higher scores")
    return render_list(items)


def render_line(page: PageLine, links: PageLinks) -> str:
    """Return a page in a list: its link, its score and its length."""
    about = f"{page.score:.1f}, {format_count(page.words, 'word')}"
    return f'{links.render(page.url)} <span class="dim">{escape.html(about)}</span>'


def _render_unread(summary: Summary, links: PageLinks) -> str:
    """Return what could not be read, each with a link to its list."""
    states = summary.states
    broken = [other for other in summary.others if other.state == FAILED and other.found_on]
    items = []
    if failed := states[FAILED]:
        where = f", named on {format_count(len({o.found_on for o in broken}), 'page')}" if broken else ""
        items.append(("unread", f"{format_count(failed, 'address', 'addresses')} failed{where}"))
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
