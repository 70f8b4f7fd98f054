"""The figures that must hold on the English measuring pages; loosening one needs a record."""

from __future__ import annotations

import pytest

from steelyard.lab.corpus import loading as candidates
from steelyard.lab.protocol import fit
from steelyard.lab.protocol.alignment import align
from steelyard.lab.protocol.capture import Capture, Plan, capture, header
from steelyard.lab.protocol.families import sqrt
from steelyard.lab.protocol.gain import gains, long_sources
from steelyard.lab.protocol.gates import judge, survives
from steelyard.lab.protocol.matrix import disagreements, matrix
from steelyard.lab.protocol.readings import Array, Readings, halves_of
from steelyard.lab.protocol.variants import DOSES, INTERVENTIONS, LEVERS
from steelyard.lab.scorers.ours import Ours
from tests.lab.protocol.made import AS_OF
from tools.distributions import data

DATA = data() / "web_en.jsonl"
needs_data = pytest.mark.skipif(
    not DATA.exists(),
    reason="the measuring pages are not here; set STEELYARD_DATA to the folder that holds web_en.jsonl",
)
Halves = tuple[Readings, Readings]


def taken(step: int) -> Capture:
    """Every so many of the pages, as the paper saw them: flattened and untitled."""
    corpus = candidates.load(str(DATA))
    pages, scorer, plan = corpus.of("en")[::step], Ours(as_of=AS_OF), Plan()
    return capture(pages, scorer, header(pages, corpus.digest, corpus.name, scorer, plan), plan, quiet=True)


@pytest.fixture(scope="module")
def whole() -> Capture:
    return taken(1)


@pytest.fixture(scope="module")
def halves(whole: Capture) -> Halves:
    return halves_of(whole)


def weightings(train: Readings) -> dict[str, Array]:
    return {"refitted": fit.nested(train, sqrt).weights, "shipped": fit.vector("shipped")}


# ── all of them, with ./run test --all ──


@needs_data
@pytest.mark.full
def test_there_are_150_pages_in_each_half(halves: Halves) -> None:
    assert [len(half) for half in halves] == [150, 150]


@needs_data
@pytest.mark.full
@pytest.mark.parametrize("name", ["refitted", "shipped"])
def test_all_five_gates_pass_on_both_halves(halves: Halves, name: str) -> None:
    weights = weightings(halves[0])[name]
    for half in halves:
        verdicts = judge(half.responses(sqrt, weights), draws=0)
        assert survives(verdicts), verdicts


@needs_data
@pytest.mark.full
@pytest.mark.parametrize("name", ["refitted", "shipped"])
def test_the_held_out_alignment_is_at_least_93_hundredths(halves: Halves, name: str) -> None:
    found = align(halves[1].responses(sqrt, weightings(halves[0])[name]), draws=0)
    assert found.pearson is not None
    assert found.pearson >= 0.93


@needs_data
@pytest.mark.full
@pytest.mark.parametrize("name", ["refitted", "shipped"])
def test_the_levers_stand_in_the_order_of_their_anchors(halves: Halves, name: str) -> None:
    found = align(halves[1].responses(sqrt, weightings(halves[0])[name]), draws=0).responses
    assert sorted(found, key=lambda edit: -found[edit]) == list(INTERVENTIONS)
    assert len(set(found.values())) == len(found)
    assert min(found["quotation"], found["statistics"]) >= 2
    assert found["cite_sources"] >= 1
    assert found["keyword_stuffing"] <= -1


@needs_data
@pytest.mark.full
def test_every_lever_has_a_loud_carrier_and_no_large_entry_turns_the_papers_sign(halves: Halves) -> None:
    for half in halves:
        found = matrix(half)
        assert found["quotable_density"]["quotation"] >= 30
        assert found["statistic_density"]["statistics"] >= 55
        assert found["citation_f1"]["cite_sources"] >= 60
        assert disagreements(found) == []


@needs_data
@pytest.mark.full
def test_no_single_lever_buys_more_than_seven_points_at_any_dose(whole: Capture) -> None:
    long = long_sources(whole.responses())
    assert len(long) >= 200
    rows = {(r["edit"], r["dose"]): r["mean"] for r in gains(long)}
    assert max(rows[lever, dose] for lever in LEVERS for dose in DOSES) <= 7
    assert max(rows["keyword_stuffing", dose] for dose in (1, 8)) < 0


# ── every tenth of them, by default ──


@pytest.fixture(scope="module")
def tenth() -> Capture:
    return taken(10)


@needs_data
def test_on_every_tenth_page_the_gates_pass_and_the_signs_are_the_papers(tenth: Capture) -> None:
    train, held_out = halves_of(tenth)
    assert len(train) + len(held_out) == 30
    for name, weights in weightings(train).items():
        verdicts = judge(train.joined(held_out).responses(sqrt, weights), draws=0)
        assert survives(verdicts), (name, verdicts)
        found = align(held_out.responses(sqrt, weights), draws=0)
        assert found.pearson is not None
        assert found.pearson >= 0.85
        assert min(found.responses[lever] for lever in LEVERS) > 0.5
        assert found.responses["keyword_stuffing"] < -0.5
    assert disagreements(matrix(train.joined(held_out))) == []


@needs_data
def test_on_every_tenth_page_no_single_lever_buys_more_than_nine_points(tenth: Capture) -> None:
    rows = {(r["edit"], r["dose"]): r["mean"] for r in gains(long_sources(tenth.responses()))}
    assert max(rows[lever, dose] for lever in LEVERS for dose in DOSES) <= 9
    assert rows["keyword_stuffing", 8] < rows["keyword_stuffing", 1] < 0
