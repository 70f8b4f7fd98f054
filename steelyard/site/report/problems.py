"""What keeps readers from a site: broken links, checks of access that fail, agents kept out, and thin pages."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.pages.html.parts import render_fold
from steelyard.site.access.page_access import FAILING
from steelyard.site.access.summary import FAULTS, AccessSummary, CheckCount
from steelyard.site.lines import Unscored
from steelyard.site.report.page_links import PageLinks, render_list
from steelyard.site.summary import Summary
from steelyard.support import escape
from steelyard.support.formatting import format_count

MAX_PAGES = 100  # of a list on the first screen
MAX_NAMED = 50  # broken links of a page, agents


def describe_fault(check: CheckCount, fault: str) -> str:
    """Return what is wrong with pages that fail a check, in words."""
    return f"{FAILING[check.name]}: {fault}" if check.name in FAULTS else FAILING[check.name]


def describe_broken(summary: Summary) -> str:
    """Return how many links are broken, and on how many pages."""
    count = sum(map(len, summary.broken.values()))
    return f"{format_count(count, 'broken link')} on {format_count(len(summary.broken), 'page')}"


def describe_agents(access: AccessSummary) -> str:
    """Return which agents robots.txt keeps from pages; an empty string for none."""
    if not access.limited:
        return ""
    names = ", ".join(one.agent.name for one in access.limited[:MAX_NAMED])
    return f"robots.txt keeps {format_count(len(access.limited), 'AI agent')} from some or all pages: {names}"


def render_problems(summary: Summary, links: PageLinks) -> str:
    """Return the part of the first screen that has them, each with its pages; an empty string where there are none."""
    items = list(_list_problems(summary, links))
    if not items:
        return ""
    shown = "".join(f"<li>{item}</li>" for item in items)
    return (
        f'<h2>Links, access, thin pages</h2><p class="dim">Of these, only thin pages cost points.</p><ul>{shown}</ul>'
    )


def _list_problems(summary: Summary, links: PageLinks) -> Iterator[str]:
    base = escape.html(links.base)
    if broken := summary.broken:
        pages = [f"{links.render(page)}: {_name_addresses(found, links)}" for page, found in broken.items()]
        yield f'<a href="{base}#broken">{escape.html(describe_broken(summary))}</a>{_fold_pages(pages)}'
    for check in summary.access.checks:
        for fault, urls in check.faults.items():
            text = f"{format_count(len(urls), 'page')}: {describe_fault(check, fault)}"
            yield escape.html(text) + _fold_pages([links.render(url) for url in urls])
    if agents := describe_agents(summary.access):
        yield f'<a href="{base}#access">{escape.html(agents)}</a>'
    if thin := summary.thin:
        text = f"{format_count(len(thin), 'page')} with so little text that it limits the score"
        yield escape.html(text) + _fold_pages([f"{links.render(p.url)} {escape.html(p.held)}" for p in thin])


def _fold_pages(pages: list[str]) -> str:
    more = len(pages) - MAX_PAGES
    rest = [f"and {format_count(more, 'other page')}"] if more > 0 else []
    return render_fold(
        "show the pages" if len(pages) > 1 else "show the page", render_list([*pages[:MAX_PAGES], *rest])
    )


def _name_addresses(broken: list[Unscored], links: PageLinks) -> str:
    named = ", ".join(links.name(address.url) for address in broken[:MAX_NAMED])
    return escape.html(named + (f" and {len(broken) - MAX_NAMED:,} more" if len(broken) > MAX_NAMED else ""))
