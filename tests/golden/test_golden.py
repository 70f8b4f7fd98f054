"""No score moves unnoticed: every example page against its recorded components."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from steelyard.pipeline import score_text
from tools.golden import AS_OF, GOLDEN, ROOT

RECORDED = json.loads(GOLDEN.read_text("utf-8"))


@pytest.mark.parametrize("name", RECORDED)
def test_a_page_scores_as_recorded(name: str) -> None:
    page = score_text((ROOT / name).read_text("utf-8"), as_of=AS_OF, evidence=False)
    values = {"score": page.score, "freshness": page.freshness, **{n: r.value for n, r in page.readings.items()}}
    # gzip's length may differ by a few bytes between zlib builds: half a point of one fifth of a component.
    loose = {"semantic_redundancy", "mmr_score", "score"}
    for key, expected in RECORDED[name].items():
        assert values[key] == pytest.approx(expected, abs=0.5 if key in loose else 2e-6), key


def test_every_example_page_is_recorded() -> None:
    pages = {p.relative_to(ROOT).as_posix() for p in (ROOT / "examples" / "site").rglob("*.md")}
    assert pages == set(RECORDED)
    assert Path(GOLDEN).name == "scores.json"
