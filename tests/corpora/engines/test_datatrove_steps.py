"""datatrove's filter and annotator on hand-made documents: limits, documents that cannot be scored, sent steps."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

import steelyard
from tests.conftest import ROOT
from tests.corpora.engines.environments import AS_OF, engine_variables, find_python

pytestmark = pytest.mark.full

SITE = ROOT / "examples" / "site"
GERMAN = "Der Hafenmeister einer kleinen Stadt im Norden führt ein Verzeichnis über jedes Schiff und seine Ladung. " * 5
STUFFED = "Cheap kettle deals: buy a cheap kettle, best cheap kettle, cheap kettle online, cheap kettle shop. " * 30
TEXTS = [
    (SITE / "science" / "city-noise.md").read_text("utf-8"),
    (SITE / "index.md").read_text("utf-8"),
    GERMAN,
    STUFFED,
    "",
]
LONG, INDEX, OTHER_LANGUAGE, FLAGGED, EMPTY = map(str, range(len(TEXTS)))


@pytest.fixture(scope="module")
def results() -> dict[str, dict[str, Any]]:
    expected = steelyard.score(TEXTS[0], as_of=AS_OF)
    assert expected.placement is not None
    steps: dict[str, dict[str, Any]] = {
        "no limit": {},
        "one by one": {"batch_size": 1},
        "score": {"min_score": expected.score},
        "higher score": {"min_score": expected.score + 0.01},
        "percentile": {"min_percentile": 100 * expected.placement.share},
        "flagged": {"drop_flagged": True},
        "components": {"components": True, "url": "url"},
    }
    given = {"texts": TEXTS, "metadata": {"url": 5, "steelyard_score": "old"}, "steps": steps}
    python = find_python("datatrove")
    script = Path(__file__).with_name("datatrove_steps.py")
    done = subprocess.run(
        [python, str(script)],
        input=json.dumps(given), env=engine_variables(python), capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    found: dict[str, dict[str, Any]] = json.loads(done.stdout)
    return found


def test_the_annotator_writes_the_numbers_of_score(results: dict[str, Any]):
    page = steelyard.score(TEXTS[0], as_of=AS_OF)
    metadata = results["annotator"][LONG]
    assert metadata["steelyard_score"] == page.score
    assert metadata["steelyard_content"] == page.content
    assert metadata["steelyard_flagged"] is steelyard.detect(TEXTS[0]).flagged
    assert "steelyard_error" not in metadata


def test_every_document_passes_the_annotator_and_a_filter_without_limits(results: dict[str, Any]):
    assert list(results["annotator"]) == list(results["no limit"]) == [LONG, INDEX, OTHER_LANGUAGE, FLAGGED, EMPTY]
    assert results["annotator"] == results["no limit"] == results["one by one"]


def test_a_document_that_cannot_be_scored_has_nulls_and_a_reason(results: dict[str, Any]):
    metadata = results["annotator"][OTHER_LANGUAGE]
    assert metadata["steelyard_score"] is None
    assert metadata["steelyard_flagged"] is None
    assert "'de'" in metadata["steelyard_error"]


def test_a_limit_is_the_lowest_value_that_is_kept(results: dict[str, Any]):
    assert LONG in results["score"]
    assert LONG not in results["higher score"]
    assert LONG in results["percentile"]


@pytest.mark.parametrize("step", ["score", "percentile", "flagged"])
def test_a_document_that_cannot_be_scored_meets_no_limit(results: dict[str, Any], step: str):
    assert OTHER_LANGUAGE not in results[step]
    assert EMPTY not in results["score"]


def test_flagged_documents_are_dropped_only_on_request(results: dict[str, Any]):
    assert results["annotator"][FLAGGED]["steelyard_flagged"] is True
    assert FLAGGED not in results["flagged"]
    assert LONG in results["flagged"]


def test_components_are_written_on_request(results: dict[str, Any]):
    readings = steelyard.score(TEXTS[0], as_of=AS_OF).readings
    metadata = results["components"][LONG]
    assert {name: metadata[f"steelyard_{name}"] for name in readings} == {n: r.value for n, r in readings.items()}
    assert "steelyard_entity_density" not in results["annotator"][LONG]
