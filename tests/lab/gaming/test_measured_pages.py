"""On the measuring pages: false positives on every origin that is left out, as the command states them."""

from __future__ import annotations

import os
from datetime import date
from pathlib import Path

import pytest

from steelyard.detectors.layered_filter import load_thresholds
from steelyard.lab.corpus import loading
from steelyard.lab.gaming.benchmark import measure_pages
from steelyard.lab.gaming.origins import count_left_out, fit_origins, group_by_origin
from steelyard.support.artifacts import round_floats
from tests.conftest import ROOT

DATA = Path(os.environ.get("STEELYARD_DATA") or ROOT.parent / "shared" / "data")
MOST = 0.05  # of the clean pages of any origin
pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(
        not (DATA / "web_en.jsonl").exists(), reason="set STEELYARD_DATA to the folder that holds web_en.jsonl"
    ),
]


def test_the_stated_rate_is_that_of_origins_left_out_and_no_origin_exceeds_five_percent():
    pages = [
        page
        for name, language in (("web_en.jsonl", "en"), ("web_fr.jsonl", "fr"))
        for page in loading.load_corpus(str(DATA / name)).pages_in(language)
    ]
    measured = measure_pages(pages, (), as_of=date(2026, 7, 1))
    origins = group_by_origin(measured)
    frozen = load_thresholds()
    assert round_floats(dict(fit_origins(origins).thresholds)) == frozen["thresholds"]
    rates = {name: count_left_out(members, origins)["structured"]["rate"] for name, members in origins.items()}
    assert round_floats(rates) == frozen["left_out"]
    assert max(rates.values()) <= MOST
    assert round_floats(count_left_out(measured, origins)["structured"]["rate"]) == frozen["rate"]
