"""What the worker of the playground asks Python: a page scored as `steelyard score` does, and shown as the app does."""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Iterator
from functools import cache

from jinja2 import Template

from steelyard.errors import SteelyardError, UnsupportedLanguage
from steelyard.inputs.page_ref import PageRef
from steelyard.pages.html import render_report
from steelyard.pages.json_document import DocumentStream
from steelyard.pipeline import PageError, PageResult, analyse
from steelyard.scoring import editions
from steelyard.settings import Settings
from steelyard.text.html import is_html
from steelyard.text.regex import Subject
from steelyard.web.render import make_templates
from steelyard.web.result_view import describe_result

NO_HTML = "This is HTML, which is not read here. Paste its text, or use `steelyard score` or `steelyard serve`."
SAMPLE = "# Tides\n\nThe sea rises twice a day, by 4.2 metres in 2025, according to the harbour office.\n"
SLICE = 0.03  # seconds that compiling takes at a time, so that a new text need not wait for it

_prepared: set[str] = set()  # languages
_steps: deque[Iterator[bool]] = deque()  # each compiles what a later page of a language may need


def answer(kind: str, fields: str) -> str:
    """Return a page as a part of HTML ("page"), as one file of HTML ("html") or as the document of JSON ("json").

    Args:
        kind: What to return.
        fields: The form as a JSON object: `text`, `source`, `title`, `language`, `edition`, `as_of`.
    """
    values = {name: value for name, value in json.loads(fields).items() if value.strip()}
    ref = PageRef(values.pop("source", "text"), text=values.pop("text", ""))
    if kind != "json" and is_html(ref.text or ""):
        return _render(error=NO_HTML)
    try:
        settings = Settings.resolve(**values, detect=True, keep_text=True)
    except SteelyardError as error:
        return _explain(error)
    try:
        result = analyse(ref, settings)
    except SteelyardError as error:
        failed = PageError.from_error(ref.source, error)
        return _write_document(settings, [], [failed]) if kind == "json" else _explain(error)
    if result.page.language not in _prepared:
        _prepared.add(result.page.language)
        _steps.append(_compile_all(result.page.language))
    if kind == "json":
        return _write_document(settings, [result], [])
    return _render(result) if kind == "page" else render_report([result], [], settings.as_of)


def warm_up() -> None:
    """Load what the first score needs."""
    answer("page", json.dumps({"text": SAMPLE, "source": "", "edition": editions.DEFAULT}))


def prepare() -> bool:
    """Compile some patterns that a later page may need, and return whether there are more."""
    end = time.monotonic() + SLICE
    while _steps and time.monotonic() < end:
        if not next(_steps[0], False):
            _steps.popleft()
    return bool(_steps)


def _compile_all(language: str) -> Iterator[bool]:
    """Compile the patterns of a language in every edition, one at each step."""
    for edition in map(editions.load, editions.NAMES):
        families = edition.load_language(language).families if language in edition.languages else {}
        for family in families.values():
            for pattern in family.patterns:
                family.matcher.find_all(Subject(""), [each is pattern for each in family.patterns])
                yield True


def _write_document(settings: Settings, results: list[PageResult], errors: list[PageError]) -> str:
    """Return the document of `steelyard score --format json`, in the same bytes."""
    pieces: list[str] = []
    stream = DocumentStream(pieces.append, settings)
    for result in results:
        stream.add(result.to_dict())
    stream.finish(errors)
    return "".join(pieces)


def _explain(error: SteelyardError) -> str:
    """Return the error of a page; of a language with the edition that has it, not with options of the command line."""
    other = editions.find_other(error.language) if isinstance(error, UnsupportedLanguage) else None
    if not isinstance(error, UnsupportedLanguage) or other is None:
        return _render(error=str(error))
    message = f"the text looks like {error.language!r}, which this edition does not have; edition {other} has it"
    return _render(error=message, other_edition=other)


def _render(result: PageResult | None = None, error: str = "", other_edition: str | None = None) -> str:
    view = describe_result(result) if result else None
    return _get_template().render(result=view, error=error, other_edition=other_edition, form="score-form")


@cache
def _get_template() -> Template:
    return make_templates().get_template("result.html")
