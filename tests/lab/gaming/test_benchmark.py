"""The benchmark: attacks against neutral filler of about the same length, on a dozen demo pages."""

from __future__ import annotations

import json
from datetime import date
from functools import cache

import pytest

from steelyard.detectors.registry import NAMES
from steelyard.lab.corpus import loading as candidates
from steelyard.lab.corpus.corpus import FLATTENED, TEST, TRAIN, CorpusPage
from steelyard.lab.edits.base import Target
from steelyard.lab.gaming.benchmark import (
    CLEAN,
    RATE,
    SCORE_RATE,
    SCORED,
    Seen,
    clean_readings,
    curves,
    false_positives,
    halves,
    layered,
    limits_of,
    look,
    low_scores,
    read,
    summary,
)
from steelyard.lab.gaming.run import FEWEST, TooFewPages, study
from steelyard.lab.gaming.suites import BEYOND, CASES, CURVES, PAPER, SEEN, Case, neutral, neutral_name
from steelyard.lab.gaming.thresholds import flagged
from steelyard.lab.protocol.variants import DOSES
from steelyard.support.artifacts import to_json

AS_OF = date(2026, 7, 1)
BY_NAME = {case.name: case for case in CASES}
FEW = tuple(BY_NAME[name] for name in ("keyword_stuffing d8", "duplication", "zero_width, light", "splicing, light"))
STUFFED = "shop/noise-cancelling-headphones.md"  # the one demo page that is an attack already


@cache
def demo(language: str) -> tuple[CorpusPage, ...]:
    return tuple(p for p in candidates.load(candidates.DEMO).of(language) if p.id != STUFFED)


@cache
def measured() -> tuple[Seen, ...]:
    return tuple(look(demo("en")[:12], FEW, as_of=AS_OF))


@cache
def figures() -> dict[str, dict]:
    return summary(measured(), FEW, limits_of(measured()), low_scores(measured()))


# Cases


def test_every_case_has_its_own_name_and_a_control_that_is_measured():
    assert len(BY_NAME) == len(CASES) == len(PAPER) + len(BEYOND)
    for case in CASES:
        assert case.control in DOSES
        assert case.must_be_seen == (case.family in SEEN)
    assert {case.family for case in CASES} >= SEEN


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
        text = neutral(target, dose, 0)
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
        filler = len(neutral(target, case.control, 0).split()) - size
        if added > 0:
            assert filler / 3 <= added <= filler * 3, case.name


# Readings


def test_a_reading_holds_both_scores_and_every_detector():
    reading = read(demo("en")[0].flattened, "en", AS_OF)
    assert tuple(reading) == (*SCORED, *NAMES)
    assert all(0 <= reading[name] <= 100 for name in SCORED)


def test_every_page_is_seen_clean_with_all_neutral_doses_and_under_each_case():
    assert [s.page.id for s in measured()] == [p.id for p in demo("en")[:12]]
    for seen in measured():
        assert list(seen.readings) == [CLEAN, *map(neutral_name, DOSES), *(case.name for case in FEW)]
        assert seen.readings[CLEAN] == read(seen.page.flattened, "en", AS_OF)
    bases, neutrals = clean_readings(measured())
    assert (len(bases), len(neutrals)) == (12, 12 * len(DOSES))


def test_two_looks_and_two_processes_write_the_same_bytes():
    pages = demo("en")[:6]

    def written(jobs: int) -> str:
        seen = look(pages, FEW, as_of=AS_OF, jobs=jobs)
        return to_json([s.readings for s in seen]) + to_json(summary(seen, FEW, limits_of(seen), low_scores(seen)))

    first = written(1)
    assert written(1) == first
    assert written(2) == first


def test_another_seed_is_another_attack_on_the_same_clean_page():
    (one,) = look(demo("en")[:1], FEW[:1], as_of=AS_OF)
    (other,) = look(demo("en")[:1], FEW[:1], as_of=AS_OF, seed=1)
    assert one.readings[CLEAN] == other.readings[CLEAN]
    assert one.readings != other.readings


def test_a_page_too_short_to_attack_is_left_out():
    short = CorpusPage("short", "en", TRAIN, None, "A short page.", "A short page.")
    assert [s.page.id for s in look([short, *demo("en")[:2]], FEW[:1], as_of=AS_OF)] == [p.id for p in demo("en")[:2]]


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
    found = limits_of(measured())
    for case in FEW:
        row = figures()[case.name]
        attacked = [s.readings[case.name] for s in measured()]
        assert row["control_dose"] == case.control
        assert row["detected"] == flagged(attacked, found.thresholds) / 12
        assert row["detected_interval"][0] <= row["detected"] <= row["detected_interval"][1]
        assert set(row["detector_auc"]) == set(NAMES)
        assert max(row["flagged_by"].values(), default=0) <= row["detected"]
        assert sum(row["flagged_by"].values()) >= row["detected"]
        for weighting in SCORED:
            changes = [s.readings[case.name][weighting] - s.readings[CLEAN][weighting] for s in measured()]
            assert row["change"][weighting] == pytest.approx(sum(changes) / 12)
    json.dumps(figures(), allow_nan=False)


def test_a_case_that_changes_nothing_has_an_auc_of_one_half_and_no_change():
    case = Case("nothing", "levers", "light", 1, lambda target, seed, donors: target.text)
    same = [Seen(s.page, {**s.readings, "nothing": s.readings[neutral_name(1)]}) for s in measured()]
    row = summary(same, [case], limits_of(measured()), low_scores(measured()))["nothing"]
    assert set(row["detector_auc"].values()) == set(row["score_auc"].values()) == {0.5}
    assert row["layered_auc"] == 0.5


def test_at_most_the_rate_of_training_pages_is_flagged():
    rates = false_positives(measured(), limits_of(measured()))
    for row in rates.values():
        assert row["rate"] == row["flagged"] / row["of"] <= RATE
        assert row["interval"][0] <= row["rate"] <= row["interval"][1]


def test_the_filter_is_as_suspicious_as_its_most_suspicious_detector():
    found = limits_of(measured())
    usual = {**dict.fromkeys(SCORED, 50.0), **found.usual}
    assert layered(usual, found) == 0
    for name, threshold in found.thresholds.items():
        assert layered({**usual, name: threshold}, found) == 0.5


def test_the_halves_are_the_corpus_split():
    train, test = halves(measured())
    assert len(train) + len(test) == 12
    assert {s.page.split for s in train} == {TRAIN}
    assert {s.page.split for s in test} == {TEST}


# The study


def test_a_study_of_too_few_pages_is_refused_before_any_work():
    with pytest.raises(TooFewPages, match=f"need {FEWEST} each"):
        study(demo("en")[:12], as_of=AS_OF)
    train = [p for p in demo("en") if p.split == TRAIN]
    with pytest.raises(TooFewPages, match="and 0 test pages"):
        study(train, as_of=AS_OF)
    with pytest.raises(TooFewPages):
        study([], as_of=AS_OF)


def test_the_score_alone_flags_what_is_under_the_score_of_five_clean_pages_in_a_hundred():
    low = low_scores(measured())
    pool = [r["shipped"] for readings in clean_readings(measured()) for r in readings]
    assert sum(score < low["shipped"] for score in pool) == pytest.approx(SCORE_RATE * len(pool), abs=1)
    for case in FEW:
        attacked = [s.readings[case.name]["shipped"] for s in measured()]
        assert figures()[case.name]["score_detected"]["shipped"] == sum(a < low["shipped"] for a in attacked) / 12


def test_the_curves_are_paired_changes_by_dose():
    seen = look(demo("en")[:2], (*CASES, *CURVES), as_of=AS_OF)
    found = curves(seen)
    assert set(found["quotation"]["shipped"]) == {"1", "2", "3", "8"}
    assert set(found["keyword_stuffing"]["prior"]) == {"1", "8"}
    one, two = (s.readings["statistics d2"]["shipped"] - s.readings[CLEAN]["shipped"] for s in seen)
    assert found["statistics"]["shipped"]["2"] == pytest.approx((one + two) / 2)
