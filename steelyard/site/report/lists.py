"""The lists of an audit: all pages, the parts of the site, what to check, duplicates, and what was not scored."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Sequence
from urllib.parse import urlsplit

from steelyard.pages.html.page import explain_flag
from steelyard.pages.html.parts import Cell, render_fold, render_table
from steelyard.pages.reading import WITHHELD
from steelyard.scoring.reference import POOR
from steelyard.site.lines import PageLine, Unscored
from steelyard.site.report.overview import render_lines
from steelyard.site.report.page_links import FOLDED, PageLinks, fold, render_list
from steelyard.site.report.problems import describe_broken
from steelyard.site.summary import Summary
from steelyard.support import escape
from steelyard.support.formatting import format_count
from steelyard.support.quantile import quantile

MAX_ROWS = 2_000  # of a list, so that a browser opens the file at once
MAX_PARTS = 100  # of the site
MAX_OTHERS = 50  # duplicates of one page
COLUMNS = ("page", "score", "words", "language", "rating", "what to change first", "to check")


def render_pages(summary: Summary, links: PageLinks) -> str:
    """Return the table of all pages, those last that are not compared, some at a time, with a field to filter it."""
    pages = [*summary.compared, *summary.apart]
    if not pages:
        return "<p>No page was scored.</p>"
    shown = pages[:MAX_ROWS]
    tables = [
        render_table("pages", "", COLUMNS, [_make_row(p, links) for p in shown[at : at + FOLDED]], numbers="12")
        for at in range(0, len(shown), FOLDED)
    ]
    more = f"<p>These are the {MAX_ROWS:,} worst of {len(pages):,} pages.</p>" if len(pages) > MAX_ROWS else ""
    field = (
        '<p id="filter" hidden><label for="wanted">Filter the pages</label> <input id="wanted" type="search" '
        f'autocomplete="off" aria-describedby="shown"> <span id="shown" role="status">{len(shown):,} shown</span></p>'
    )
    return f"{more}{field}{fold(tables, len(shown), 'pages')}"


def _make_row(page: PageLine, links: PageLinks) -> list[str]:
    return [
        links.render(page.url),
        Cell(f"{page.score:.1f}", page.score),
        f"{page.words:,}",
        escape.html(page.language),
        page.rating or "",
        escape.html(page.first) + (f' <span class="dim">({escape.html(page.held)})</span>' if page.held else ""),
        escape.html(", ".join([*page.flagged, *(["thin"] if page.is_thin else [])]).replace("_", " ")),
    ]


def render_parts(summary: Summary, links: PageLinks) -> str:
    """Return the pages by the first directory of their address; an empty string where all are in one."""
    groups: defaultdict[str, list[PageLine]] = defaultdict(list)
    names = [links.name(page.url) for page in summary.pages]
    # Cut at a slash; the names may be addresses, which are no paths.
    shared = os.path.commonprefix(names).rpartition("/")[0]  # noqa: RUF071
    for page, name in zip(summary.pages, names, strict=True):
        groups[find_part(name.removeprefix(shared))].append(page)
    if len(groups) < 2:
        return ""
    ordered = sorted(groups.items(), key=lambda group: (quantile([p.score for p in group[1]], 0.5), group[0]))
    rows = [_make_part(name, pages, links) for name, pages in ordered[:MAX_PARTS]]
    more = len(ordered) - len(rows)
    note = f"<p>{format_count(more, 'part')} with higher scores not shown.</p>" if more > 0 else ""
    return render_table("parts", "", ("part", "pages", "median", "lowest", "poor"), rows, numbers="1234") + note


def _make_part(name: str, pages: Sequence[PageLine], links: PageLinks) -> list[str]:
    median = quantile([page.score for page in pages], 0.5)
    inside = render_lines(pages, links)
    poor = sum(page.rating == POOR for page in pages)
    listed = f"<b>{escape.html(name)}</b>{render_fold('the ' + format_count(len(pages), 'page'), inside)}"
    return [listed, f"{len(pages):,}", Cell(f"{median:.1f}", median), f"{pages[0].score:.1f}", f"{poor:,}"]


def find_part(name: str) -> str:
    """Return the first directory of a page's name."""
    path = urlsplit(name).path if name.startswith("/") else name
    first, slash, _ = path.lstrip("/").partition("/")
    return f"/{first}/" if slash else "/"


def render_checks(summary: Summary, links: PageLinks) -> str:
    """Return the pages that need a look: flagged, read doubtfully, thin, linked by no page."""
    by_detector: defaultdict[str, list[PageLine]] = defaultdict(list)
    for page in summary.flagged:
        for name in page.flagged:
            by_detector[name].append(page)
    flagged = "".join(
        f"<h4>{escape.html(explain_flag(name))}</h4>{render_lines(pages, links)}"
        for name, pages in sorted(by_detector.items())
    )
    count = format_count(len(summary.flagged), "page")
    about = f"<p>A detector flags {count}. Honest pages are flagged, too: please check.</p>"
    doubtful = [
        f'{links.render(p.url)} <span class="dim">{escape.html(_shorten(p.doubt))}</span>' for p in summary.doubtful
    ]
    unsure = f"<p>Perhaps not their main text, {WITHHELD}.</p>"
    parts = (
        ("Flagged pages", about + flagged if flagged else ""),
        ("Doubtful readings", unsure + render_list(doubtful[:MAX_ROWS]) if doubtful else ""),
        ("Thin pages, with so little text that it limits the score", render_lines(summary.thin, links)),
        ("Orphans, named by a sitemap or a list, and linked by no page", render_lines(summary.orphans, links)),
    )
    return "".join(f"<h3>{title}</h3>{inside}" for title, inside in parts if inside)


def _shorten(doubt: str) -> str:
    """Return a doubt about a reading without what is the same for all of them."""
    return doubt.partition(f", {WITHHELD}")[0]


def render_duplicates(summary: Summary, links: PageLinks) -> str:
    """Return the groups of duplicate pages, each folded below the page that counts."""
    groups = []
    for group in summary.groups[:MAX_ROWS]:
        others = [f"{links.render(url)}: {escape.html(reason)}" for url, reason in group.others[:MAX_OTHERS]]
        if (more := len(group.others) - MAX_OTHERS) > 0:
            others.append(f"and {format_count(more, 'other')}")
        inside = "".join(f"<li>{other}</li>" for other in others)
        same = format_count(len(group.others), "duplicate")
        groups.append(f"{links.render(group.kept)}{render_fold(same, f'<ul>{inside}</ul>')}")
    return render_list(groups)


def render_broken(summary: Summary, links: PageLinks) -> str:
    """Return the broken links below the pages that have them; an empty string where there are none."""
    pages = list(summary.broken.items())
    if not pages:
        return ""
    about = "Each address is listed once, under the page on which it was found first."
    if (more := len(pages) - MAX_ROWS) > 0:
        about += f" {format_count(more, 'page')} with fewer broken links not shown."
    shown = [
        links.render(page)
        + render_fold(format_count(len(found), "broken link"), _list_reasons(found[:MAX_ROWS], links))
        for page, found in pages[:MAX_ROWS]
    ]
    return f"<h3>{escape.html(describe_broken(summary))}</h3><p>{about}</p>{render_list(shown)}"


def render_unscored(others: Sequence[Unscored], links: PageLinks) -> str:
    """Return what else was not scored, by the reasons."""
    reasons: defaultdict[str, list[Unscored]] = defaultdict(list)
    for other in others[:MAX_ROWS]:
        reasons[f"{other.state}: {other.reason}" if other.reason != other.state else other.state].append(other)
    if not reasons:
        return ""
    more = f"<p>The first {MAX_ROWS:,} of {len(others):,} addresses.</p>" if len(others) > MAX_ROWS else ""
    ordered = sorted(reasons.items(), key=lambda entry: (-len(entry[1]), entry[0]))
    shown = [render_fold(f"{len(found):,}: {reason}", _list_addresses(found, links)) for reason, found in ordered]
    return more + render_list(shown)


def _list_reasons(others: Sequence[Unscored], links: PageLinks) -> str:
    return render_list([f"{escape.html(links.name(o.url))}: {escape.html(o.reason)}" for o in others])


def _list_addresses(others: Sequence[Unscored], links: PageLinks) -> str:
    named = [f", named by {links.render(o.found_on)}" if o.found_on else "" for o in others]
    return render_list([escape.html(links.name(o.url)) + name for o, name in zip(others, named, strict=True)])
