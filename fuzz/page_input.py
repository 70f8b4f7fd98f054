"""A case as the page it stands for, and its result by the one path that every command takes."""

from __future__ import annotations

from datetime import date
from functools import cache

from fuzz.case import Case
from steelyard.inputs.page_ref import PageRef
from steelyard.pipeline import PageResult, analyse
from steelyard.scoring import editions
from steelyard.settings import Settings
from steelyard.text.decoding import decode

AS_OF = date(2026, 7, 1)
HTML = ("html", "long-html")  # kinds
MAX_NAME = 40  # characters of a page that also serve as its hostile name


@cache
def make_settings(edition: str, language: str, title: str | None = None) -> Settings:
    """Return settings under which everything is measured."""
    chosen = editions.load(edition)
    return Settings.resolve(as_of=AS_OF, edition=chosen, language=language, title=title, keep_text=True, detect=True)


def settings_of(case: Case, edition: str) -> Settings:
    """Return the settings that a case is analysed with."""
    return make_settings(edition, case.options.get("language") or "auto", case.options.get("title"))


def make_ref(case: Case) -> PageRef:
    """Return the page of a case. Bytes that are no text are decoded as a file's are.

    Raises:
        PageUnreadable: They are not text at all.
    """
    text = case.text
    if text is None:
        text = decode(case.data, "page")
    name = text[:MAX_NAME] or "empty"
    return PageRef(name, text=text, url=case.options.get("url"), html=case.kind in HTML)


def analyse_case(case: Case, edition: str) -> PageResult:
    """Analyse the page of a case."""
    return analyse(make_ref(case), settings_of(case, edition))
