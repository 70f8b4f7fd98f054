"""The benchmark: attacks against neutral filler of about the same length, on a dozen demo pages."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date
from functools import cache
from typing import Any

import pytest

from steelyard.detectors.registry import NAMES
from steelyard.errors import SteelyardError
from steelyard.lab.corpus import loading
from steelyard.lab.corpus.corpus import FLATTENED, TRAIN, CorpusPage
from steelyard.lab.edits.base import Target
from steelyard.lab.gaming.benchmark import (
    CLEAN,
    RATE,
    SCORE_RATE,
    WEIGHTINGS,
    PageReadings,
    count_false_positives,
    find_low_scores,
    measure_pages,
    measure_text,
    select_clean,
    summarise_case,
    summarise_curves,
    suspect,
)
from steelyard.lab.gaming.run import FEWEST, run_gaming
from steelyard.lab.gaming.suites import BEYOND, CASES, CLAIMED_FAMILIES, CURVE_VARIANTS, CURVES, PAPER, Case, add_filler
from steelyard.lab.gaming.thresholds import Limits, fit_limits
from steelyard.lab.protocol.variants import DOSES, FILLER, variant_name
from steelyard.support.artifacts import to_json

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
    return fit_limits(select_clean(pages), RATE)


def summarise(pages: Sequence[PageReadings]) -> dict[str, dict[str, Any]]:
    return {case.name: summarise_case(pages, case, fitted(pages), find_low_scores(pages)) for case in FEW}


@cache
def figures() -> dict[str, dict[str, Any]]:
    return summarise(measured())


# Cases


def test_every_case_has_its_own_name_and_a_control_that_is_measured():
    assert len(BY_NAME) == len(CASES) == len(PAPER) + len(BEYOND)
    assert all(case.control_dose in DOSES for case in CASES)
    assert {case.family for case in CASES} >= CLAIMED_FAMILIES


@pytest.mark.parametrize("language", ["en", "fr"])
def test_every_case_can_be_made_on_a_page_and_is_the_same_each_time(language: str):
    page, *donors = (p.flattened for p in demo(language)[:6])
    target = Target(page, language)
    texts = {}
    for case in CASES:
        texts[case.name] = case.make(target, 0, donors)
        assert case.make(Target(page, language), 0, donors) == texts[case.name]
        assert texts[case.name] != page
    assert len(set(texts.values())) == len(texts)


@pytest.mark.parametrize("dose", DOSES)
def test_the_neutral_control_adds_72_words_a_dose(dose: int):
    for page in demo("en")[:4]:
        target = Target(page.view(FLATTENED), "en")
        text = add_filler(target, dose, 0)
        assert text.startswith(target.text)
        added = len(text.split()) - len(target.text.split())
        assert 60 * dose <= added <= 84 * dose


def test_the_control_of_a_case_is_nearer_to_what_it_adds_than_any_that_is_twice_as_far():
    """Attacks that replace or hide words add none; the others are compared with filler of a like amount."""
    page, *donors = (p.flattened for p in demo("en")[:6])
    target = Target(page, "en")
    size = len(page.split())
    for case in BEYOND:
        added = len(case.make(target, 0, donors).split()) - size
        filler = len(add_filler(target, case.control_dose, 0).split()) - size
        if added > 0:
            assert filler / 3 <= added <= filler * 3, case.name


# Readings


def test_a_reading_holds_both_scores_and_every_detector():
    reading = measure_text(demo("en")[0].flattened, "en", AS_OF)
    assert tuple(reading) == (*WEIGHTINGS, *NAMES)
    assert all(0 <= reading[name] <= 100 for name in WEIGHTINGS)


def test_every_page_is_seen_clean_with_all_neutral_doses_and_under_each_case():
    assert [s.page.id for s in measured()] == [p.id for p in demo("en")[:12]]
    for seen in measured():
        assert list(seen.readings) == [
            CLEAN,
            *(variant_name(FILLER, dose) for dose in DOSES),
            *(case.name for case in FEW),
        ]
        assert seen.readings[CLEAN] == measure_text(seen.page.flattened, "en", AS_OF)
    bases, neutrals = select_clean(measured())
    assert (len(bases), len(neutrals)) == (12, 12 * len(DOSES))


def test_one_and_two_processes_write_the_same_bytes():
    pages = demo("en")[:2]

    def written(jobs: int) -> str:
        seen = measure_pages(pages, FEW, as_of=AS_OF, jobs=jobs)
        return to_json([s.readings for s in seen]) + to_json(summarise(seen))

    assert written(1) == written(2)


def test_another_seed_is_another_attack_on_the_same_clean_page():
    (one,) = measure_pages(demo("en")[:1], FEW[:1], as_of=AS_OF)
    (other,) = measure_pages(demo("en")[:1], FEW[:1], as_of=AS_OF, seed=1)
    assert one.readings[CLEAN] == other.readings[CLEAN]
    assert one.readings != other.readings


def test_a_page_too_short_to_attack_is_left_out():
    short = CorpusPage("short", "en", TRAIN, None, "A short page.", "A short page.")
    assert [s.page.id for s in measure_pages([short, *demo("en")[:2]], FEW[:1], as_of=AS_OF)] == [
        p.id for p in demo("en")[:2]
    ]


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
        assert row["control_dose"] == case.control_dose
        assert row["detected"] == sum(map(found.flags, attacked)) / 12
        assert row["detected_interval"][0] <= row["detected"] <= row["detected_interval"][1]
        assert set(row["detector_auc"]) == set(NAMES)
        assert max(row["flagged_by"].values(), default=0) <= row["detected"]
        assert sum(row["flagged_by"].values()) >= row["detected"]
        for weighting in WEIGHTINGS:
            changes = [s.readings[case.name][weighting] - s.readings[CLEAN][weighting] for s in measured()]
            assert row["change"][weighting] == pytest.approx(sum(changes) / 12)
    json.dumps(figures(), allow_nan=False)


def test_a_case_that_changes_nothing_has_an_auc_of_one_half_and_no_change():
    case = Case("nothing", "levers", "light", 1, lambda target, seed, donors: target.text)
    same = [PageReadings(s.page, {**s.readings, "nothing": s.readings[variant_name(FILLER, 1)]}) for s in measured()]
    row = summarise_case(same, case, fitted(measured()), find_low_scores(measured()))
    assert set(row["detector_auc"].values()) == set(row["score_auc"].values()) == {0.5}
    assert row["layered_auc"] == 0.5


def test_at_most_the_rate_of_training_pages_is_flagged():
    rates = count_false_positives(measured(), fitted(measured()))
    for row in rates.values():
        assert row["rate"] == row["flagged"] / row["of"] <= RATE
        assert row["interval"][0] <= row["rate"] <= row["interval"][1]


def test_the_filter_is_as_suspicious_as_its_most_suspicious_detector():
    found = fitted(measured())
    usual = {**dict.fromkeys(WEIGHTINGS, 50.0), **found.usual}
    assert suspect(usual, found) == 0
    for name, threshold in found.thresholds.items():
        assert suspect({**usual, name: threshold}, found) == 0.5


# The study


def test_a_study_of_too_few_pages_is_refused_before_any_work():
    with pytest.raises(SteelyardError, match=f"need {FEWEST} each"):
        run_gaming(demo("en")[:12], as_of=AS_OF, climbed=0)
    train = [p for p in demo("en") if p.split == TRAIN]
    with pytest.raises(SteelyardError, match="and 0 test pages"):
        run_gaming(train, as_of=AS_OF, climbed=0)
    with pytest.raises(SteelyardError, match="0 training"):
        run_gaming([], as_of=AS_OF, climbed=0)


def test_the_score_alone_flags_what_is_under_the_score_of_five_clean_pages_in_a_hundred():
    low = find_low_scores(measured())
    pool = [r["shipped"] for readings in select_clean(measured()) for r in readings]
    assert sum(score < low["shipped"] for score in pool) == pytest.approx(SCORE_RATE * len(pool), abs=1)
    for case in FEW:
        attacked = [s.readings[case.name]["shipped"] for s in measured()]
        assert figures()[case.name]["score_detected"]["shipped"] == sum(a < low["shipped"] for a in attacked) / 12


def test_the_curves_are_paired_changes_by_dose():
    names = {name for doses in CURVE_VARIANTS.values() for name in doses.values()}
    seen = measure_pages(demo("en")[:2], [c for c in (*CASES, *CURVES) if c.name in names], as_of=AS_OF)
    found = summarise_curves(seen)
    assert set(found["quotation"]["shipped"]) == {"1", "2", "3", "8"}
    assert set(found["keyword_stuffing"]["prior"]) == {"1", "8"}
    one, two = (s.readings["statistics d2"]["shipped"] - s.readings[CLEAN]["shipped"] for s in seen)
    assert found["statistics"]["shipped"]["2"] == pytest.approx((one + two) / 2)
