"""The document written page by page has the bytes of the whole one."""

from __future__ import annotations

from datetime import date

import pytest

from steelyard.inputs.page_ref import PageRef
from steelyard.pages.json_document import DocumentStream, build_document
from steelyard.pipeline import PageError, PageResult, analyse
from steelyard.scoring import editions
from steelyard.settings import Settings
from steelyard.support.artifacts import to_json
from tests.conftest import SENTENCE

EDITION = editions.load()
SETTINGS = Settings.resolve(as_of=date(2026, 7, 1), edition=EDITION, language="en", keep_text=True)
ERRORS = [PageError("gone.md", "gone.md: no such file"), PageError('"pages": [', '],\n  "errors": ')]


def analyse_pages(count: int) -> list[PageResult]:
    hostile = '"pages": [ ],\n  "errors": \u2028 \x85 \x1c \r \ud800'
    return [
        analyse(PageRef(f"{n} {hostile}", text=f"# {hostile}\n\n{SENTENCE * 5}{hostile}"), SETTINGS)
        for n in range(count)
    ]


@pytest.mark.parametrize("pages", [0, 1, 3])
@pytest.mark.parametrize("errors", [0, 1, 2])
def test_the_bytes_are_those_of_the_whole_document(pages: int, errors: int) -> None:
    found = analyse_pages(pages)
    written: list[str] = []
    stream = DocumentStream(written.append, SETTINGS)
    for result in found:
        stream.add(result.to_dict(with_text=True))
    stream.finish(ERRORS[:errors])
    whole = build_document(found, ERRORS[:errors], SETTINGS, with_text=True)
    assert "".join(written) == to_json(whole) + "\n"
    assert len(written) == pages + 1
