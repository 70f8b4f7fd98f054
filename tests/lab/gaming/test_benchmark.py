"""The benchmark: attacks against neutral filler of about the same length, on a dozen demo pages."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date
from functools import cache
from typing import Any

import pytest

from steelyard.detectors import NAMES
from steelyard.errors import SteelyardError
from steelyard.lab.corpus import STRUCTURED, TRAIN, CorpusPage, loading
from steelyard.lab.edits.base import Target
from steelyard.lab.gaming.benchmark import (
    CLEAN,
    MIN_DONORS,
    RATE,
    SCORE_RATE,
    PageReadings,
    choose_donors,
    count_heavy,
    find_low_scores,
    measure_pages,
    measure_suspicion,
    select_clean,
    summarise_case,
    summarise_curves,
)
from steelyard.lab.gaming.readings import BASELINES, Limits, fit_limits, measure_text, score_components, sum_points
from steelyard.lab.gaming.run import MIN_PAGES, run_gaming
from steelyard.lab.gaming.suites import (
    BEYOND,
    CASES,
    CLAIMED_FAMILIES,
    CURVES,
    EDITORIAL,
    MODERATE,
    PAPER,
    Case,
)
from steelyard.lab.protocol.variants import DOSES, FILLER, FRESHNESS, STRUCTURE, variant_name
from steelyard.pipeline import score_text
from steelyard.scoring import editions, weighting
from steelyard.support.artifacts import to_json
from tests.lab.edits.pages import LANGUAGES
from tests.lab.edits.pages import demo as texts_in

WEIGHTINGS = ("shipped", "prior")
AS_OF = date(2026, 7, 1)
BY_NAME = {case.name: case for case in CASES}
FEW = tuple(BY_NAME[name] for name in ("keyword_stuffing d8", "duplication", "zero_width, light", "splicing, light"))
STUFFED = "shop/noise-cancelling-headphones.md"  # the one demo page that is an attack already


@cache
def demo(language: str) -> tuple[CorpusPage, ...]:
    return tuple(p for p in loading.load_corpus(loading.DEMO).pages_in(language) if p.id != STUFFED)


@cache
def measured() -> tuple[PageReadings, ...]:
    return tuple(measure_pages(demo("en")[:12], FEW, as_of=AS_OF))


def fitted(pages: Sequence[PageReadings]) -> Limits:
    return fit_limits([*select_clean(pages).values()], RATE)


def summarise(pages: Sequence[PageReadings]) -> dict[str, dict[str, Any]]:
    return {case.name: summarise_case(pages, case, fitted(pages), find_low_scores(pages)) for case in FEW}


@cache
def under_all_cases() -> tuple[PageReadings, ...]:
    return tuple(measure_pages(demo("en")[:5], (*CASES, *CURVES), as_of=AS_OF))


@cache
def figures() -> dict[str, dict[str, Any]]:
    return summarise(measured())


# Cases


def test_every_case_has_its_own_name():
    assert len(BY_NAME) == len(CASES) == len(PAPER) + 1 + len(BEYOND) + len(EDITORIAL)
    assert {case.family for case in CASES} >= CLAIMED_FAMILIES
    assert [(case.name, case.family) for case in EDITORIAL] == [
        *((f"{lever} d1", "structure") for lever in STRUCTURE),
        *((f"{lever} d1", "freshness") for lever in FRESHNESS),
    ]
    assert not any(case.must_be_seen or case.strength == "heavy" for case in EDITORIAL)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_case_can_be_made_on_a_page_and_is_the_same_each_time(language: str):
    page, *donors = (p.flattened for p in texts_in(language)[:6])
    target = Target(page, language)
    texts = {}
    for case in CASES:
        texts[case.name] = case.make(target, 0, donors)
        assert case.make(Target(page, language), 0, donors) == texts[case.name]
        assert texts[case.name] != page
    assert len(set(texts.values())) == len(texts)
    added = len(texts[MODERATE.name].split()) - len(page.split())
    assert added == round(len(page.split()) / 5)


def test_the_control_of_every_case_adds_as_many_words_to_within_half_a_block():
    seen = under_all_cases()[0]
    for case in CASES:
        added, filler = (seen.words[name] - seen.words[CLEAN] for name in (case.name, seen.controls[case.name]))
        assert abs(added - filler) <= 42, case.name
        assert (seen.controls[case.name] == CLEAN) == (added < 36), case.name


# Readings


def test_a_reading_holds_both_scores_the_baselines_and_every_detector():
    reading = measure_text(demo("en")[0].flattened, "en", AS_OF)
    assert tuple(reading) == (*WEIGHTINGS, *BASELINES, *NAMES)
    assert all(0 <= reading[name] <= 100 for name in WEIGHTINGS)


@pytest.mark.parametrize("language", ["de", "es"])
def test_a_reading_in_another_edition_has_its_weights_and_its_detectors(language: str):
    edition = editions.load("2026")
    pages = texts_in(language)
    reading = measure_text(pages[0].flattened, language, AS_OF, edition)
    assert tuple(reading) == ("2026", "prior", *BASELINES, *NAMES)
    found = score_text(pages[0].flattened, as_of=AS_OF, title="", language=language, edition=edition)
    assert reading["2026"] == pytest.approx(found.content)
    seen = measure_pages(pages, FEW[:1], as_of=AS_OF, edition=edition)
    assert set(find_low_scores(seen)) == {"2026", "prior"}


def test_donors_are_the_next_pages_and_more_where_those_have_no_sentences():
    sentences = " ".join(
        f"The keeper of gauge number {n} reads the level of the tide every morning." for n in range(40)
    )
    heading = "# A heading is no sentence"
    texts = ["own", *[heading] * 6, sentences, "never reached"]
    assert choose_donors(texts, 0) == texts[1:8]
    assert choose_donors([sentences] * 9, 7) == [sentences] * MIN_DONORS


def test_the_prior_weights_the_readings_themselves_and_the_shipped_score_their_roots():
    page = demo("en")[0].flattened
    readings = score_text(page, as_of=AS_OF, title="", language="en").readings
    shipped, prior = score_components(page, "en", AS_OF, *WEIGHTINGS)
    for name, reading in readings.items():
        assert prior[name] == pytest.approx(weighting.load("prior").weights[name] * reading.value)
        assert shipped[name] == pytest.approx(weighting.load("shipped").weights[name] * 10 * reading.value**0.5)
    assert sum_points({"a": 60.0, "b": 60.0}) == 100
    assert sum_points({"a": 60.0, "b": 20.0}) == 80


def test_the_baselines_are_shares_of_the_whole_page_that_occurred_before():
    assert BASELINES["repetition_rate"]("One two three, one two three!") == 0.5
    assert BASELINES["repeated_shingles"]("a b c d e f. A b c d e f.") == pytest.approx(2 / 8)
    for measure in BASELINES.values():
        assert measure("") == measure("one") == 0


def test_every_page_is_seen_clean_with_all_neutral_doses_and_under_each_case():
    assert [s.page.id for s in measured()] == [p.id for p in demo("en")[:12]]
    for seen in measured():
        assert set(seen.readings) == {
            CLEAN,
            STRUCTURED,
            *(variant_name(FILLER, dose) for dose in DOSES),
            *(case.name for case in FEW),
            *seen.controls.values(),
        }
        assert seen.readings[CLEAN] == measure_text(seen.page.flattened, "en", AS_OF)
        assert seen.readings[STRUCTURED] == measure_text(seen.page.text, "en", AS_OF)
        added = {dose: seen.words[variant_name(FILLER, dose)] - seen.words[CLEAN] for dose in DOSES}
        assert all(60 * dose <= words <= 84 * dose for dose, words in added.items())
    sizes = {name: len(readings) for name, readings in select_clean(measured()).items()}
    assert sizes == {"clean": 12, "neutral": 12 * len(DOSES), "structured": 12}


def test_processes_change_no_byte_and_another_seed_changes_the_attacks():
    pages = demo("en")[:2]

    def written(jobs: int) -> str:
        seen = measure_pages(pages, FEW, as_of=AS_OF, jobs=jobs)
        return to_json([s.readings for s in seen]) + to_json(summarise(seen))

    assert written(1) == written(2)
    short = CorpusPage("short", "en", TRAIN, None, "A short page.", "A short page.")  # left out
    (seen,), (other,) = (measure_pages([short, pages[0]], FEW[:1], as_of=AS_OF, seed=seed) for seed in (0, 1))
    assert seen.readings[CLEAN] == other.readings[CLEAN]
    assert seen.readings != other.readings


# Figures


def test_stuffing_and_duplication_are_told_from_filler_without_an_error():
    stuffed, doubled = figures()["keyword_stuffing d8"], figures()["duplication"]
    assert stuffed["detector_auc"]["repetition"] == 1
    assert doubled["detector_auc"]["duplication"] == 1
    for case in (stuffed, doubled):
        assert case["layered_auc"] == 1
        assert case["detected"] == 1
        assert case["must_be_seen"]
        assert case["change"]["shipped"] < 2


def test_the_figures_of_a_case_are_those_of_its_readings():
    found = fitted(measured())
    for case in FEW:
        row = figures()[case.name]
        attacked = [s.readings[case.name] for s in measured()]
        assert row["added_words"] == pytest.approx(sum(s.words[case.name] - s.words[CLEAN] for s in measured()) / 12)
        assert set(row["baseline_auc"]) == set(BASELINES)
        assert row["detected"] == sum(map(found.flags, attacked)) / 12
        assert row["detected_interval"][0] <= row["detected"] <= row["detected_interval"][1]
        assert set(row["detector_auc"]) == set(NAMES)
        assert max(row["flagged_by"].values(), default=0) <= row["detected"]
        assert sum(row["flagged_by"].values()) >= row["detected"]
        for name in WEIGHTINGS:
            changes = [s.readings[case.name][name] - s.readings[CLEAN][name] for s in measured()]
            assert row["change"][name] == pytest.approx(sum(changes) / 12)
    json.dumps(figures(), allow_nan=False)


def test_a_case_that_changes_nothing_has_an_auc_of_one_half_and_no_change():
    case = Case("nothing", "levers", "light", lambda target, seed, donors: target.text)
    same = [
        PageReadings(
            s.page,
            {**s.readings, "nothing": s.readings[CLEAN]},
            {**s.words, "nothing": s.words[CLEAN]},
            {**s.controls, "nothing": CLEAN},
        )
        for s in measured()
    ]
    row = summarise_case(same, case, fitted(measured()), find_low_scores(measured()))
    assert set(row["detector_auc"].values()) == set(row["score_auc"].values()) == {0.5}
    assert row["layered_auc"] == 0.5
    assert list(row["score_auc_interval"].values()) == [[0.5, 0.5]]


def test_the_heavy_attacks_are_counted_over_pages_and_cases():
    heavy = [case for case in CASES if case.strength == "heavy"]
    found = count_heavy(under_all_cases()[:1], fitted(measured()))
    assert found["all"]["of"] == len(heavy)
    assert found["claimed"]["of"] == sum(case.must_be_seen for case in heavy)
    assert found["claimed"]["rate"] >= 0.8


def test_the_filter_is_as_suspicious_as_its_most_suspicious_detector():
    found = fitted(measured())
    usual = {**dict.fromkeys(WEIGHTINGS, 50.0), **found.usual}
    assert measure_suspicion(usual, found) == 0
    for name, threshold in found.thresholds.items():
        assert measure_suspicion({**usual, name: threshold}, found) == 0.5


# The study


def test_a_study_of_too_few_pages_is_refused_before_any_work():
    with pytest.raises(SteelyardError, match=f"need {MIN_PAGES} each"):
        run_gaming(demo("en")[:12], as_of=AS_OF, climbed=0)
    train = [p for p in demo("en") if p.split == TRAIN]
    with pytest.raises(SteelyardError, match="and 0 test pages"):
        run_gaming(train, as_of=AS_OF, climbed=0)
    with pytest.raises(SteelyardError, match="0 training"):
        run_gaming([], as_of=AS_OF, climbed=0)


def test_the_score_alone_flags_what_is_under_the_score_of_five_clean_pages_in_a_hundred():
    low = find_low_scores(measured())
    pool = [r["shipped"] for kind in ("clean", "neutral") for r in select_clean(measured())[kind]]
    assert sum(score < low["shipped"] for score in pool) == pytest.approx(SCORE_RATE * len(pool), abs=1)
    for case in FEW:
        attacked = [s.readings[case.name]["shipped"] for s in measured()]
        assert figures()[case.name]["score_detected"]["shipped"] == sum(a < low["shipped"] for a in attacked) / 12


def test_the_curves_are_paired_changes_by_dose():
    seen = under_all_cases()[:2]
    found = summarise_curves(seen)
    assert set(found["quotation"]["shipped"]) == {"1", "2", "3", "8"}
    assert set(found["keyword_stuffing"]["prior"]) == {"1", "8"}
    one, two = (s.readings["statistics d2"]["shipped"] - s.readings[CLEAN]["shipped"] for s in seen)
    assert found["statistics"]["shipped"]["2"] == pytest.approx((one + two) / 2)
