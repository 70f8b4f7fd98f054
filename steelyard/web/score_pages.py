"""The pages that score and compare: one form each, which works without scripts."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from steelyard.advice.kinds import KINDS
from steelyard.languages import CODES
from steelyard.pages.html import render_report
from steelyard.scoring import editions
from steelyard.settings import AUTO
from steelyard.web.access import SESSION_COOKIE
from steelyard.web.forms import FormValues, Upload, read_form
from steelyard.web.render import set_cookie
from steelyard.web.responses import HTTPError
from steelyard.web.result_view import describe_comparison, describe_result
from steelyard.web.schemas import COMPARE, SCORE, check_values
from steelyard.web.scoring import Scored
from steelyard.web.state import get_state

MAX_EDITED = 1_000_000  # characters of a fetched page that a field takes, so that it can be sent again
_TYPED = ("title", "language", "edition", "as_of", "kind", "selector", "uncertain")
VERSIONS = ("old", "new")
CHOICES = {
    "languages": ("auto", *CODES),
    "editions": editions.NAMES,
    "edition": editions.DEFAULT,
    "kinds": (AUTO, *KINDS),
}
SAMPLE = """# Low tide at Wick harbour

Many experts agree that the harbour is getting shallower, and it has been known for a very long time.

The harbour office measures the depth of the basin every March. In 2024 the survey found 3.1 metres at low tide, 0.4 \
metres less than in 2015. “We dredge every second autumn, and the sand is back by spring,” said Ada Kerr, the harbour \
master.

It is important to note that there are many factors. Boats with a draught of more than 2.5 metres should wait for the \
second half of the tide. The tables of the [Hydrographic Office](https://example.org/tides) give the times for each day.
"""


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields of the form on the first page, or of one version on the page that compares."""

    text: str = ""
    title: str = ""
    language: str = "auto"
    edition: str = editions.DEFAULT
    as_of: str = ""
    kind: str = AUTO
    selector: str = ""
    uncertain: bool = False
    is_html: bool = False
    address: str = ""  # where the text was fetched
    source: str = "text"
    sent: float | None = None  # the score of a fetched page as it was sent, of which the form has the text alone

    @property
    def page(self) -> dict[str, str]:
        """The text under the key that says what it is."""
        return {"html" if self.is_html else "text": self.text}


async def show_home(request: Request) -> Response:
    """Show the empty form, or with `?sample` a text to try it on."""
    if "sample" not in request.query_params:
        return _render_home(request, Fields())
    fields = Fields(SAMPLE, source="sample")
    try:
        return _render_home(request, fields, await _score_fields(request, fields))
    except HTTPError as error:
        return _render_home(request, fields, error=error)


async def score(request: Request) -> Response:
    """Score what was typed, and show it below or beside the form."""
    form = await read_form(request)
    fields = _read_fields(form)
    try:
        scored = await _score_fields(request, fields)
    except HTTPError as error:
        return _render_home(request, fields, error=error)
    return _render_home(request, fields, scored)


async def upload(request: Request) -> Response:
    """Score a file, and put its text into the form."""
    form = await read_form(request)
    file = form.files.get("file")
    if file is None:
        return _render_home(request, Fields(), error=HTTPError(422, "choose a file first"))
    fields = Fields(file.text, is_html=file.is_html, source=file.name)
    try:
        return _render_home(request, fields, await _score_fields(request, fields))
    except HTTPError as error:
        return _render_home(request, fields, error=error)


async def fetch(request: Request) -> Response:
    """Fetch a page, score it, and put it into the form: of HTML its text, or with `as_html` its source."""
    form = await read_form(request)
    url = (form.text("url") or form.text("address")).strip()
    try:
        edition = form.fields.get("edition", editions.DEFAULT)
        scored = await get_state(request).scorer.score(check_values({"url": url, "edition": edition}, SCORE))
    except HTTPError as error:
        return _render_home(request, Fields(), error=error, url=url)
    ref, result = scored.ref, scored.result
    source, address = ref.text or "", ref.url or ""
    fields = Fields(source, is_html=result.extracted, address=address, source=ref.source, edition=edition)
    if not result.extracted or ("as_html" in form.fields and len(source) <= MAX_EDITED):
        return _render_home(request, fields, scored)
    fields = replace(_edit_extracted(fields, scored), sent=result.score)
    try:
        return _render_home(request, fields, await _score_fields(request, fields))
    except HTTPError as error:
        return _render_home(request, fields, error=error)


async def extract(request: Request) -> Response:
    """Put the text that was extracted from HTML into the form, so that it can be edited."""
    fields = _read_fields(await read_form(request))
    try:
        fields = _edit_extracted(fields, await _score_fields(request, fields))
        return _render_home(request, fields, await _score_fields(request, fields))
    except HTTPError as error:
        return _render_home(request, fields, error=error)


async def export(request: Request) -> Response:
    """Answer with the result as one HTML file."""
    scored = await _score_fields(request, _read_fields(await read_form(request)))
    page = render_report([scored.result], [], scored.settings.as_of)
    headers = {"Content-Disposition": 'attachment; filename="steelyard-report.html"'}
    return HTMLResponse(page.encode("utf-8", "backslashreplace"), headers=headers)


async def show_compare(request: Request) -> Response:
    """Show the empty form of a comparison."""
    return _render_compare(request, FormValues())


async def compare(request: Request) -> Response:
    """Compare two versions of a page."""
    form = await read_form(request)
    try:
        choices, versions = form.choices(), {name: _read_version(form, name) for name in VERSIONS}
        for name, version in versions.items():
            if not version.text.strip():
                raise HTTPError(422, f"there is no {name} version; paste its text or choose a file")
        check_values({**{name: version.page for name, version in versions.items()}, **choices}, COMPARE)
        scorer = get_state(request).scorer
        pages = [{**version.page, "source": version.source} for version in versions.values()]
        old, new = await asyncio.gather(*(scorer.score(page, {**choices, "detect": False}) for page in pages))
    except HTTPError as error:
        return _render_compare(request, form, error=error)
    return _render_compare(request, form, (old, new))


async def show_login(request: Request) -> Response:
    """Show the form that asks for the token."""
    state = get_state(request)
    if not state.access.needs_token:
        return RedirectResponse("/", 303)
    return state.renderer.render(request, "login.html")


async def log_in(request: Request) -> Response:
    """Check the token, and remember it in a cookie."""
    form, state = await read_form(request), get_state(request)
    if not state.access.is_token(form.text("token").strip()):
        return state.renderer.render(request, "login.html", error=HTTPError(401, "this is not the token"))
    response = HTMLResponse(b"", 303, {"Location": "/"})
    set_cookie(request, response, SESSION_COOKIE, state.access.session())
    return response


async def log_out(request: Request) -> Response:
    """Forget the token in this browser."""
    await read_form(request)
    response = HTMLResponse(b"", 303, {"Location": "/login"})
    response.delete_cookie(SESSION_COOKIE, path="/", httponly=True, samesite="strict")
    return response


def _read_fields(form: FormValues) -> Fields:
    return Fields(
        text=form.text("text"),
        title=form.text("title").strip(),
        language=form.fields.get("language", "auto"),
        edition=form.fields.get("edition", editions.DEFAULT),
        as_of=form.fields.get("as_of", "").strip(),
        kind=form.fields.get("kind", AUTO),
        selector=form.text("selector").strip(),
        uncertain="uncertain" in form.fields,
        is_html="is_html" in form.fields,
        address=form.text("address").strip(),
        source=form.text("source").strip() or "text",
    )


async def _score_fields(request: Request, fields: Fields) -> Scored:
    """Score what the form holds.

    Raises:
        HTTPError: There is no text, or a field is wrong, or the text cannot be scored.
    """
    if not fields.text.strip():
        raise HTTPError(422, "there is no text to score; paste one, upload a file or fetch an address")
    values: dict[str, Any] = dict(fields.page)
    values |= {name: value for name in _TYPED if (value := getattr(fields, name))}
    about = {"address": fields.address or None, "source": fields.source}
    return await get_state(request).scorer.score({**check_values(values, SCORE), **about})


def _edit_extracted(fields: Fields, scored: Scored) -> Fields:
    """Return the form with the text that was extracted from its HTML, its dates above it."""
    result = scored.result
    dates = {"published": result.dates.published, "updated": result.dates.updated}
    lines = [f"{name}: {day}\n" for name, day in dates.items() if day is not None]
    matter = f"---\n{''.join(lines)}---\n\n" if lines else ""
    return replace(fields, text=matter + (result.text or ""), title=result.page.title or "", is_html=False)


def _render_home(
    request: Request, fields: Fields, scored: Scored | None = None, *, error: HTTPError | None = None, url: str = ""
) -> Response:
    """Return the whole page, or for the script only the part with the result."""
    view = describe_result(scored.result) if scored else None
    template = "result.html" if request.query_params.get("part") == "result" else "home.html"
    return get_state(request).renderer.render(
        request,
        template,
        fields=fields,
        result=view,
        is_extracted=bool(scored and scored.result.extracted),
        error=error,
        url=url,
        form="fetch-form" if url else "score-form",
        has_sample=True,
        **CHOICES,
    )


def _read_version(form: FormValues, name: str) -> Fields:
    """Return the old or the new version, from its file or its field."""
    file = form.files.get(f"{name}_file") or Upload("", form.text(name))
    is_html = file.is_html or f"{name}_is_html" in form.fields
    return Fields(file.text, is_html=is_html, source=file.name or f"{name} version")


def _render_compare(
    request: Request,
    form: FormValues,
    results: tuple[Scored, Scored] | None = None,
    *,
    error: HTTPError | None = None,
) -> Response:
    view = describe_comparison(results[0].result, results[1].result) if results else None
    return get_state(request).renderer.render(
        request,
        "comparison.html" if request.query_params.get("part") == "result" else "compare.html",
        versions={name: _read_version(form, name) for name in VERSIONS},
        chosen={"language": "auto", "edition": editions.DEFAULT, "as_of": "", **form.choices()},
        comparison=view,
        error=error,
        **CHOICES,
    )
