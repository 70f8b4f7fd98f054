"""The figures that must hold on the English measuring pages; loosening one needs a record."""

from __future__ import annotations

from itertools import product

import pytest

from steelyard.lab.corpus import loading
from steelyard.lab.protocol import fit
from steelyard.lab.protocol.alignment import align
from steelyard.lab.protocol.capture import Capture, CapturePlan, build_header, capture
from steelyard.lab.protocol.component_values import Array, ComponentValues, split_train_test, sqrt
from steelyard.lab.protocol.gates import all_passed, judge
from steelyard.lab.protocol.lever_gains import find_largest_gain, measure_gains, select_long_sources
from steelyard.lab.protocol.strategies import compare_strategies
from steelyard.lab.protocol.variants import DOSES, INTERVENTIONS, LEVERS
from steelyard.lab.scorers.own import OwnScorer
from steelyard.lab.study.studies.matrix import PAPER_PAIR, find_disagreements, response_matrix, study_matrix
from tests.conftest import SHARED_DATA
from tests.lab.protocol.synthetic import AS_OF

DATA = SHARED_DATA / "web_en.jsonl"
pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(not DATA.exists(), reason="set STEELYARD_DATA to the folder that holds web_en.jsonl"),
]
Halves = tuple[ComponentValues, ComponentValues]


@pytest.fixture(scope="module")
def whole() -> Capture:
    """All pages as the paper saw them: flattened and untitled."""
    corpus = loading.load_corpus(str(DATA))
    pages, scorer, plan = corpus.pages_in("en"), OwnScorer(as_of=AS_OF), CapturePlan()
    return capture(pages, scorer, build_header(pages, corpus.digest, corpus.name, scorer, plan), plan, quiet=True)


@pytest.fixture(scope="module")
def halves(whole: Capture) -> Halves:
    return split_train_test(whole)


def weightings(train: ComponentValues) -> dict[str, Array]:
    return {"refitted": fit.fit_nested(train, sqrt).weights, "shipped": fit.load_weights("shipped")}


def test_all_five_gates_pass_on_both_halves_of_150_pages(halves: Halves) -> None:
    assert [len(half) for half in halves] == [150, 150]
    for (name, weights), half in product(weightings(halves[0]).items(), halves):
        verdicts = judge(half.responses(sqrt, weights), draws=0)
        assert all_passed(verdicts), (name, verdicts)


@pytest.mark.parametrize("name", ["refitted", "shipped"])
def test_the_held_out_alignment_is_at_least_93_hundredths_in_the_order_of_the_anchors(
    halves: Halves, name: str
) -> None:
    alignment = align(halves[1].responses(sqrt, weightings(halves[0])[name]), draws=0)
    assert alignment.pearson is not None
    assert alignment.pearson >= 0.93
    deltas = alignment.responses
    assert sorted(deltas, key=lambda edit: -deltas[edit]) == list(INTERVENTIONS)
    assert len(set(deltas.values())) == len(deltas)
    assert min(deltas["quotation"], deltas["statistics"]) >= 2
    assert deltas["cite_sources"] >= 1
    assert deltas["keyword_stuffing"] <= -1


def test_every_lever_has_a_loud_carrier_and_no_large_entry_turns_the_papers_sign(halves: Halves) -> None:
    for half in halves:
        found = response_matrix(half)
        assert found["quotable_density"]["quotation"] >= 30
        assert found["statistic_density"]["statistics"] >= 55
        assert found["citation_f1"]["cite_sources"] >= 60
        assert find_disagreements(found) == []


def test_no_single_lever_buys_more_than_seven_points_at_any_dose(whole: Capture) -> None:
    long = select_long_sources(whole.responses())
    assert len(long) >= 200
    rows = {(r["edit"], r["dose"]): r["mean"] for r in measure_gains(long)}
    assert max(rows[lever, dose] for lever in LEVERS for dose in DOSES) <= 7
    assert max(rows["keyword_stuffing", dose] for dose in (1, 8)) < 0


def test_over_all_pages_no_single_lever_buys_more_than_eight(whole: Capture) -> None:
    assert find_largest_gain(measure_gains(whole.responses()))["mean"] <= 8


def test_the_best_aligned_feasible_family_is_raw_and_the_released_vector_passes_too(whole: Capture) -> None:
    found = compare_strategies(whole, draws=0)
    assert found["selected"] == "raw"
    for name in ("raw", "sqrt", "released"):
        assert {found["strategies"][name][split]["gates"]["passed"] for split in ("train", "test")} == {5}


def test_one_page_at_zero_lifts_the_entropy_pair_to_the_papers_pearson(whole: Capture) -> None:
    pair = study_matrix(whole, "all")["correlations"]["pair"]
    assert pair["pearson"] < 0.75
    assert pair["pearson_with_zero_pages"] == pytest.approx(PAPER_PAIR["pearson"], abs=0.03)
