"""The page that starts audits and follows them."""

from __future__ import annotations

from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from steelyard.web.forms import read_form
from steelyard.web.responses import HTTPError
from steelyard.web.schemas import AUDIT, DEFAULT_PAGES, check_values
from steelyard.web.state import get_state


async def show_audits(request: Request) -> Response:
    """Show the queue."""
    return _render(request)


async def start_audit(request: Request) -> Response:
    """Put an audit into the queue, and show it."""
    form = await read_form(request)
    url, typed = form.text("url").strip(), form.text("max_pages").strip() or str(DEFAULT_PAGES)
    is_number = typed.isascii() and typed.isdecimal() and len(typed) < 10
    try:
        values = check_values({"url": url, "max_pages": int(typed) if is_number else typed}, AUDIT)
        await get_state(request).audits.add(url, values["max_pages"])
    except HTTPError as error:
        return _render(request, error=error, url=url)
    return RedirectResponse("/audits", 303)


async def stop_audit(request: Request) -> Response:
    """Stop an audit, and show the queue."""
    await read_form(request)
    await get_state(request).audits.stop(request.path_params["number"])
    return RedirectResponse("/audits", 303)


def locate_audit(site: str, number: int) -> str:
    """Return the address of the page of a stored audit."""
    return f"/sites/{quote(site, safe='')}/audits/{number}"


def format_duration(seconds: float) -> str:
    """Return a time that is left, in the unit that people use for it."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _render(request: Request, *, error: HTTPError | None = None, url: str = "") -> Response:
    state = get_state(request)
    entries = state.audits.list_entries()
    return state.renderer.render(
        request,
        "queue.html" if request.query_params.get("part") == "queue" else "audits.html",
        status=error.status if error else 200,
        entries=entries,
        is_open=any(entry.is_open for entry in entries),
        error=error.message if error else "",
        url=url,
        max_pages=DEFAULT_PAGES,
        duration=format_duration,
        locate_audit=locate_audit,
    )
