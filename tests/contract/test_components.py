"""The contract that every component must meet, on every kind of text: one suite for all of them."""

from __future__ import annotations

import json
import math
import time

import pytest

from steelyard import languages
from steelyard.components import COMPONENTS, NAMES, Component
from steelyard.components.base import Reading
from steelyard.text.document import Document
from steelyard.text.source import Source
from tests.contract.shared import LANGUAGES, PROSE, STRUCTURED, TEXTS, assert_inside, document

TITLE = "How a harbour reads its tide"
MAX_LABEL = 26  # characters that fit beside the name in a terminal
SECONDS_PER_MEGABYTE = 5.0  # the slowest takes half a second

each_component = pytest.mark.parametrize("component", COMPONENTS, ids=NAMES)
each_language = pytest.mark.parametrize("language", LANGUAGES)
each_title = pytest.mark.parametrize("title", [TITLE, None], ids=["titled", "untitled"])


@each_component
@each_language
@each_title
def test_the_value_is_in_range_and_follows_from_the_parts_as_json(component: Component, language: str, title):
    constants = {case.reason: case.value for case in component.degenerate}
    for name, text in TEXTS.items():
        reading = component.read(document(text, language, title))
        assert math.isfinite(reading.value), name
        assert 0.0 <= reading.value <= 100.0, name
        assert set(component.symbols) <= set(reading.parts), name
        carried = json.loads(json.dumps(dict(reading.parts), allow_nan=False))
        expected = component.value(carried) if reading.degenerate is None else constants[reading.degenerate]
        assert reading.value == pytest.approx(expected, abs=1e-9), name


@each_component
@each_language
def test_a_reading_is_the_same_again_after_other_components_and_without_evidence(component: Component, language: str):
    for name, text in TEXTS.items():
        shared = document(text, language, TITLE)
        for other in reversed(COMPONENTS):
            if other is not component:
                other.read(shared)
        full = component.read(document(text, language, TITLE))
        assert component.read(shared) == component.read(shared) == full, name
        bare = component.read(document(text, language, TITLE), evidence=False)
        assert bare.evidence == (), name
        assert (bare.value, bare.degenerate, bare.parts) == (full.value, full.degenerate, full.parts), name


@each_component
def test_the_evidence_is_inside_the_source_and_sorted(component: Component):
    for name, text in TEXTS.items():
        doc = document(text)
        evidence = component.read(doc).evidence
        for span in evidence:
            assert_inside(span, doc.source.text)
        assert list(evidence) == sorted(evidence, key=lambda e: (e.start, e.end, e.pattern)), name


@each_component
def test_the_first_degenerate_case_that_holds_decides_and_every_case_is_met(component: Component):
    met = set()
    for name, text in TEXTS.items():
        doc = document(text)
        first = next((case.reason for case in component.degenerate if case.holds(doc)), None)
        assert component.read(doc).degenerate == first, name
        met.add(first)
    # Otherwise this suite would test only constants, or only formulas.
    assert met == {None, *(case.reason for case in component.degenerate)}


@pytest.fixture(scope="module")
def megabyte() -> Source:
    """A page of a million characters: structure and prose, one block without an end, one word, one row of marks."""
    prose = "\n\n".join(f"## Part {i}\n\n{PROSE}" for i in range(500)) + STRUCTURED * 100
    endless = PROSE.replace(".", ",") * 300 + "\n\n" + "tide" * 25_000 + "\n\n" + ". ! ? “ " * 12_500
    links = " ".join(f"[the record of {i}](https://site{i % 50}.example/{i})" for i in range(3_000))
    source = Source(f"{prose}\n\n{endless}\n\n{links}")
    assert 900_000 < len(source.text) < 1_300_000
    assert source.structure.blocks
    return source


@each_component
def test_a_megabyte_is_read_in_bounded_time(component: Component, megabyte: Source):
    doc = Document(megabyte, languages.load("en"), TITLE)
    started = time.process_time()
    reading = component.read(doc)
    assert time.process_time() - started < SECONDS_PER_MEGABYTE
    assert reading.degenerate is None


@each_component
def test_a_component_describes_itself(component: Component):
    kind = type(component)
    assert kind.__module__ == f"steelyard.components.{component.name}"
    assert kind.__name__ == "".join(word.capitalize() for word in component.name.split("_"))
    assert component.about
    assert component.spec.startswith("app:")
    assert component.formula
    assert component.symbols
    assert 0 < len(component.label) <= MAX_LABEL
    reasons = [case.reason for case in component.degenerate]
    assert len(reasons) == len(set(reasons)) > 0
    assert all(0.0 <= case.value <= 100.0 for case in component.degenerate)


def test_labels_are_distinct_and_never_missing():
    assert len({component.label for component in COMPONENTS}) == len(COMPONENTS)
    with pytest.raises(TypeError, match="needs a `label`"):
        type("Unlabelled", (Component,), {})


def test_a_reading_is_from_0_to_100_rounded_to_nine_decimals_and_cannot_be_changed():
    for value in (math.nan, math.inf, -math.inf, -1e-6, 100.001):
        with pytest.raises(ValueError, match="not a value in"):
            Reading("shannon_entropy", value)
    reading = Reading("shannon_entropy", 1 / 3)
    assert reading.value == 0.333333333
    with pytest.raises(AttributeError):
        reading.value = 2.0  # type: ignore[misc]
