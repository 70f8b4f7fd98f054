"""The pages about audits: the queue, the stored sites, their history, one audit, two compared, the leaderboard."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from steelyard.pages.descriptions import LABELS
from steelyard.site.report.access import render_access
from steelyard.site.summary import Summary
from steelyard.web.chart import draw_history
from steelyard.web.forms import read_form
from steelyard.web.responses import HTTPError
from steelyard.web.schemas import AUDIT, DEFAULT_PAGES, check_values
from steelyard.web.state import get_state

MAX_CHARTED = 60  # audits in the chart, the newest
MAX_WORST = 10  # pages on the page of a site
MAX_PAGES = 1_000  # rows of a table, so that a browser opens it at once


def locate_site(site: str) -> str:
    """Return the address of a site's page."""
    return f"/sites/{quote(site, safe='')}"


def locate_audit(site: str, number: int) -> str:
    """Return the address of the page of a stored audit."""
    return f"/sites/{quote(site, safe='')}/audits/{number}"


_LOCATORS: dict[str, Any] = {"locate_site": locate_site, "locate_audit": locate_audit}


async def show_audits(request: Request) -> Response:
    """Show the queue."""
    return _render_queue(request)


async def start_audit(request: Request) -> Response:
    """Put an audit into the queue, and show it."""
    form = await read_form(request)
    url, typed = form.text("url").strip(), form.text("max_pages").strip() or str(DEFAULT_PAGES)
    is_number = typed.isascii() and typed.isdecimal() and len(typed) < 10
    try:
        values = check_values({"url": url, "max_pages": int(typed) if is_number else typed}, AUDIT)
        await get_state(request).audits.add(url, values["max_pages"])
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
    """Show a site: its history, the worst pages and the commonest gaps of its last audit."""
    state, site = get_state(request), request.path_params["site"]
    audits = await state.sites.list_audits(site)
    finished = [audit for audit in audits if audit["state"] == "done" and audit["mean"] is not None]
    summary = (await state.sites.read_audit(site, finished[0]["id"]))[1] if finished else None
    trend = await state.sites.find_trend(site)
    charted = [(a.as_of.isoformat(), a.mean) for a in trend.audits[-MAX_CHARTED:] if a.mean is not None]
    return state.renderer.render(
        request,
        "site.html",
        site=site,
        audits=audits,
        latest=finished[0] if finished else None,
        previous=finished[1] if len(finished) > 1 else None,
        summary=summary,
        worst=MAX_WORST,
        chart=draw_history(charted),
        left_out=trend.left_out,
        left_out_advice=trend.advice,
        **_LOCATORS,
    )


async def show_stored_audit(request: Request) -> Response:
    """Show one audit: its pages, worst first, and why others were not measured."""
    state, site = get_state(request), request.path_params["site"]
    audit, summary = await state.sites.read_audit(site, request.path_params["number"])
    return state.renderer.render(
        request,
        "audit.html",
        site=site,
        audit=audit,
        summary=summary,
        most=MAX_PAGES,
        access=_render_access(summary),
        **_LOCATORS,
    )


def _render_access(summary: Summary) -> Markup:
    return Markup(render_access(summary.access, summary.logs))  # noqa: S704 - escaped by the report


async def show_diff(request: Request) -> Response:
    """Show what changed between two audits of a site."""
    state, site = get_state(request), request.path_params["site"]
    old, new = (request.query_params.get(name) or default for name, default in (("old", "previous"), ("new", "latest")))
    diff = await state.sites.compare(site, old, new)
    return state.renderer.render(request, "diff.html", site=site, diff=diff, most=MAX_PAGES, labels=LABELS, **_LOCATORS)


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
        duration=format_duration,
        **_LOCATORS,
    )
