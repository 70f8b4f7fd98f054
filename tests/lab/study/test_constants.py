"""What is fixed before any page is read: every component with its reasons, every feature in one category."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from steelyard.components import NAMES
from steelyard.lab.protocol.anchors import ANCHORS
from steelyard.lab.ranking.features import DEGENERATE, FEATURES
from steelyard.lab.ranking.signals.base import CROSS, EMBEDDING
from steelyard.lab.study import constants as teller
from steelyard.lab.study.constants_data import constants, rationale
from steelyard.lab.study.findings import Findings
from steelyard.lab.study.rationale import measured
from steelyard.support.artifacts import rounded, to_json
from tests.conftest import ROOT

REASONS, ATTACKS, FEATURE_STACK = "Why each component is there", "What attack each invites", "What the ranker sees"
FIELDS = {"because", "meant", "stays", "attack", "bound"}


def stored() -> dict[str, Any]:
    """The result as it is read back from its artifact, where keys are sorted."""
    found: dict[str, Any] = json.loads(to_json(rounded(constants()), sort_keys=True))
    return found


def artifact(name: str) -> Any:
    return json.loads((ROOT / f"docs/artifacts/protocol/{name}.json").read_text("utf-8"))["result"]


def others(stage: str) -> Any:
    """The committed results under the names of the stages."""
    names = {"matrix": "matrix", "gates": "gates-flattened", "identify": "identify"}
    return artifact(names[stage]) if stage in names else None


def rows_of(findings: Findings, title: str) -> list[list[str]]:
    (table,) = (t.table for t in findings.tables if t.title == title)
    return table.texts()


# The reasons


def test_every_component_has_its_reasons_and_nothing_else_has() -> None:
    found = rationale()
    assert list(found) == list(NAMES)
    for name, said in found.items():
        assert set(said) == FIELDS, name
        assert all(text.strip() == text and text for text in said.values()), name
    for field in FIELDS - {"meant"}:
        assert len({said[field] for said in found.values()}) >= len(NAMES) - 2, field


def test_no_figure_is_typed_into_the_reasons() -> None:
    for name, said in rationale().items():
        for field, text in said.items():
            assert not re.search(r"\d|%", text), (name, field)


def test_three_levers_have_a_component_that_is_meant_for_them() -> None:
    meant = [name for name, said in rationale().items() if said["meant"] == "an anchor"]
    assert set(meant) == {"quotable_density", "statistic_density", "citation_f1"}


@pytest.mark.parametrize("title", [REASONS, ATTACKS])
def test_a_table_has_a_row_per_component_in_the_papers_order(title: str) -> None:
    rows = rows_of(teller.findings(stored(), result_of=others), title)
    assert [row[0] for row in rows] == list(NAMES)
    assert all(cell not in ("", "–") for row in rows for cell in row)


# What was measured


def test_the_measured_column_comes_from_the_other_stages() -> None:
    rows = {row[0]: row[-1] for row in rows_of(teller.findings(stored(), result_of=others), ATTACKS)}
    matrix, gates = artifact("matrix"), artifact("gates-flattened")
    assert f"statistics +{matrix['matrix']['statistic_density']['statistics']:.1f}" in rows["statistic_density"]
    assert f"ceiling +{gates['ceilings']['quotation']:.1f} of the score" in rows["quotable_density"]
    assert f"at 100 on {matrix['distribution']['shannon_entropy']['share_at_100']:.0%}" in rows["shannon_entropy"]
    assert "keyword stuffing −" in rows["information_density"]
    assert rows["mmr_score"] == "no edit moves it by 5 points; 20 on every page; weight left open"
    assert not any("ceiling" in rows[n] for n in NAMES if rationale()[n]["meant"] != "an anchor")


def test_another_result_is_another_cell() -> None:
    matrix = artifact("matrix")
    matrix["matrix"]["mmr_score"] = dict.fromkeys(ANCHORS, 0.0) | {"quotation": -12.34}
    matrix["distribution"]["mmr_score"] = {"mean": 50.0, "sd": 3.0, "share_at_100": 0.004, "share_at_0": 0.25}
    assert measured("mmr_score", {"matrix": matrix}.get) == "quotation −12.3; at 0 on 25% of pages"


@pytest.mark.parametrize("result", [None, {"undefined": "too few pages"}, {"ceilings": {}}])
def test_an_undefined_stage_says_nothing(result: Any) -> None:
    assert measured("quotable_density", lambda stage: result) == ""
    rows = rows_of(teller.findings(stored(), result_of=lambda stage: result), ATTACKS)
    assert {row[-1] for row in rows} == {"–"}
    assert {row[-1] for row in rows_of(teller.findings(stored()), ATTACKS)} == {"–"}


# The ranker's inputs


def test_every_feature_stands_in_one_category() -> None:
    rows = rows_of(teller.findings(stored()), FEATURE_STACK)
    listed = [name for row in rows for name in row[3].split(", ")]
    assert sorted(listed) == sorted([*(f.name for f in FEATURES), *EMBEDDING, *CROSS])
    assert [int(row[2]) for row in rows] == [len(row[3].split(", ")) for row in rows]


def test_what_needs_the_query_and_what_needs_a_model_is_told() -> None:
    rows = {row[0]: row[4:] for row in rows_of(teller.findings(stored()), FEATURE_STACK)}
    assert rows == {
        "content": ["no", "no", "yes"],
        "lexical": ["yes", "no", "yes"],
        "structure": ["yes", "no", "yes"],
        "length": ["no", "no", "yes"],
        "embedding": ["all but e_redundancy", "wordllama or st or onnx", "no"],
        "cross-encoder": ["yes", "given or st or onnx", "no"],
    }


def test_what_is_kept_out_is_named() -> None:
    (note,) = (t.note for t in teller.findings(stored()).tables if t.title == FEATURE_STACK)
    for name in (*DEGENERATE, "c_content", "leak_position"):
        assert name in note


# The rest


def test_the_diagrams_come_with_it() -> None:
    assert list(teller.findings(stored()).plots) == ["objects", "scoring", "calibration"]


def test_orders_are_the_packages_and_not_the_alphabets() -> None:
    findings = teller.findings(stored())
    assert rows_of(findings, "Anchors, published")[0] == ["quotation", "+42.6%"]
    assert rows_of(findings, "Anchors, published")[-1] == ["keyword stuffing", "−8.8%"]
    assert rows_of(findings, "Bounds of the gates")[0] == ["negative-control", "0.00"]
    (weights,) = (t.table for t in findings.tables if t.title == "Weights")
    assert [c.name for c in weights.columns] == ["component", "shipped", "prior", "equal", "what it is"]
