"""The pages about audits: the queue, the stored sites, their history, one audit, two compared, the leaderboard."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from steelyard.pages.descriptions import LABELS
from steelyard.scoring import editions
from steelyard.site.page_views import PageView, choose_views
from steelyard.site.report.html import render_audit, render_history, render_html
from steelyard.site.report.overview import render_overview
from steelyard.site.report.page_links import PageLinks
from steelyard.site.report.terminal import describe_counts
from steelyard.site.visit_changes import describe_advice, group_access
from steelyard.web.chart import draw_history
from steelyard.web.forms import read_form
from steelyard.web.responses import HTTPError
from steelyard.web.result_view import PREFIX, describe_result
from steelyard.web.schemas import AUDIT, DEFAULT_PAGES, check_values
from steelyard.web.state import get_state

if TYPE_CHECKING:
    from steelyard.site.summary import Summary

MAX_PAGES = 1_000  # rows of a table, so that a browser opens it at once


def locate_site(site: str) -> str:
    """Return the address of a site's page."""
    return f"/sites/{quote(site, safe='')}"


def locate_audit(site: str, number: int) -> str:
    """Return the address of the page of a stored audit."""
    return f"/sites/{quote(site, safe='')}/audits/{number}"


def locate_page(site: str, number: int, url: str) -> str:
    """Return the address of the view of a page of an audit."""
    return f"{locate_audit(site, number)}/page?url={quote(url, safe='')}"


def format_moment(audit: Mapping[str, Any]) -> str:
    """Return when an audit ended, to the minute, and where that differs the day that ages are counted up to."""
    ended, day = audit.get("finished"), audit["as_of"]
    if not ended:
        return str(day)
    moment = f"{ended[:10]} {ended[11:16]} UTC"
    return moment if ended[:10] == day else f"{moment}, as of {day}"


_LOCATORS: dict[str, Any] = {
    "locate_site": locate_site,
    "locate_audit": locate_audit,
    "locate_page": locate_page,
    "moment": format_moment,
}


async def show_audits(request: Request) -> Response:
    """Show the queue."""
    return _render_queue(request)


async def start_audit(request: Request) -> Response:
    """Put an audit into the queue, and show it."""
    form = await read_form(request)
    url, typed = form.text("url").strip(), form.text("max_pages").strip() or str(DEFAULT_PAGES)
    edition = form.text("edition") or editions.DEFAULT
    is_number = typed.isascii() and typed.isdecimal() and len(typed) < 10
    try:
        values = check_values({"url": url, "max_pages": int(typed) if is_number else typed, "edition": edition}, AUDIT)
        await get_state(request).audits.add(url, values["max_pages"], edition)
    except HTTPError as error:
        return _render_queue(request, error=error, url=url)
    return RedirectResponse("/audits", 303)


async def stop_audit(request: Request) -> Response:
    """Stop an audit, and show the queue."""
    await read_form(request)
    await get_state(request).audits.stop(request.path_params["number"])
    return RedirectResponse("/audits", 303)


async def show_sites(request: Request) -> Response:
    """List the sites."""
    state = get_state(request)
    return state.renderer.render(request, "sites.html", sites=await state.sites.list_sites(), **_LOCATORS)


async def show_site(request: Request) -> Response:
    """Show a site: its history, and the first screen of its last audit."""
    state, site = get_state(request), request.path_params["site"]
    audits = await state.sites.list_audits(site)
    finished = [audit for audit in audits if audit["state"] == "done" and audit["mean"] is not None]
    summary = (await state.sites.read_audit(site, finished[0]["id"]))[1] if finished else None
    return state.renderer.render(
        request,
        "site.html",
        site=site,
        audits=audits,
        latest=finished[0] if finished else None,
        previous=finished[1] if len(finished) > 1 else None,
        overview=_render_overview(site, finished[0]["id"], summary) if summary else "",
        chart=draw_history(await state.sites.find_medians(site)),
        **_LOCATORS,
    )


async def show_stored_audit(request: Request) -> Response:
    """Show one audit: its first screen, its pages, worst first, and why others were not measured."""
    state, site, number = get_state(request), request.path_params["site"], request.path_params["number"]
    audit, summary = await state.sites.read_audit(site, number)
    parts = render_audit(summary, link_pages(site, number, summary))
    return state.renderer.render(
        request,
        "audit.html",
        site=site,
        audit=audit,
        counts=describe_counts(summary),
        parts=Markup("\n".join(parts)),  # noqa: S704 - escaped by the report
        **_LOCATORS,
    )


async def show_audited_page(request: Request) -> Response:
    """Show one page of an audit, as the page on which texts are scored shows it."""
    state, site, number = get_state(request), request.path_params["site"], request.path_params["number"]
    url = request.query_params.get("url", "")
    audit, entries, past = await state.sites.read_pages(site, number, [url])
    ((address, entry),) = entries.items()
    result = await state.scorer.restore(entry, address, audit["scoring"])
    return state.renderer.render(
        request,
        "page.html",
        site=site,
        audit=audit,
        url=url,
        is_address=url.startswith(("http://", "https://")),
        result=describe_result(result),
        history=Markup(render_history(result.score, past.get(address, ()))),  # noqa: S704 - escaped by the report
        **_LOCATORS,
    )


async def export_audit(request: Request) -> Response:
    """Answer with an audit as one HTML file."""
    state, site, number = get_state(request), request.path_params["site"], request.path_params["number"]
    audit, summary = await state.sites.read_audit(site, number)
    views: dict[str, PageView] = {}
    if summary.pages:
        _, entries, past = await state.sites.read_pages(site, number, choose_views(summary))
        for url, entry in entries.items():
            result = await state.scorer.restore(entry, url, audit["scoring"])
            views[url] = PageView(result, past.get(url, ()))
    scoring = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in audit["scoring"].items())
    page = await asyncio.to_thread(render_html, site, summary, scoring, views)
    headers = {"Content-Disposition": 'attachment; filename="steelyard-audit.html"'}
    return HTMLResponse(page.encode("utf-8", "backslashreplace"), headers=headers)


def link_pages(site: str, number: int, summary: Summary, base: str = "") -> PageLinks:
    """Return where the views of an audit's pages are in the app."""
    return PageLinks(site, {page.url: locate_page(site, number, page.url) for page in summary.pages}, base, PREFIX)


def _render_overview(site: str, number: int, summary: Summary) -> Markup:
    links = link_pages(site, number, summary, locate_audit(site, number))
    return Markup(render_overview(summary, links))  # noqa: S704 - escaped by the report


async def show_diff(request: Request) -> Response:
    """Show what changed between two audits of a site."""
    state, site = get_state(request), request.path_params["site"]
    old, new = (request.query_params.get(name) or default for name, default in (("old", "previous"), ("new", "latest")))
    diff = await state.sites.compare(site, old, new)
    advised = [change for change in diff.visits if change.advice]
    return state.renderer.render(
        request, "diff.html", site=site, diff=diff, most=MAX_PAGES, labels=LABELS, access=group_access(diff.visits),
        advised=advised, advice=describe_advice(diff.visits), **_LOCATORS,
    )  # fmt: skip


async def show_leaderboard(request: Request) -> Response:
    """Show the leaderboard."""
    state = get_state(request)
    board = await state.sites.build_leaderboard()
    return state.renderer.render(request, "leaderboard.html", board=board, **_LOCATORS)


def format_duration(seconds: float) -> str:
    """Return a time that is left, in the unit that people use for it."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _render_queue(request: Request, *, error: HTTPError | None = None, url: str = "") -> Response:
    state = get_state(request)
    entries = state.audits.list_entries()
    return state.renderer.render(
        request,
        "queue.html" if request.query_params.get("part") == "queue" else "audits.html",
        entries=entries,
        is_open=any(entry.is_open for entry in entries),
        error=error,
        url=url,
        max_pages=DEFAULT_PAGES,
        editions=editions.NAMES,
        edition=editions.DEFAULT,
        duration=format_duration,
        **_LOCATORS,
    )
