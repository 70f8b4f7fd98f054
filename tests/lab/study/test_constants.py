"""What is fixed before any page is read: every component with its reasons, every feature in one category."""

from __future__ import annotations

import json
import re
from datetime import date
from typing import Any

import pytest

from steelyard.components import NAMES
from steelyard.lab.protocol.anchors import ANCHORS
from steelyard.lab.ranking.features import FEATURES
from steelyard.lab.ranking.signals.base import CROSS_FEATURES, EMBEDDING_FEATURES
from steelyard.lab.study.studies import constants
from steelyard.lab.study.studies.constants import summarise_measurements
from steelyard.lab.study.study import Request
from steelyard.support.artifacts import round_floats, to_json
from tests.lab.study.presentation import committed_result, rows_of

ATTACKS, FEATURE_STACK = "What attack each invites", "What the ranker sees"
FIELDS = {"because", "meant", "stays", "attack", "bound"}


@pytest.fixture(scope="module")
def result() -> Any:
    """The result as it is read back from its artifact, where keys are sorted."""
    computed = constants.STUDY.compute(Request((), {}, date(2026, 7, 1)))
    return json.loads(to_json(round_floats(computed), sort_keys=True))


# The reasons


def test_every_component_has_its_own_reasons_without_a_typed_figure(result: Any) -> None:
    reasons = {name: entry["rationale"] for name, entry in result["components"].items()}
    assert set(reasons) == set(NAMES)
    for name, fields in reasons.items():
        assert set(fields) == FIELDS, name
        assert not any(re.search(r"\d|%", text) or not text.strip() for text in fields.values()), name
    meant = {name for name in NAMES if reasons[name]["meant"] == "an anchor"}
    assert meant == {"quotable_density", "statistic_density", "citation_f1"}


def test_a_table_has_a_row_per_component_in_the_papers_order(result: Any) -> None:
    findings = constants.findings(result, committed_result)
    for title in ("Weights", "Why each component is there", ATTACKS):
        rows = rows_of(findings, title)
        assert [row[0] for row in rows] == list(NAMES), title
        assert all(cell not in ("", "–") for row in rows for cell in row), title


# What was measured


def test_the_measured_column_comes_from_other_sections(result: Any) -> None:
    rows = {row[0]: row[-1] for row in rows_of(constants.findings(result, committed_result), ATTACKS)}
    matrix, gates = committed_result("matrix"), committed_result("gates")
    assert f"statistics +{matrix['matrix']['statistic_density']['statistics']:.1f}" in rows["statistic_density"]
    assert f"ceiling +{gates['ceilings']['quotation']:.1f} of the score" in rows["quotable_density"]
    assert f"at 100 on {matrix['distribution']['shannon_entropy']['share_at_100']:.0%}" in rows["shannon_entropy"]
    assert "keyword stuffing −" in rows["information_density"]
    assert sum("ceiling" in text for text in rows.values()) == 3


def test_another_result_is_another_cell() -> None:
    matrix = committed_result("matrix")
    matrix["matrix"]["mmr_score"] = dict.fromkeys(ANCHORS, 0.0) | {"quotation": -12.34}
    matrix["distribution"]["mmr_score"] = {"mean": 50.0, "sd": 3.0, "share_at_100": 0.004, "share_at_0": 0.25}
    assert summarise_measurements("mmr_score", {"matrix": matrix}.get) == "quotation −12.3; at 0 on 25% of pages"
    matrix["matrix"]["mmr_score"]["quotation"] = 4.9
    matrix["distribution"]["mmr_score"]["sd"] = 0
    assert summarise_measurements("mmr_score", {"matrix": matrix}.get) == (
        "no edit moves it by 5 points; 50 on every page"
    )


def test_an_undefined_section_gives_a_dash(result: Any) -> None:
    others: tuple[Any, ...] = (None, {"undefined": "too few pages"}, {"ceilings": {}})
    for other in others:
        rows = rows_of(constants.findings(result, dict.fromkeys(("matrix", "gates", "identify"), other).get), ATTACKS)
        assert {row[-1] for row in rows} == {"–"}


# The ranker's inputs


def test_every_feature_is_in_one_category(result: Any) -> None:
    rows = rows_of(constants.findings(result), FEATURE_STACK)
    listed = [name for row in rows for name in row[3].split(", ")]
    assert sorted(listed) == sorted([*(f.name for f in FEATURES), *EMBEDDING_FEATURES, *CROSS_FEATURES])
    assert [int(row[2]) for row in rows] == [len(row[3].split(", ")) for row in rows]


def test_what_needs_the_query_or_a_model_is_named(result: Any) -> None:
    rows = {row[0]: row[4:] for row in rows_of(constants.findings(result), FEATURE_STACK)}
    assert rows["content"] == ["no", "no", "yes"]
    assert rows["lexical"] == ["yes", "no", "yes"]
    assert rows["embedding"] == ["all but e_redundancy", "wordllama or st or onnx", "no"]
