"""An edition whose false positives were not counted yet: detection says so, and so they can be counted."""

from __future__ import annotations

import json
from datetime import date

import jsonschema
import pytest

import steelyard
from steelyard.detectors import false_positives
from steelyard.detectors.false_positives import find_rate
from steelyard.inputs.page_ref import PageRef
from steelyard.lab.gaming.whole_pages import count_flagged_pages, load_whole_pages
from steelyard.pages.descriptions import list_notes
from steelyard.pages.json_document import SCHEMA, build_document
from steelyard.pipeline import analyse
from steelyard.scoring import editions
from steelyard.settings import Settings
from steelyard.support.artifacts import to_json
from tests.conftest import ROOT

AS_OF = date(2026, 7, 1)
TEXT = "The ferry leaves the harbour at dawn, and the baker sells warm rolls beside the gate until the last is gone."


@pytest.fixture
def _uncounted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ship no rates, as for an edition that has just been made."""
    monkeypatch.setattr(false_positives, "load_false_positives", lambda edition="paper": {})


def test_an_edition_that_is_not_in_the_file_has_no_rate() -> None:
    assert false_positives.load_false_positives("9999") == {}
    assert find_rate("9999", 10) == ("under 400 words", 0, 0, None, (0.0, 1.0))


@pytest.mark.usefixtures("_uncounted")
def test_detection_says_that_no_rate_is_known() -> None:
    report = steelyard.detect(TEXT)
    assert (report.false_positive_rate, report.false_positive_pages) == (None, 0)
    settings = Settings.resolve(as_of=AS_OF, detect=True)
    result = analyse(PageRef("page.md", text=f"{TEXT}\n\n{'cheap boats ' * 80}"), settings)
    assert result.flagged
    said = "how many honest pages of under 400 words are flagged too is not known for this edition"
    assert any(said in note for note, _ in list_notes(result))
    jsonschema.validate(json.loads(to_json(build_document([result], [], settings))), SCHEMA)


@pytest.mark.usefixtures("_uncounted")
def test_the_rates_of_a_new_edition_can_be_counted() -> None:
    pages = load_whole_pages(str(ROOT / "examples" / "site" / "guides"))
    counted = count_flagged_pages(pages, AS_OF)
    assert list(counted) == list(editions.NAMES)
    assert all(of_edition["honest"]["all lengths"]["of"] > 3 for of_edition in counted.values())
