"""What the app is put together from: every handler has its address, and every template is there and is used."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import get_type_hints

from starlette.requests import Request
from starlette.responses import Response

from steelyard import web
from steelyard.web import api, app, score_pages, site_pages
from steelyard.web.app import HANDLERS

FOLDER = Path(web.__file__).parent
TEMPLATES = FOLDER / "templates"


def is_handler(found: object) -> bool:
    """Return whether something takes nothing but a request, and answers it."""
    if not inspect.iscoroutinefunction(found) or found.__name__.startswith("_"):
        return False
    hints = get_type_hints(found)
    answer = hints.pop("return", None)
    return list(hints.values()) == [Request] and isinstance(answer, type) and issubclass(answer, Response)


def test_every_handler_has_its_address() -> None:
    routed = {handler for _, _, handler in HANDLERS}
    for module in (app, score_pages, site_pages, api):
        own = [found for found in vars(module).values() if inspect.getmodule(found) is module and is_handler(found)]
        assert own, module.__name__
        assert not [found.__name__ for found in own if found not in routed], module.__name__


def test_every_template_is_there_and_every_one_is_used() -> None:
    sources = [*FOLDER.glob("*.py"), *TEMPLATES.glob("*.html")]
    named = {name for path in sources for name in re.findall(r'(?<!=)"([a-z_]+\.html)"', path.read_text("utf-8"))}
    assert named == {path.name for path in TEMPLATES.glob("*.html")}
