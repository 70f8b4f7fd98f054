"""An audit for the browser: its parts, of which the first screen is shown first, and all of them as one file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from steelyard.pages.descriptions import SCOPE
from steelyard.pages.html.document import read_asset, render_document, render_views
from steelyard.site.page_views import PageView, Past
from steelyard.site.report.access import render_access
from steelyard.site.report.lists import (
    render_broken,
    render_checks,
    render_duplicates,
    render_pages,
    render_parts,
    render_unscored,
)
from steelyard.site.report.overview import render_overview
from steelyard.site.report.page_links import PageLinks, link_outside
from steelyard.site.report.terminal import describe_counts
from steelyard.site.summary import Summary
from steelyard.support import escape
from steelyard.support.formatting import format_count, format_signed


def render_html(site: str, summary: Summary, scoring: str, views: Mapping[str, PageView] | None = None) -> str:
    """Return the whole file.

    Args:
        site: The site's name.
        summary: The figures.
        scoring: What all scores depend on, in words.
        views: The pages that have a view, by their addresses.
    """
    views = views or {}
    links = PageLinks(site, {url: f"#p{number}" for number, url in enumerate(views)})
    head = [
        '<a class="skip" href="#pages">Skip to the pages</a>',
        f"<header><h1>{escape.html(site)}</h1>",
        f'<p class="dim">{escape.html(describe_counts(summary))}. Each score is {SCOPE}; '
        f"{escape.html(scoring)}.</p></header>",
    ]
    parts = [*render_audit(summary, links), _render_views(summary, list(views.values()))]
    return render_document(f"Steelyard: {site}", head, parts, script=read_asset("report.js"))


def render_audit(summary: Summary, links: PageLinks) -> list[str]:
    """Return the parts of an audit as HTML: links to all of them, then the first screen, then the lists."""
    checks = {page.url for page in (*summary.flagged, *summary.doubtful, *summary.thin, *summary.orphans)}
    count, broken = f"{len(summary.pages):,}", sum(map(len, summary.broken.values()))
    tabs = (
        ("pages", "Pages, the worst first", f"Pages ({count})", render_pages(summary, links)),
        ("broken", "Broken links", f"Broken links ({broken:,})", render_broken(summary, links)),
        ("access", "Access", "Access", render_access(summary.access, summary.logs, links)),
        ("parts", "Parts of the site", "Parts of the site", render_parts(summary, links)),
        ("check", "Pages to check", f"To check ({len(checks):,})", render_checks(summary, links)),
        (
            "same",
            "Duplicate pages, counted once",
            f"Duplicates ({len(summary.groups):,})",
            render_duplicates(summary, links),
        ),
        ("unread", "Not scored", f"Not scored ({len(summary.unread):,})", render_unscored(summary.unread, links)),
    )
    shown = [tab for tab in tabs if tab[3]]
    items = "".join(f'<li><a href="#{name}">{escape.html(label)}</a></li>' for name, _, label, _ in shown)
    menu = f'<nav class="tabs" aria-label="Report"><ul><li><a href="#overview">Overview</a></li>{items}</ul></nav>'
    lists = [
        f'<section class="tab" aria-labelledby="{name}"><h2 id="{name}" tabindex="-1">{title}</h2>{inside}</section>'
        for name, title, _, inside in shown
    ]
    return [menu, render_overview(summary, links), *lists]


def _render_views(summary: Summary, views: Sequence[PageView]) -> str:
    if not views:
        return ""
    extras = [
        f'{render_history(view.result.score, view.history)}<p class="links">{_link_back(view)}</p>' for view in views
    ]
    pages = "\n".join(render_views([view.result for view in views], extras, is_open=True))
    more = len(summary.pages) - len(views)
    note = (
        f"<p>{format_count(more, 'page')} with higher scores have no view here: score them alone.</p>" if more else ""
    )
    return f'<section class="views"><h2>The page</h2>{note}\n{pages}</section>'


def _link_back(view: PageView) -> str:
    outside = link_outside(view.result.url or "")
    return f'<a href="#overview">Back to the overview</a> · <a href="#pages">All pages</a>{outside and f" · {outside}"}'


def render_history(score: float, history: Sequence[Past]) -> str:
    """Return a page's earlier scores in words."""
    if not history:
        return ""
    past = ", ".join(f"{past.score:.1f} ({past.as_of})" for past in history)
    change = format_signed(score - history[-1].score, 1)
    return f'<p class="history">Earlier scores: {escape.html(past)}; since the last {escape.html(change)}</p>'
