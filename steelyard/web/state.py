"""The state that the handlers of one server share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from starlette.requests import Request

from steelyard.web.access import Access
from steelyard.web.audits import AuditQueue
from steelyard.web.options import ServeOptions
from steelyard.web.render import Renderer
from steelyard.web.scoring import Scorer
from steelyard.web.sites import Sites


@dataclass(frozen=True, slots=True)
class AppState:
    """Everything that lives as long as the server."""

    options: ServeOptions
    access: Access
    renderer: Renderer
    scorer: Scorer
    audits: AuditQueue
    sites: Sites
    openapi: dict[str, Any]


def get_state(request: Request) -> AppState:
    """Return what the server of a request shares."""
    return cast(AppState, request.scope["steelyard"])
