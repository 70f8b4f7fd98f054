"""The contract of a detector: one suite that each must pass, on every kind of text."""

from __future__ import annotations

import importlib
import json
import math
import pkgutil
import subprocess
import sys
import time
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard import detectors, languages
from steelyard.detectors import DETECTORS, NAMES
from steelyard.detectors.base import (
    AT_THRESHOLD,
    Detector,
    Measurement,
    PageWords,
    find_best_run,
    load_word_lists,
    suspicion,
)
from steelyard.detectors.layered_filter import load_thresholds, measure_page
from steelyard.lab.edits.topics import open_text
from steelyard.pages.json_document import SCHEMA
from steelyard.scoring import editions
from steelyard.text.document import Document
from tests.contract.shared import LANGUAGES, ROOT, TEXTS, document, environment
from tests.detectors.one_detector import demo
from tests.hostile.pages import FILES, FULL, GROWING, within

SIZE = 8_000
ODD: Mapping[str, str] = {
    **TEXTS,
    "emoji": "😀 👩‍👩‍👧‍👦 🇫🇷 " * 40,
    "lone surrogates": "the \ud800 level \udfff of \udc00\ud800 the tide " * 40,
    "one invisible character": "\u200b",
    "an unclosed comment": "The level <!-- of the tide",
    "evidence before any word": '"' + "… " * 80 + '"',
    **{f"file: {name}": data.decode("utf-8", "replace") for name, data in FILES.items()},
    **{f"file with its bytes kept: {name}": data.decode("utf-8", "surrogateescape") for name, data in FILES.items()},
    **{f"growing: {name}": make(SIZE) for name, make in GROWING.items()},
}


def assert_sound(doc: Document, readings: Mapping[str, Measurement], what: str = "") -> None:
    assert tuple(readings) == NAMES
    for name, found in ((f"{what}: {name}", found) for name, found in readings.items()):
        assert isinstance(found.statistic, float), name
        assert math.isfinite(found.statistic), name
        assert found.statistic >= 0, name
        assert all(math.isfinite(part) and part >= 0 for part in found.parts.values()), name
        assert len(found.spans) <= 20, name
        for start, end in found.spans:
            assert 0 <= start < end <= len(doc.text), name
            assert doc.text[start:end].strip() == doc.text[start:end], name
        assert list(found.spans) == sorted(found.spans), name


# Names


def test_every_detector_that_has_a_file_is_listed():
    modules = [
        importlib.import_module(m.name) for m in pkgutil.iter_modules(detectors.__path__, "steelyard.detectors.")
    ]
    written = {
        each
        for module in modules
        for each in vars(module).values()
        if isinstance(each, type) and issubclass(each, Detector) and each is not Detector
    }
    assert written == {type(detector) for detector in DETECTORS}


def test_every_detector_has_its_own_name_and_a_frozen_threshold_and_no_other_is_there():
    assert len(set(NAMES)) == len(DETECTORS)
    for frozen in map(load_thresholds, editions.NAMES):
        assert tuple(frozen["thresholds"]) == tuple(frozen["usual"]) == NAMES
        for detector in DETECTORS:
            threshold = frozen["thresholds"][detector.name]
            assert threshold >= detector.lowest_threshold > 0
            assert 0 <= frozen["usual"][detector.name] < threshold


LISTS = set(
    "furniture voice machine task itself pointing order urging commanding".split()
    + "function praise self selling".split()
)


OWN_LISTS = {"en": set(), "fr": set(), "de": {"polite", "out_of"}, "es": {"out_of"}}


def test_the_word_lists_of_every_language_are_the_same_and_each_word_is_one_of_a_page():
    for language in languages.CODES:
        lists = load_word_lists(language)
        assert set(lists) == LISTS | OWN_LISTS[language]
        for name, words in lists.items():
            assert words, (language, name)
            assert name == "polite" or all(word == word.lower() for word in words), (language, name)
            for word in words:
                assert PageWords(open_text(word, language)).originals == [word]


# Range, spans, purity


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_demo_page_is_measured_soundly_and_the_same_twice(language: str):
    for page in demo(language):
        for text in (page.text, page.flattened):
            doc = document(text, language)
            first = measure_page(doc)
            assert_sound(doc, first)
            assert measure_page(doc) == first
            assert measure_page(document(text, language)) == first


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_odd_text_is_measured_soundly_and_the_same_twice(language: str):
    for name, text in ODD.items():
        if language == LANGUAGES[0] or len(text) < 10_000:
            doc = document(text, language)
            first = measure_page(doc)
            assert_sound(doc, first, name)
            assert measure_page(doc) == first, name


def test_a_text_without_a_sentence_raises_no_suspicion():
    for text in ("", " \n", "Harbour", ". ! ? …", "😀", "\0\0", "\ud800"):
        assert all(found.statistic == 0 for found in measure_page(document(text)).values()), text


@given(st.text(st.characters(exclude_categories=[]), max_size=300))
def test_any_text_at_all_is_measured_soundly(text: str):
    doc = document(text)
    assert_sound(doc, measure_page(doc))


def test_no_detector_depends_on_another_having_run_before():
    text = demo("en")[0].text
    for detector in DETECTORS:
        assert detector.measure(PageWords(document(text))) == measure_page(document(text))[detector.name], detector.name


def test_the_json_schema_takes_the_parts_of_every_detector():
    entry = SCHEMA["properties"]["pages"]["items"]["properties"]["manipulation"]
    assert entry["properties"]["signals"]["additionalProperties"]["properties"]["parts"] == {"type": "object"}


PROGRAM = """
import json, sys
from steelyard.detectors.layered_filter import measure_page
from steelyard import languages
from steelyard.text.document import Document
from steelyard.text.source import Source
for text in json.load(sys.stdin):
    for found in measure_page(Document(Source(text), languages.load("en"))).values():
        print(found.statistic.hex(), list(found.parts.items()), found.spans)
"""


def test_another_process_with_another_hash_seed_measures_the_same():
    texts = json.dumps([ODD["four paragraphs"], ODD["letters of many scripts"], *(p.text for p in demo("en")[:6])])
    outputs = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            input=texts.encode(),
            capture_output=True,
            env=environment({"PYTHONHASHSEED": seed}),
            cwd=ROOT,
            timeout=600,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
    assert outputs.pop().count(b"\n") == 8 * len(DETECTORS)


# Time: ten times what one busy core needs, and linear

LARGE = {
    "prose": GROWING["one huge line"],
    "one word": lambda size: ("harbour " * (size // 8 + 1))[:size],
    "one word without a space": GROWING["no space"],
    "open angles": GROWING["open angles"],
}
ONLY_IN_FULL = (*GROWING.keys() - {"one huge line", "no space", "open angles"},)


def seconds_for(text: str) -> float:
    doc = document(text)
    started = time.process_time()
    measure_page(doc)
    return time.process_time() - started


@pytest.mark.parametrize("name", LARGE)
def test_a_megabyte_takes_seconds_and_ten_times_the_text_about_ten_times_as_long(name: str):
    with within(20):
        large = seconds_for(LARGE[name](FULL))
    small = min(seconds_for(LARGE[name](FULL // 10)) for _ in range(2))
    assert large / max(small, 0.004) < 25


@pytest.mark.full
@pytest.mark.parametrize("name", sorted(ONLY_IN_FULL))
def test_a_megabyte_of_any_hostile_page_takes_seconds(name: str):
    doc = document(GROWING[name](FULL))
    with within(20):
        assert_sound(doc, measure_page(doc))


# Suspicion

ordinary = st.floats(0, 1e6)


@given(ordinary, ordinary, ordinary, st.floats(1e-3, 1e6))
def test_suspicion_is_none_up_to_the_usual_one_half_at_the_threshold_and_never_falls(
    statistic: float, other: float, usual: float, width: float
):
    doubt = suspicion(statistic, usual, usual + width)
    assert 0 <= doubt < 1
    assert (doubt == 0) == (statistic <= usual)
    assert suspicion(usual + width, usual, usual + width) == AT_THRESHOLD == 0.5
    low, high = sorted((statistic, other))
    assert suspicion(low, usual, usual + width) <= suspicion(high, usual, usual + width)


# The best run


@given(st.lists(st.integers(-5, 5), max_size=40))
def test_the_best_run_is_the_one_that_trying_all_finds(values: list[int]):
    best, first, last = find_best_run(values)
    sums = [sum(values[a:b]) for a in range(len(values)) for b in range(a + 1, len(values) + 1)]
    assert best == max([0, *sums])
    assert best == sum(values[first:last])
