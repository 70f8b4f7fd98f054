"""What the worker of the playground asks Python: a page scored as `steelyard score` does, and shown as the app does."""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Iterator
from functools import cache

from jinja2 import Template

from steelyard.errors import SteelyardError
from steelyard.inputs.page_ref import PageRef
from steelyard.pages.html import render_report
from steelyard.pages.json_document import DocumentStream
from steelyard.pipeline import PageError, PageResult, analyse_or_error
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
    try:
        settings = Settings.resolve(**values, detect=True, keep_text=True)
    except SteelyardError as error:
        return _render(None, str(error))
    outcome = PageError(ref.source, NO_HTML) if is_html(ref.text or "") else analyse_or_error(ref, settings)
    result = outcome if isinstance(outcome, PageResult) else None
    if result and result.page.language not in _prepared:
        _prepared.add(result.page.language)
        _steps.append(_compile_all(result.page.language))
    if kind == "json":
        return _write_document(settings, outcome)
    if kind == "html" and result:
        return render_report([result], [], settings.as_of)
    return _render(result, outcome.error if isinstance(outcome, PageError) else "")


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


def _write_document(settings: Settings, outcome: PageResult | PageError) -> str:
    """Return the document of `steelyard score --format json`, in the same bytes."""
    pieces: list[str] = []
    stream = DocumentStream(pieces.append, settings)
    if isinstance(outcome, PageResult):
        stream.add(outcome.to_dict())
    stream.finish([outcome] if isinstance(outcome, PageError) else [])
    return "".join(pieces)


def _render(result: PageResult | None, error: str) -> str:
    return _get_template().render(result=result and describe_result(result), error=error)


@cache
def _get_template() -> Template:
    return make_templates().get_template("result.html")
