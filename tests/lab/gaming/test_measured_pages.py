"""On the measuring pages: false positives on every origin that is left out, as the command states them."""

from __future__ import annotations

from datetime import date

import pytest

from steelyard.detectors.layered_filter import load_thresholds
from steelyard.lab.corpus import loading
from steelyard.lab.gaming.benchmark import measure_pages
from steelyard.lab.gaming.run import count_left_out, fit_origins, group_by_origin
from steelyard.scoring import editions
from steelyard.support.artifacts import round_floats
from tests.conftest import SHARED_DATA

DATA = SHARED_DATA
MAX_FLAGGED = {"paper": 0.05, "2026": 0.10}  # of the clean pages of any origin
pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(
        not (DATA / "web_en.jsonl").exists(), reason="set STEELYARD_DATA to the folder that holds web_en.jsonl"
    ),
]


@pytest.mark.parametrize("name", editions.NAMES)
def test_the_stated_rate_is_that_of_origins_left_out_and_no_origin_exceeds_it_by_much(name: str):
    edition = editions.load(name)
    pages = [
        page
        for language in edition.languages
        for page in loading.load_corpus(str(DATA / f"web_{language}.jsonl")).pages_in(language)
    ]
    measured = measure_pages(pages, (), as_of=date(2026, 7, 1), edition=edition)
    origins = group_by_origin(measured)
    frozen = load_thresholds(name)
    assert round_floats(dict(fit_origins(origins).thresholds)) == frozen["thresholds"]
    rates = {name: count_left_out(members, origins)["structured"]["rate"] for name, members in origins.items()}
    assert round_floats(rates) == frozen["left_out"]
    assert max(rates.values()) <= MAX_FLAGGED[name]
    assert round_floats(count_left_out(measured, origins)["structured"]["rate"]) == frozen["rate"]
