"""The contract of a component: one suite that each of the eleven must pass, on every kind of text."""

from __future__ import annotations

import json
import math

import pytest

from steelyard.components import COMPONENTS, NAMES, Component
from steelyard.components.base import Reading
from tests.contract.reading import LANGUAGES, TEXTS, assert_inside, document

PAPER_ORDER = (
    "shannon_entropy",
    "information_density",
    "quotable_density",
    "entity_density",
    "semantic_coherence",
    "self_containment",
    "statistic_density",
    "mmr_score",
    "citation_f1",
    "ndcg_score",
    "semantic_redundancy",
)
# DESIGN, Reading: the least that the parts hold.
PROMISED = {
    "shannon_entropy": "H V",
    "information_density": "f_shannon S_lex S_sem",
    "quotable_density": "q n_s",
    "entity_density": "E W F",
    "semantic_coherence": "T K F_flow",
    "self_containment": "n",
    "statistic_density": "S W D",
    "mmr_score": "L R Q",
    "citation_f1": "C M c_bar",
    "ndcg_score": "S_rel S_qual S_hier S_pos dcg_ratio",
    "semantic_redundancy": "cos J V gamma",
}
TITLE = "How a harbour reads its tide"
CASES: dict[str, tuple[str, str | None]] = {f"{name}, titled": (text, TITLE) for name, text in TEXTS.items()}
CASES |= {f"{name}, untitled": (TEXTS[name], None) for name in ("empty", "a paragraph", "every kind of mark")}

each_component = pytest.mark.parametrize("component", COMPONENTS, ids=NAMES)
each_text = pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
each_case = pytest.mark.parametrize(("text", "title"), CASES.values(), ids=CASES)
each_language = pytest.mark.parametrize("language", LANGUAGES)


@each_component
@each_language
@each_case
class TestOnEveryText:
    def test_the_value_is_in_range_and_follows_from_the_parts_as_json(self, component, text, language, title):
        reading = component.read(document(text, language, title))
        assert math.isfinite(reading.value)
        assert 0.0 <= reading.value <= 100.0
        assert {*component.symbols, *PROMISED[component.name].split()} <= set(reading.parts)
        carried = json.loads(json.dumps(dict(reading.parts), allow_nan=False))
        if reading.degenerate is None:
            assert component.value(carried) == pytest.approx(reading.value, abs=1e-9)
        else:
            constants = {case.reason: case.value for case in component.degenerate}
            assert reading.value == constants[reading.degenerate]

    def test_the_reading_depends_on_the_text_alone(self, component, text, language, title):
        shared = document(text, language, title)
        for other in reversed(COMPONENTS):
            if other is not component:
                other.read(shared)
        full = component.read(document(text, language, title))
        assert component.read(shared) == full
        bare = component.read(document(text, language, title), evidence=False)
        assert bare.evidence == ()
        assert (bare.value, bare.degenerate, bare.parts) == (full.value, full.degenerate, full.parts)


@each_component
@each_text
def test_the_evidence_lies_inside_the_source(component: Component, text: str):
    doc = document(text)
    for evidence in component.read(doc).evidence:
        assert_inside(evidence, doc.source.text)


@each_component
@each_text
def test_the_first_degenerate_case_that_holds_decides(component: Component, text: str):
    doc = document(text)
    first = next((case for case in component.degenerate if case.holds(doc)), None)
    assert component.read(doc).degenerate == (first.reason if first else None)


@each_component
def test_class_file_and_name_are_one(component: Component):
    kind = type(component)
    assert kind.__module__ == f"steelyard.components.{component.name}"
    assert kind.__name__ == "".join(word.capitalize() for word in component.name.split("_"))


@each_component
def test_a_component_says_what_it_is(component: Component):
    assert component.__doc__
    assert component.spec.startswith("app:")
    assert component.formula
    assert component.symbols
    assert set(PROMISED[component.name].split()) <= set(component.symbols)


@each_component
def test_degenerate_reasons_are_distinct_and_their_constants_are_values(component: Component):
    reasons = [case.reason for case in component.degenerate]
    assert len(reasons) == len(set(reasons)) > 0
    assert all(0.0 <= case.value <= 100.0 for case in component.degenerate)


def test_the_components_are_the_papers_in_its_order():
    assert NAMES == PAPER_ORDER


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, -1e-6, 100.001])
def test_a_reading_outside_0_to_100_is_impossible(value: float):
    with pytest.raises(ValueError, match="not a value in"):
        Reading("shannon_entropy", value)


def test_a_reading_is_rounded_to_nine_decimals_once():
    assert Reading("shannon_entropy", 1 / 3).value == 0.333333333


def test_a_reading_cannot_be_changed():
    reading = Reading("shannon_entropy", 1.0)
    with pytest.raises(AttributeError):
        reading.value = 2.0  # type: ignore[misc]


def test_the_texts_reach_both_sides_of_every_degenerate_table():
    """Otherwise the suite above would test constants only, or formulas only."""
    for component in COMPONENTS:
        reasons = {component.read(document(text)).degenerate for text in TEXTS.values()}
        assert None in reasons, f"{component.name} is never measured"
        missing = {case.reason for case in component.degenerate} - reasons
        assert not missing, f"{component.name} never meets: {missing}"
