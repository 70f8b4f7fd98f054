"""Pages from templates: everything in them is escaped, and what no reader sees is made visible."""

from __future__ import annotations

import hashlib
import re
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, Literal

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from steelyard import __version__
from steelyard.pages.descriptions import SCOPE
from steelyard.pages.html.parts import BAR_RULES, describe_bar
from steelyard.support import escape
from steelyard.support.formatting import format_count, format_number, format_signed

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import HTMLResponse

    from steelyard.web.access import Access
    from steelyard.web.responses import HTTPError

SCRIPTS = ("live.js", "audits.js", "editor.js")
REPORT_SCRIPT = "report.js"
STYLE = "style.css"
# What an HTML document cannot hold: half a surrogate pair, and control characters besides tab and line breaks.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


def make_templates(**values: Any) -> Environment:
    """Return the templates of the app, with further values for all of them; they need no server."""
    templates = Environment(
        loader=PackageLoader("steelyard.web"),
        autoescape=True,
        finalize=_show,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.globals.update(
        scope=SCOPE,
        version=__version__,
        static=locate_static,
        count=format_count,
        number=format_number,
        signed=format_signed,
        bar=describe_bar,
        **values,
    )
    templates.filters["as_typed"] = show_as_typed
    return templates


class Renderer:
    """Renders templates for one server."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._templates = make_templates(needs_token=access.needs_token)

    def render(self, request: Request, template: str, *, error: HTTPError | None = None, **values: Any) -> HTMLResponse:
        """Return a page, with the status and the message of an error if there is one.

        A browser without the cookie that forms need gets it here.
        """
        from starlette.responses import HTMLResponse

        from steelyard.web.access import FORM_COOKIE, make_form_cookie, read_cookie
        from steelyard.web.result_view import name_field

        cookie = read_cookie(request.headers, FORM_COOKIE)
        is_new = not re.fullmatch("[0-9a-f]{32}", cookie)
        if is_new:
            cookie = make_form_cookie()
        context = {"csrf": self._access.sign_form(cookie), "path": request.url.path, **values}
        context["error"] = name_field(error.message) if error else ""
        context["other_edition"] = error.edition if error else None
        status = error.status if error else 200
        response = HTMLResponse(self._templates.get_template(template).render(context), status)
        if is_new:
            # Sent with a link from elsewhere as well; without it this page would put the open tabs out of date.
            set_cookie(request, response, FORM_COOKIE, cookie, same_site="lax")
        return response


def set_cookie(
    request: Request, response: HTMLResponse, name: str, value: str, same_site: Literal["strict", "lax"] = "strict"
) -> None:
    """Set a cookie that only this server gets, and no script; a strict one with no request from another site."""
    secure = request.url.scheme == "https"
    response.set_cookie(name, value, httponly=True, samesite=same_site, secure=secure, path="/")


def _show(value: Any) -> Any:
    """Return what a template prints: invisible and control characters of strings become visible."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return escape.make_visible(value)
    return value


def show_as_typed(text: str) -> Markup:
    """Return a text for a field in which it can be changed: as it is, without what HTML cannot hold."""
    return Markup.escape(_FORBIDDEN.sub("\ufffd", text))


@cache
def read_static(name: str) -> bytes | None:
    """Return a file of the app; the style is made of the report's, so that both look the same."""
    if name == STYLE:
        report = resources.files("steelyard.pages.html")
        styles = [report.joinpath(file).read_text("utf-8") for file in ("base.css", "report.css")]
        own = resources.files("steelyard.web").joinpath("static", STYLE).read_text("utf-8")
        return "\n".join([*styles, BAR_RULES, own]).encode()
    if name == REPORT_SCRIPT:
        return resources.files("steelyard.pages.html").joinpath(name).read_bytes()
    if name in SCRIPTS:
        return resources.files("steelyard.web").joinpath("static", name).read_bytes()
    return None


@cache
def locate_static(name: str) -> str:
    """Return the address of a file of the app, which changes with its content."""
    digest = hashlib.sha256(read_static(name) or b"").hexdigest()[:12]
    return f"/static/{name}?v={digest}"
