"""The feature-anchor matrix: every entry by hand, its carriers, and the paper's table."""

from __future__ import annotations

import operator

import numpy as np
import pytest

from steelyard.components import NAMES
from steelyard.lab.protocol.capture import Capture
from steelyard.lab.protocol.component_values import TooFewSources
from steelyard.lab.protocol.lever_gains import CARRIERS
from steelyard.lab.protocol.variants import INTERVENTIONS, LEVERS
from steelyard.lab.study.findings import in_words
from steelyard.lab.study.paper_comparison import read_grid
from steelyard.lab.study.studies.matrix import (
    CARRIES,
    correlate_components,
    describe_components,
    find_carriers,
    find_disagreements,
    study_matrix,
)
from steelyard.support.artifacts import round_floats
from tests.lab.protocol import synthetic


def table(changes: dict[tuple[str, str], float]) -> dict[str, dict[str, float]]:
    """All zeros, but for the named (component, intervention)s."""
    return {name: {edit: changes.get((name, edit), 0.0) for edit in INTERVENTIONS} for name in NAMES}


def test_every_entry_is_the_response_of_the_component_alone(english: Capture) -> None:
    found = {split: study_matrix(english, split) for split in ("train", "test", "all")}
    assert round_floats(found["test"]) == round_floats(study_matrix(english, "test"))
    for split, of_split in found.items():
        for name in NAMES:
            alone = english.responses(operator.itemgetter(name), split=None if split == "all" else split)
            assert of_split["sources"] == len(alone)
            for edit in INTERVENTIONS:
                assert of_split["matrix"][name][edit] == pytest.approx(alone.delta(edit, 1), abs=1e-9)
        # Correlations are over all sources, whatever the split.
        assert of_split["correlations"] == found["all"]["correlations"]
    assert found["all"]["correlations"]["sources"] == found["all"]["sources"] > found["test"]["sources"]


def test_on_the_demo_every_lever_has_its_own_carrier(english: Capture, french: Capture) -> None:
    for captured in (english, french):
        found = study_matrix(captured, "all")
        assert {lever: found["carriers"][lever] for lever in LEVERS} == CARRIERS
        assert found["carriers"]["keyword_stuffing"] in ("shannon_entropy", "information_density")
        assert found["disagreements"] == []


def test_a_carrier_is_what_a_lever_raises_most_and_the_control_lowers_most() -> None:
    found = find_carriers(
        table({
            ("quotable_density", "quotation"): 6.0,
            ("entity_density", "quotation"): -60.0,
            ("statistic_density", "statistics"): CARRIES - 0.01,
            ("citation_f1", "cite_sources"): CARRIES,
            ("shannon_entropy", "keyword_stuffing"): -7.4,
            ("entity_density", "keyword_stuffing"): 20.0,
        })
    )  # fmt: skip
    assert found == {
        "quotation": "quotable_density",
        "statistics": None,
        "cite_sources": "citation_f1",
        "keyword_stuffing": "shannon_entropy",
    }


def test_only_large_entries_of_the_paper_can_be_disagreed_with() -> None:
    paper = read_grid("tab:featanchor")
    theirs = {(name, edit): paper[name][in_words(edit)] or 0.0 for name in NAMES for edit in INTERVENTIONS}
    assert find_disagreements(table(theirs)) == []
    assert len(find_disagreements(table({}))) == sum(abs(v) >= CARRIES for v in theirs.values()) == 10
    turned = find_disagreements(
        table({**theirs, ("citation_f1", "cite_sources"): -3.0, ("citation_f1", "statistics"): 9.0})
    )
    assert turned == ["cite_sources → citation_f1: -3.0 here, +82.1 in the paper"]


def test_the_distribution_by_hand() -> None:
    column = [0.0] * 6 + [50.0] * 3 + [100.0] * 3
    found = describe_components(synthetic.component_values({("base", "quotable_density"): column}))
    spread = float(np.std(column, ddof=1))
    assert found["quotable_density"] == pytest.approx(
        {"mean": 37.5, "sd": spread, "share_at_100": 0.25, "share_at_0": 0.5}
    )
    assert found["mmr_score"] == {"mean": 20.0, "sd": 0.0, "share_at_100": 0.0, "share_at_0": 0.0}
    assert describe_components(synthetic.component_values({}, sources=1))["mmr_score"]["sd"] == 0.0


def test_a_constant_component_correlates_with_nothing() -> None:
    sources = synthetic.component_values(
        {("base", "quotable_density"): list(range(12)), ("base", "citation_f1"): list(range(12, 0, -1))}
    )
    found = correlate_components(sources)
    ranks = found["spearman"]
    assert ranks["quotable_density"]["citation_f1"] == pytest.approx(-1.0)
    assert ranks["quotable_density"]["quotable_density"] == pytest.approx(1.0)
    assert ranks["quotable_density"]["mmr_score"] is None
    assert ranks["mmr_score"]["mmr_score"] is None
    assert found["constant"] == [name for name in NAMES if name not in ("quotable_density", "citation_f1")]


def test_the_matrix_is_of_ranks_and_the_pair_has_both_coefficients() -> None:
    one, other = [float(i) for i in range(12)], [float(2**i) for i in range(12)]
    found = correlate_components(
        synthetic.component_values({("base", "shannon_entropy"): one, ("base", "information_density"): other})
    )
    assert found["spearman"]["shannon_entropy"]["information_density"] == pytest.approx(1.0)
    assert found["pair"]["spearman"] == pytest.approx(1.0)
    assert found["pair"]["pearson"] == pytest.approx(float(np.corrcoef(one, other)[0, 1]))
    assert found["pair"]["pearson"] < 0.8
    assert found["pair"]["zero_pages"] == 1
    with_zero = float(np.corrcoef([*one, 0.0], [*other, 0.0])[0, 1])
    assert found["pair"]["pearson_with_zero_pages"] == pytest.approx(with_zero)


def test_the_tables_of_the_paper_have_our_components() -> None:
    assert tuple(read_grid("tab:featanchor")) == tuple(read_grid("tab:corr")) == tuple(read_grid("tab:dist")) == NAMES
    assert [len(row) for row in read_grid("tab:corr").values()] == list(range(len(NAMES), 0, -1))


def test_no_sources_are_refused(english: Capture) -> None:
    with pytest.raises(TooFewSources):
        study_matrix(Capture(english.header, ()), "test")
