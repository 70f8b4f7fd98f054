"""The four diagrams: every name and count from the package or the result, large type, nothing typed twice."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from steelyard.components import NAMES
from steelyard.lab.edits import EDITS
from steelyard.lab.protocol.families import FAMILIES
from steelyard.lab.protocol.gates import GATES
from steelyard.lab.ranking.stack import STACK
from steelyard.lab.study import concepts, identify
from steelyard.lab.study.roles import BOUNDED, FORCED, NOWHERE, OPEN, PINNED, ROLES
from steelyard.scoring.guards import CAPS
from steelyard.scoring.page import CONTENT_SHARE
from steelyard.support.plots.diagram import Diagram
from tests.conftest import ROOT
from tests.support.plots.test_diagram import drawn, frames, inside, texts


def measured() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((ROOT / "docs/artifacts/protocol/identify.json").read_text("utf-8"))["result"]
    return found


DIAGRAMS: Mapping[str, Callable[[], Diagram]] = {
    "objects": concepts.objects,
    "pipeline": concepts.pipeline,
    "calibration": concepts.calibration,
    "taxonomy": lambda: concepts.taxonomy(measured()),
}
each = pytest.mark.parametrize("name", DIAGRAMS)


def words(found: Diagram) -> str:
    """All that a reader can read in it."""
    said = [found.title, found.note, *(a.label for a in found.arrows)]
    for row in found.rows:
        for box in row:
            said += [box.title, *(line if isinstance(line, str) else " ".join(line) for line in box.lines)]
    return "\n".join(said)


@each
def test_a_diagram_is_the_same_bytes_twice(name: str) -> None:
    assert DIAGRAMS[name]().images() == DIAGRAMS[name]().images()


@each
def test_nothing_is_cut_or_covered(name: str) -> None:
    figure = drawn(DIAGRAMS[name]())
    boxes, shown = frames(figure), texts(figure)
    extents = [t.get_window_extent() for t in shown]
    for i, extent in enumerate(extents):
        assert inside(extent, figure.bbox), shown[i].get_text()
        assert all(inside(extent, b) for b in boxes if b.overlaps(extent)), shown[i].get_text()
        assert not any(extent.shrunk(0.98, 0.9).overlaps(other) for other in extents[:i]), shown[i].get_text()
    assert "…" not in "".join(t.get_text() for t in shown)


@each
def test_it_is_tall_and_its_type_is_large_enough_for_four_hundred_pixels(name: str) -> None:
    figure = drawn(DIAGRAMS[name]())
    wide, tall = figure.get_size_inches()
    assert tall > wide
    smallest = min(t.get_fontsize() for t in texts(figure))
    assert smallest / 72 / wide * 400 >= 11, "pixels"


@each
def test_it_is_drawn_in_greys(name: str) -> None:
    figure = drawn(DIAGRAMS[name]())
    for patch in figure.axes[0].patches:
        for colour in (patch.get_facecolor(), patch.get_edgecolor()):
            assert len(set(colour[:3])) == 1


# What they say


def test_the_objects_count_what_the_package_has(monkeypatch: pytest.MonkeyPatch) -> None:
    said = words(concepts.objects())
    assert f"{len(NAMES)} components" in said
    assert f"{sum(len(c.features) for c in STACK if not c.models)} features" in said
    monkeypatch.setattr(concepts, "GATES", GATES[:2])
    monkeypatch.setattr(concepts, "STACK", STACK[:1])
    assert "2 gates" in words(concepts.objects())
    assert f"{len(STACK[0].features)} features,\n0 more" in words(concepts.objects())


def test_each_object_has_a_claim_and_a_limit_in_its_column() -> None:
    rows = concepts.objects().rows
    assert [box.title for box in rows[-2]] == ["May claim"] * 2
    assert [box.title for box in rows[-1]] == ["May not"] * 2


def test_the_scoring_path_has_the_steps_and_constants_of_the_code(monkeypatch: pytest.MonkeyPatch) -> None:
    found = concepts.pipeline()
    said = words(found)
    for limit, points in CAPS:
        assert f"under {limit} words at most {points:g}" in said
    assert f"{CONTENT_SHARE:g} content" in said
    assert "g(u) = 100 √(u / 100)" in said
    assert "25 counts 50" in said
    path = [a.start for a in found.arrows] + [found.arrows[-1].end]
    assert path == ["text", "components", "transform", "sum", "blend", "caps", "guards", "score", "domain"]
    monkeypatch.setattr(concepts, "CAPS", ((7, 1.5),))
    assert "under 7 words at most 1.5" in words(concepts.pipeline())
    assert "under 100 words" not in words(concepts.pipeline())


def test_the_loop_names_every_edit_family_and_gate(monkeypatch: pytest.MonkeyPatch) -> None:
    found = concepts.calibration()
    said = words(found)
    for name in (*(e.name.replace("_", " ") for e in EDITS), *FAMILIES, *(g.name for g in GATES)):
        assert name in said
    assert "dose-response points ≥ −0.5" in said
    assert "saturation ratio ≤ 3" in said
    monkeypatch.setattr(concepts, "GATES", GATES[:1])
    assert "1 gates on train" in words(concepts.calibration())
    assert "saturation" not in words(concepts.calibration())


def test_the_anchors_reach_the_fit_and_no_gate() -> None:
    found = concepts.calibration()
    assert [a.end for a in found.arrows if a.start == "anchors"] == ["fit"]
    assert [a.start for a in found.arrows if a.end == "gates"] == ["fit"]
    (back,) = (a for a in found.arrows if found.around(a))
    assert (back.start, back.end) == ("gates", "fit")


# Roles


def members(found: Diagram) -> dict[str, list[str]]:
    return {box.key: [line[0] for line in box.lines if isinstance(line, tuple)] for row in found.rows for box in row}


def test_every_component_has_one_role_in_the_taxonomy() -> None:
    result = measured()
    groups = members(concepts.taxonomy(result))
    assert sorted(n for group in groups.values() for n in group) == sorted(NAMES)
    roles = {row[0]: row[-1] for row in identify.findings(result).tables[0].table.texts()}
    assert {n: role for role, group in groups.items() for n in group} == roles
    assert list(groups) == [role for role in ROLES if role in groups], "in one order"


def test_the_roles_come_from_the_result_and_not_from_the_paper() -> None:
    result = copy.deepcopy(measured())
    intervals = ([0.1, 0.15], [0.2, 0.5], [0.0, 0.3], [0.0, 0.5], None)
    for i, name in enumerate(NAMES):
        result["components"][name]["admissible"] = intervals[i % 5]
    groups = members(concepts.taxonomy(result))
    assert list(groups) == [PINNED, FORCED, BOUNDED, OPEN, NOWHERE]
    assert groups[PINNED] == list(NAMES[0::5])
    assert groups[NOWHERE] == list(NAMES[4::5])
    for name in NAMES:
        result["components"][name]["admissible"] = None
    assert members(concepts.taxonomy(result)) == {NOWHERE: list(NAMES)}, "an empty role is not drawn"


def test_a_component_stands_beside_its_released_weight_and_what_is_admitted() -> None:
    result = copy.deepcopy(measured())
    result["released"]["weights"]["mmr_score"] = 0.4321
    result["components"]["mmr_score"]["admissible"] = [0.05, 0.5]
    assert "mmr_score 0.432 0.05 to 0.50" in words(concepts.taxonomy(result))
    result["components"]["mmr_score"]["admissible"] = None
    assert "mmr_score 0.432 none" in words(concepts.taxonomy(result))


def test_components_that_no_edit_moves_are_named() -> None:
    result = copy.deepcopy(measured())
    result["plateau"]["silent"] = ["ndcg_score", "mmr_score"]
    assert concepts.taxonomy(result).note.endswith("Moved by no edit at all: mmr_score, ndcg_score.")
    result["plateau"]["silent"] = []
    assert "Moved" not in concepts.taxonomy(result).note


def test_identify_tells_its_taxonomy() -> None:
    assert identify.findings(measured()).plots["taxonomy"] == concepts.taxonomy(measured())
