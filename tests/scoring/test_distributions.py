"""On real pages the components lie where a faithful implementation puts them; loosening a bound needs a record."""

from __future__ import annotations

import json
import statistics
from collections.abc import Sequence
from datetime import date

import pytest

from benchmarks.pages import english_pages
from steelyard.components import NAMES
from steelyard.pipeline import score_text
from steelyard.scoring.page import PageScore
from tests.conftest import SHARED_DATA

DATA = SHARED_DATA / "web_en.jsonl"
WORDS = 400  # of a page, as in the paper
needs_data = pytest.mark.skipif(
    not DATA.exists(),
    reason="the measuring pages are not here; set STEELYARD_DATA to the folder that holds web_en.jsonl",
)

# component: {statistic: (low, high)} on the flattened, untitled English pages
BANDS: dict[str, dict[str, tuple[float, float]]] = {
    "shannon_entropy": {"mean": (99, 100), "percent_at_100": (75, 95)},
    "information_density": {"mean": (86, 92), "sd": (1.5, 3.5)},
    "quotable_density": {"mean": (35, 60), "percent_at_0": (30, 50), "percent_at_100": (15, 40)},
    "entity_density": {"mean": (75, 92)},
    "semantic_coherence": {"mean": (48, 56), "sd": (2, 4.5)},
    "self_containment": {"mean": (66, 75), "percent_at_100": (12, 27), "percent_at_20": (0, 6)},
    "statistic_density": {"mean": (10, 26), "percent_at_0": (50, 70)},
    "citation_f1": {"percent_at_0": (80, 94)},
    "mmr_score": {"percent_at_20": (100, 100)},
    "ndcg_score": {"percent_at_20": (100, 100)},
    "semantic_redundancy": {"percent_at_20": (100, 100)},
}


def outside(summary: dict[str, dict[str, float]]) -> dict[str, float]:
    """Return every statistic that is not in its band."""
    return {
        f"{name} {key}": summary[name][key]
        for name, band in BANDS.items()
        for key, (low, high) in band.items()
        if not low <= summary[name][key] <= high
    }


def score_all(texts: Sequence[str]) -> list[PageScore]:
    return [score_text(t, as_of=date(2026, 7, 1), title="", language="en", evidence=False) for t in texts]


def summarise(pages: Sequence[PageScore]) -> dict[str, dict[str, float]]:
    result = {}
    for name in NAMES:
        values = [p.readings[name].value for p in pages]
        result[name] = {
            "mean": statistics.fmean(values),
            "sd": statistics.stdev(values),
            **{f"percent_at_{v}": 100 * sum(x == v for x in values) / len(values) for v in (0, 20, 100)},
        }
    return result


@pytest.mark.full
@needs_data
def test_the_measuring_pages_fall_in_the_bands() -> None:
    records = [json.loads(line) for line in DATA.read_text("utf-8").splitlines() if line.strip()]
    pages = score_all([" ".join(r["text"].split()[:WORDS]) for r in records])
    assert outside(summarise(pages)) == {}
    assert not any(p.guard for p in pages)


def test_the_projects_own_pages_have_the_known_constants() -> None:
    summary = summarise(score_all(english_pages(60)))
    assert summary["mmr_score"]["percent_at_20"] == 100
    assert 99 <= summary["shannon_entropy"]["mean"] <= 100
    assert summary["semantic_coherence"]["sd"] > 0
