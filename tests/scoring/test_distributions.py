"""On real pages the components land where a faithful implementation does; loosening a bound needs a record."""

from __future__ import annotations

from datetime import date

import pytest

from benchmarks.pages import english_pages
from steelyard.pipeline import score_text
from tools import distributions

DATA = distributions.data() / "web_en.jsonl"
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


def outside(summary) -> dict[str, float]:
    """Every statistic that is not in its band."""
    return {
        f"{name} {key}": summary[name][key]
        for name, band in BANDS.items()
        for key, (low, high) in band.items()
        if not low <= summary[name][key] <= high
    }


@needs_data
def test_the_measuring_pages_fall_in_the_bands() -> None:
    artifact = distributions.measure()
    assert outside(artifact["views"]["English, flattened, no title"]["components"]) == {}
    assert artifact["guards"] == {"English": 0, "French": 0}


def test_the_same_path_runs_on_the_projects_own_pages() -> None:
    scored = [score_text(t, as_of=date(2026, 7, 1), title="", evidence=False) for t in english_pages(60)]
    summary = distributions.summary(scored)
    assert summary["mmr_score"]["percent_at_20"] == 100
    assert 99 <= summary["shannon_entropy"]["mean"] <= 100
    assert summary["semantic_coherence"]["sd"] > 0


def test_the_bands_would_notice_a_broken_component() -> None:
    scored = [score_text(t, as_of=date(2026, 7, 1), title="", evidence=False) for t in english_pages(20)]
    summary = distributions.summary(scored)
    summary["shannon_entropy"]["mean"] = 50.0
    assert "shannon_entropy mean" in outside(summary)
