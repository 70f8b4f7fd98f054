"""What the planted bugs would have done to the verdicts: why the postconditions are there."""

from __future__ import annotations

import json
from typing import Any

import pytest

from steelyard.lab.edits import BY_NAME
from steelyard.lab.protocol.capture import build_header, capture
from steelyard.lab.protocol.gates import NAMES as GATES
from steelyard.lab.protocol.gates.base import MIN_SOURCES
from steelyard.lab.scorers.base import Passage
from tests.lab.edits.pages import demo, targets
from tools.planted_bugs import ARTIFACT, PLAN, SCORER, figure, measure, rows, spread, tables
from tools.planted_edits import BUGS, Bug, LetterNoise

each_bug = pytest.mark.parametrize("bug", BUGS, ids=[bug.name for bug in BUGS])


@pytest.fixture(scope="module")
def measured() -> dict[str, Any]:
    return measure(spread(demo("en"), MIN_SOURCES))


@pytest.fixture(scope="module")
def committed() -> dict[str, Any]:
    result: dict[str, Any] = json.loads(ARTIFACT.read_text("utf-8"))["result"]
    return result


def assert_as_stated(bug: Bug, result: dict[str, Any]) -> None:
    right, wrong = result["right"], result["bugs"][bug.name]
    assert wrong["caught"] == result["sources"]
    moved = figure(wrong, bug.figure) - figure(right, bug.figure)
    if bug.least:
        assert moved / bug.least >= 1, f"{bug.figure} moved by {moved:+.2f}, not by {bug.least:+.2f}"
    else:
        assert moved  # one way on some pages, the other way on others
    if bug.overturns:
        assert right["gates"][bug.overturns]["status"] == "pass"
        assert wrong["gates"][bug.overturns]["status"] != "pass"


@pytest.mark.full
@each_bug
def test_unchecked_a_bug_moves_the_figures_as_stated(bug: Bug, measured: dict[str, Any]):
    assert_as_stated(bug, measured)


@each_bug
def test_the_committed_artifact_says_the_same_of_the_measuring_pages(bug: Bug, committed: dict[str, Any]):
    assert_as_stated(bug, committed)


@pytest.mark.full
def test_letter_noise_hides_most_of_the_penalty_of_stuffing(measured: dict[str, Any]):
    """The paper's bug: what was measured was not stuffing."""
    true = figure(measured["right"], "keyword_stuffing-8")
    noise = figure(measured["bugs"]["letter noise"], "keyword_stuffing-8")
    assert true < -5
    assert abs(noise) < abs(true) / 2
    assert figure(measured["bugs"]["letter noise of equal volume"], "keyword_stuffing-8") > 0


@pytest.mark.full
def test_a_bug_of_one_edit_leaves_the_others_figures_alone(measured: dict[str, Any]):
    right, wrong = measured["right"], measured["bugs"]["dictionary words for keywords"]
    same = [name for name in right["responses"] if right["responses"][name] == wrong["responses"][name]]
    assert set(right["responses"]) - set(same) == {"keyword_stuffing-1", "keyword_stuffing-8"}


def test_without_a_bug_the_rows_are_those_of_a_capture():
    pages = demo("en")[:1]
    with SCORER.open() as session:
        own = rows(pages, lambda text: session.score(Passage(text, "en")))
    captured = capture(pages, SCORER, build_header(pages, "", "demo", SCORER, PLAN), PLAN, jobs=1, quiet=True)
    assert list(own.values()) == list(captured.rows)


def test_the_letters_of_letter_noise_stand_alone():
    target = targets("en")[0]
    block = LetterNoise().apply(target).blocks[0]
    assert {len(word) for word in block.split()} == {1}
    assert block.replace(" ", "").lower().startswith(target.keywords[0])


def test_a_bug_keeps_the_name_and_the_random_stream_of_its_edit():
    bugs = {bug.name: bug for bug in BUGS}
    assert [edit.name for edit in bugs["stuffing without its dose"].edits] == ["keyword_stuffing"]
    target = targets("en")[0]
    for edit in bugs["blocks without a space"].edits:
        assert edit.apply(target, dose=2).blocks == BY_NAME[edit.name].apply(target, dose=2).blocks


def test_the_tables_name_every_bug_and_gate(committed: dict[str, Any]):
    assert list(committed["bugs"]) == sorted(bug.name for bug in BUGS)
    printed = tables(committed)
    for name in (*committed["bugs"], *GATES, "without a bug"):
        assert name in printed
    assert "\\" not in printed


@pytest.mark.full
def test_the_tables_are_the_same_from_the_sorted_keys_of_an_artifact(measured: dict[str, Any]):
    assert tables(json.loads(json.dumps(measured, sort_keys=True))) == tables(measured)
    assert "undefined" in measured["right"]["families"]
    assert "10 sources" in tables(measured)


@pytest.mark.full
def test_with_enough_sources_the_families_are_refitted():
    result = measure(spread(demo("en"), 24))
    assert set(result["right"]["families"]) == {"sqrt", "raw", "quantile", "hybrid"}
    assert any("selected: " in change for bug in result["bugs"].values() for change in bug["overturned"])
