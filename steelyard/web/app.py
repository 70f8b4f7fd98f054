"""The app: its addresses, and what lives as long as the server."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager

from starlette.convertors import Convertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route, Router

from steelyard.web import api, score_pages, site_pages
from steelyard.web.access import Access
from steelyard.web.audits import AuditQueue
from steelyard.web.guard import Guard
from steelyard.web.openapi import OPERATIONS, build_openapi
from steelyard.web.options import ServeOptions
from steelyard.web.render import Renderer, read_static
from steelyard.web.responses import HTTPError
from steelyard.web.scoring import Scorer
from steelyard.web.sites import Sites
from steelyard.web.state import AppState, get_state

TYPES = {".css": "text/css", ".js": "text/javascript"}
HEADINGS = {401: "Log in first", 403: "Refused", 404: "Not found", 413: "Too large", 429: "Too many requests"}

Handler = Callable[[Request], Awaitable[Response]]


class AuditNumber(Convertor[int]):
    """The number of an audit in an address; one that no audit can have is no address of ours."""

    regex = "[0-9]{1,18}"

    def convert(self, value: str) -> int:
        return int(value)

    def to_string(self, value: int) -> str:
        return str(value)


register_url_convertor("audit", AuditNumber())


async def show_static(request: Request) -> Response:
    """Answer with a file of the app; its address changes with its content, so browsers keep it."""
    name = request.path_params["name"]
    content = read_static(name)
    if content is None:
        raise HTTPError(404, "there is no such file")
    kind = TYPES[name[name.rindex(".") :]]
    return Response(content, headers={"Cache-Control": "public, max-age=31536000, immutable"}, media_type=kind)


async def show_api(request: Request) -> Response:
    """Show what the API takes."""
    state = get_state(request)
    return state.renderer.render(
        request,
        "api.html",
        operations=OPERATIONS,
        base=f"{request.url.scheme}://{request.headers['host']}",
        largest=state.options.max_body,
    )


# Every address and method; those of the API, besides its description, come from the table that describes them.
HANDLERS: tuple[tuple[str, str, Handler], ...] = (
    ("GET", "/", score_pages.show_home),
    ("POST", "/", score_pages.score),
    ("POST", "/upload", score_pages.upload),
    ("POST", "/fetch", score_pages.fetch),
    ("POST", "/extract", score_pages.extract),
    ("POST", "/export", score_pages.export),
    ("GET", "/compare", score_pages.show_compare),
    ("POST", "/compare", score_pages.compare),
    ("GET", "/login", score_pages.show_login),
    ("POST", "/login", score_pages.log_in),
    ("POST", "/logout", score_pages.log_out),
    ("GET", "/audits", site_pages.show_audits),
    ("POST", "/audits", site_pages.start_audit),
    ("POST", "/audits/{number:audit}/stop", site_pages.stop_audit),
    ("GET", "/sites", site_pages.show_sites),
    ("GET", "/sites/{site}", site_pages.show_site),
    ("GET", "/sites/{site}/diff", site_pages.show_diff),
    ("GET", "/sites/{site}/audits/{number:audit}", site_pages.show_stored_audit),
    ("GET", "/sites/{site}/audits/{number:audit}/page", site_pages.show_audited_page),
    ("GET", "/sites/{site}/audits/{number:audit}/report", site_pages.export_audit),
    ("GET", "/leaderboard", site_pages.show_leaderboard),
    ("GET", "/healthz", api.health),
    ("GET", "/api", show_api),
    ("GET", "/static/{name}", show_static),
    ("GET", "/api/openapi.json", api.openapi),
    *((o.method, o.path.replace("{number}", "{number:audit}"), getattr(api, o.id)) for o in OPERATIONS),
)


def build_app(options: ServeOptions) -> Guard:
    """Return the app for a server with these options."""
    access = Access(options.token)
    state = AppState(
        options=options,
        access=access,
        renderer=Renderer(access),
        scorer=Scorer(options),
        audits=AuditQueue(options),
        sites=Sites(options),
        openapi=build_openapi(needs_token=access.needs_token),
    )

    @asynccontextmanager
    async def live(_: object) -> AsyncIterator[None]:
        state.audits.start()
        try:
            yield
        finally:
            await state.audits.close()
            state.scorer.close()
            state.sites.close()

    return Guard(Router(_build_routes(), redirect_slashes=False, lifespan=live), state, explain)


def _build_routes() -> list[Route]:
    """Return one route for each address, so that the answer to a wrong method names all right ones."""
    by_path: defaultdict[str, dict[str, Handler]] = defaultdict(dict)
    for method, path, handler in HANDLERS:
        by_path[path][method] = handler
    return [Route(path, _dispatch(handlers), methods=list(handlers)) for path, handlers in by_path.items()]


def _dispatch(handlers: Mapping[str, Handler]) -> Handler:
    async def handle(request: Request) -> Response:
        return await handlers["GET" if request.method == "HEAD" else request.method](request)

    return handle


async def explain(request: Request, error: HTTPError) -> Response:
    """Answer with an error: to programs in JSON, to people on a page."""
    if request.url.path.startswith("/api/"):
        return api.JsonResponse(
            {"error": error.message, **({} if error.reason is None else {"reason": error.reason})}, error.status
        )
    part = request.query_params.get("part")
    if error.status == 401 and request.method == "GET" and not part:
        return RedirectResponse("/login", 303)
    if part:
        return get_state(request).renderer.render(request, "problem.html", error=error)
    heading = HEADINGS.get(error.status, "This did not work")
    return get_state(request).renderer.render(
        request,
        "error.html",
        error=error,
        heading=heading,
        hide_navigation=error.status == 401,
    )
