"""The JSON API: checked values in, the documents of the command line out."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from steelyard.pages.descriptions import SCOPE
from steelyard.pages.page_change import PageChange
from steelyard.scoring import editions
from steelyard.support.schema import Schema
from steelyard.web.responses import HTTPError, write_json
from steelyard.web.schemas import AUDIT, COMPARE, DEFAULT_PAGES, SCORE, Values, read_json
from steelyard.web.state import get_state

JSON_TYPE = "application/json"


class JsonResponse(Response):
    """JSON, from a value or from bytes that are JSON already."""

    media_type = JSON_TYPE

    def render(self, content: Any) -> bytes:
        """Return the bytes."""
        return content if isinstance(content, bytes) else write_json(content)


async def score(request: Request) -> Response:
    """Answer with the document of `steelyard score --format json`."""
    values = await _read(request, SCORE)
    return JsonResponse(await get_state(request).scorer.write_document(values))


async def compare(request: Request) -> Response:
    """Answer with the document of `steelyard compare --format json` for two pages."""
    values = await _read(request, COMPARE)
    old_version, new_version = values.pop("old"), values.pop("new")
    scorer = get_state(request).scorer
    choices = {**values, "detect": False}  # which a comparison does not show
    old, new = await asyncio.gather(scorer.score(old_version, choices), scorer.score(new_version, choices))
    compared = PageChange.from_results(old.result, new.result).to_document()
    return JsonResponse({"scoring": new.settings.to_dict(), **compared})


async def list_audits(request: Request) -> Response:
    """Answer with the audits of this server: those that wait, the one that runs, and the last ones that ended."""
    return JsonResponse({"audits": [entry.to_dict() for entry in get_state(request).audits.list_entries()]})


async def start_audit(request: Request) -> Response:
    """Put an audit into the queue."""
    values = await _read(request, AUDIT)
    pages, edition = int(values.get("max_pages", DEFAULT_PAGES)), values.get("edition", editions.DEFAULT)
    entry = await get_state(request).audits.add(values["url"], pages, edition)
    return JsonResponse(entry.to_dict(), status_code=202, headers={"Location": f"/api/audits/{entry.number}"})


async def show_audit(request: Request) -> Response:
    """Answer with the state of one audit."""
    return JsonResponse(get_state(request).audits.find(request.path_params["number"]).to_dict())


async def stop_audit(request: Request) -> Response:
    """Stop an audit, or take it out of the queue."""
    return JsonResponse((await get_state(request).audits.stop(request.path_params["number"])).to_dict())


async def list_sites(request: Request) -> Response:
    """Answer with the sites of the store."""
    return JsonResponse({"sites": await get_state(request).sites.list_sites()})


async def show_site(request: Request) -> Response:
    """Answer with a site's audits."""
    site = request.path_params["site"]
    return JsonResponse({"site": site, "audits": await get_state(request).sites.list_audits(site)})


async def leaderboard(request: Request) -> Response:
    """Answer with the leaderboard of the sites in the store."""
    return JsonResponse(await get_state(request).sites.build_leaderboard())


async def openapi(request: Request) -> Response:
    """Answer with the OpenAPI document."""
    return JsonResponse(get_state(request).openapi)


async def health(request: Request) -> Response:
    """Answer that the server is there."""
    return JsonResponse({"status": "ok", "scope": f"each score is {SCOPE}"})


async def _read(request: Request, schema: Schema) -> Values:
    """Return the checked values of a JSON request.

    Raises:
        HTTPError: It is not JSON by its type, which no form of another site can send, or not by its content.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON_TYPE:
        raise HTTPError(415, f"send the request as {JSON_TYPE}")
    return read_json(await request.body(), schema)
