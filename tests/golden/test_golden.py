"""No score moves silently: every demo page exactly, and every change since the release named with its size."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from steelyard.lab.study import drift
from steelyard.scoring import editions, weighting
from steelyard.scoring import page as scoring

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = json.loads((Path(__file__).parent / "scores.json").read_text("utf-8"))
RELEASE = drift.read_release(ROOT / "docs" / "releases")
CHANGELOG = (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_every_demo_page_has_exactly_its_golden_figures() -> None:
    found = drift.freeze_scores(drift.demo_pages())
    moved = {name: page for name, page in found["pages"].items() if page != GOLDEN["pages"].get(name)}
    assert not moved, "scores moved: python -m tools.golden writes them again and prints the changelog's line"
    assert found["pages"].keys() == GOLDEN["pages"].keys()


def test_a_change_since_the_release_is_named_with_its_size_in_the_changelog() -> None:
    summary = drift.compare(RELEASE, drift.demo_pages()).summary()
    assert summary in drift.declared_numbers(CHANGELOG), f"write under Numbers in Unreleased: {summary}: WHY"


def test_scores_that_moved_have_another_hash() -> None:
    """A page's hash covers formulas, weights and language data; if its figures changed, one of them must have."""
    same = all(RELEASE[key] == GOLDEN[key] for key in ("formulas", "weights", "languages"))
    if same and RELEASE["zlib"] == GOLDEN["zlib"]:
        assert RELEASE["pages"] == GOLDEN["pages"], "a formula changed: raise FORMULAS in scoring/page.py"


def test_the_golden_set_notices_a_slightly_wrong_formula(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEELYARD_CORE", "python")  # the other core has its own formulas, compared elsewhere
    wrong = {"CONTENT_SHARE": 0.93, "FRESHNESS_SHARE": 0.07, "transform": lambda u: 100 * (u / 100) ** 0.51}
    for name, value in wrong.items():
        with monkeypatch.context() as changed:
            changed.setattr(scoring, name, value)
            assert drift.compare(GOLDEN, drift.demo_pages()).changes, name


def test_the_golden_set_notices_slightly_wrong_weights() -> None:
    shipped = weighting.load("shipped")
    other = {**shipped.weights, "shannon_entropy": shipped.weights["shannon_entropy"] + 1e-6}
    assert drift.compare(GOLDEN, drift.demo_pages(), weights=replace(shipped, weights=other)).changes


def test_the_summary_must_be_in_the_unreleased_section() -> None:
    old = "# Changelog\n\n## Unreleased\n\n**Numbers**\n\n- none\n\n## 0.1.0\n\n**Numbers**\n\n- 3 of 53 moved\n"
    assert "3 of 53" not in drift.declared_numbers(old)


def test_the_release_records_what_hashes_depend_on() -> None:
    assert set(GOLDEN["languages"]) == set(editions.load().languages)
