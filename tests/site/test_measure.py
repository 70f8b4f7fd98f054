"""From an answer to what became of its address."""

from __future__ import annotations

from datetime import date

import pytest

from steelyard.settings import Settings
from steelyard.site import measure as measuring
from steelyard.site.measure import measure
from steelyard.site.model import FAILED, NOT_MEASURED, SCORED, Fetched, Link
from tests.conftest import SENTENCE

SETTINGS = Settings.resolve(as_of=date(2026, 7, 1), detect=True)
URL = "https://a.example/page"


def answer(body: str, kind: str = "text/html", status: int = 200) -> Fetched:
    return Fetched(Link(URL), URL, status, kind, None, body.encode())


def page(head: str = "", text: str = SENTENCE * 10) -> str:
    return f"<!doctype html><html><head><title>Ships</title>{head}</head><body><p>{text}</p></body></html>"


def test_a_page_with_a_broken_declaration_is_scored() -> None:
    for broken in ("<![ endif]>", "<![foo["):
        assert measure(answer(page(broken)), SETTINGS).state == SCORED, broken


def test_a_bug_on_one_page_is_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("planted")

    for name in ("decode_answer", "read_canonical", "fingerprint", "describe_soft_404"):
        monkeypatch.setattr(measuring, name, fail)
        visit = measure(answer(page()), SETTINGS)
        assert (visit.state, "ZeroDivisionError" in visit.reason) == (FAILED, True), name
        monkeypatch.undo()


def test_what_is_no_page_says_so() -> None:
    assert measure(answer("x", status=500), SETTINGS).state == FAILED
    assert measure(answer("x", "image/png"), SETTINGS).state == NOT_MEASURED
    missing = measure(answer(page(text="Page not found. Sorry.").replace("Ships", "Page not found")), SETTINGS)
    assert (missing.state, missing.reason) == (NOT_MEASURED, "says “Page not found”, with status 200")


def test_the_canonical_address_is_kept_where_it_is_another() -> None:
    for href, found in (("/page", None), ("/other", "https://a.example/other"), ("mailto:x", None)):
        assert measure(answer(page(f'<link rel="canonical" href="{href}">')), SETTINGS).canonical == found
