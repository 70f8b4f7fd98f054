"""The pages about stored audits: sites, their history, one audit, what changed between two, the leaderboard."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from steelyard.pages.descriptions import LABELS
from steelyard.web.audit_pages import locate_audit
from steelyard.web.chart import draw_history
from steelyard.web.state import get_state

MAX_CHARTED = 60  # audits in the chart, the newest
MAX_WORST = 10  # pages on the page of a site
MAX_PAGES = 1_000  # rows of a table, so that a browser opens it at once


async def show_sites(request: Request) -> Response:
    """List the sites."""
    state = get_state(request)
    return state.renderer.render(request, "sites.html", sites=await state.sites.list_sites(), locate_site=locate_site)


async def show_site(request: Request) -> Response:
    """Show a site: its history, the worst pages and the commonest gaps of its last audit."""
    state, site = get_state(request), request.path_params["site"]
    audits = await state.sites.list_audits(site)
    finished = [audit for audit in audits if audit["state"] == "done" and audit["mean"] is not None]
    summary = (await state.sites.read_audit(site, finished[0]["id"]))[1] if finished else None
    trend = await state.sites.find_trend(site)
    charted = [(audit.as_of.isoformat(), audit.mean) for audit in trend.audits[-MAX_CHARTED:]]
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
        **_locators(),
    )


async def show_audit(request: Request) -> Response:
    """Show one audit: its pages, worst first, and why others were not measured."""
    state, site = get_state(request), request.path_params["site"]
    audit, summary = await state.sites.read_audit(site, request.path_params["number"])
    return state.renderer.render(
        request, "audit.html", site=site, audit=audit, summary=summary, most=MAX_PAGES, **_locators()
    )


async def show_diff(request: Request) -> Response:
    """Show what changed between two audits of a site."""
    state, site = get_state(request), request.path_params["site"]
    old, new = (request.query_params.get(name) or default for name, default in (("old", "previous"), ("new", "latest")))
    diff = await state.sites.compare(site, old, new)
    return state.renderer.render(
        request, "diff.html", site=site, diff=diff, most=MAX_PAGES, labels=LABELS, **_locators()
    )


async def show_leaderboard(request: Request) -> Response:
    """Show the leaderboard."""
    state = get_state(request)
    board = await state.sites.build_leaderboard()
    return state.renderer.render(request, "leaderboard.html", board=board, locate_site=locate_site)


def locate_site(site: str) -> str:
    """Return the address of a site's page."""
    return f"/sites/{quote(site, safe='')}"


def _locators() -> dict[str, Any]:
    return {"locate_site": locate_site, "locate_audit": locate_audit}
